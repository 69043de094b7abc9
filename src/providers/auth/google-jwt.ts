/** Google's service-account grant (RFC 7523): a signed assertion is exchanged for an access token. */
import { createSign } from 'node:crypto';
import { z } from 'zod';
import { urlText } from '../../core/wire/url.ts';

export const serviceAccountSchema = z.object({
  project_id: z.string().min(1),
  client_email: z.string().min(1),
  private_key: z.string().includes('PRIVATE KEY'),
  private_key_id: z.string().optional(),
  token_uri: urlText.optional(),
});

export type ServiceAccount = z.output<typeof serviceAccountSchema>;

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
export const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token';
const LIFE_SEC = 3600;

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The form body of the token request. */
export function googleGrant(account: ServiceAccount, audience: string, nowSec: number): string {
  const head = base64url({
    alg: 'RS256',
    typ: 'JWT',
    ...(account.private_key_id ? { kid: account.private_key_id } : {}),
  });
  const claims = base64url({
    iss: account.client_email,
    scope: SCOPE,
    aud: audience,
    iat: nowSec,
    exp: nowSec + LIFE_SEC,
  });
  // Keys pasted through a form may carry their line breaks as the two characters \n.
  const pem = account.private_key.replaceAll('\\n', '\n');
  const signature = createSign('RSA-SHA256').update(`${head}.${claims}`).sign(pem, 'base64url');
  return new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: `${head}.${claims}.${signature}`,
  }).toString();
}
