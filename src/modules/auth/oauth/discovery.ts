/** What an OpenID provider says of itself at its well-known address. */
import { LRUCache } from 'lru-cache';
import { type JWKSCacheInput, jwksCache } from 'oauth4webapi';
import { z } from 'zod';
import { fail, type Text } from '../../../core/errors.ts';
import { parseJson } from '../../../core/json.ts';
import { limits } from '../../../core/limits.ts';
import { urlText } from '../../../core/wire/url.ts';
import { type Outgoing, OutgoingError, type OutgoingFault } from '../../../platform/outgoing.ts';

const metadata = z.object({
  issuer: urlText,
  authorization_endpoint: urlText,
  token_endpoint: urlText,
  userinfo_endpoint: urlText,
  jwks_uri: urlText,
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  id_token_signing_alg_values_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});

export type Metadata = z.infer<typeof metadata>;

/** How every call to a provider is made: within seconds, a small answer, no redirect that would take a secret along. */
export const PROVIDER_CALL = {
  httpsOutside: true,
  redirectsMax: 0,
  timeoutMs: limits.oauthCallMs,
  maxBytes: limits.oauthAnswerBytes,
} as const;

const FAULTS: Readonly<Record<OutgoingFault, Text>> = {
  'bad-address': { zh: '地址必须以 https:// 开头', en: 'the address must begin with https://' },
  'private-address': {
    zh: '地址在内网中，请先在环境变量 PRIVATE_EGRESS 中列出其网段',
    en: 'the address is in a private network, which the environment variable PRIVATE_EGRESS must list',
  },
  'closed-port': {
    zh: '端口未开放，请先在系统设置的“对外请求可用的端口”中添加',
    en: 'the port is closed, add it to the option EgressPorts',
  },
  unresolvable: { zh: '域名无法解析', en: 'the name does not resolve' },
  busy: { zh: '正在查询的域名过多', en: 'too many names are being looked up' },
  'too-many-redirects': { zh: '跳转次数过多', en: 'too many redirects' },
  'too-large': { zh: '回答过大', en: 'the answer is too large' },
  encoding: { zh: '回答的编码与声明不符', en: 'the answer is not encoded as it says' },
  timeout: { zh: '没有及时回答', en: 'no answer in time' },
  unreachable: { zh: '无法连接', en: 'no connection' },
};

/** What an answer of this status says of itself. */
export const statusText = (status: number): Text => ({
  zh: `回答的状态码是 ${status}`,
  en: `it answers with status ${status}`,
});

/** Why a call was not made or not finished. */
export const faultText = (error: OutgoingError): Text => FAULTS[error.fault];

/** Reads the document. Throws OIDC_DISCOVERY with what is wrong. */
export async function discover(outgoing: Outgoing, wellKnown: string): Promise<Metadata> {
  const refused = (reason: Text, cause?: unknown) => fail('OIDC_DISCOVERY', { params: { reason }, cause });
  const reply = await outgoing.call(wellKnown, PROVIDER_CALL).catch((error: unknown) => {
    throw error instanceof OutgoingError ? refused(faultText(error), error) : error;
  });
  if (reply.status !== 200) {
    throw refused(statusText(reply.status));
  }
  const read = metadata.safeParse(parseJson(reply.text()));
  if (read.success) return read.data;
  const fields = [...new Set(read.error.issues.map(({ path }) => path.join('.')))].filter(Boolean).join(', ');
  throw refused(
    fields === ''
      ? { zh: '回答不是 JSON', en: 'the answer is not JSON' }
      : { zh: `缺少或无效的字段：${fields}`, en: `fields that are missing or invalid: ${fields}` },
  );
}

export interface Discovered {
  metadata: Metadata;
  /** Its keys, filled by the library. */
  keys: { [jwksCache]: JWKSCacheInput };
}

/** Remembers what was discovered for an hour; keys that are new within it are fetched when they are met. */
export function createDiscovery(outgoing: Outgoing): (wellKnown: string) => Promise<Discovered> {
  // There are two at a time, Google's and the operator's; others are what he tried before.
  const held = new LRUCache<string, { discovered: Discovered; until: number }>({ max: 10 });
  return async (wellKnown) => {
    const known = held.peek(wellKnown);
    if (known && known.until > Date.now()) return known.discovered;
    const discovered = { metadata: await discover(outgoing, wellKnown), keys: { [jwksCache]: {} } };
    held.set(wellKnown, { discovered, until: Date.now() + limits.oidcMetadataMs });
    return discovered;
  };
}
