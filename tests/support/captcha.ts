/** Solves slide captchas by their answers, which only the server's own store has. */
import { secretText } from '../../src/core/ids.ts';
import { leavePass, type Pass } from '../../src/modules/auth/captcha/captcha.ts';
import { SMS_PASS } from '../../src/modules/auth/phone/phone.ts';
import { sha256 } from '../../src/platform/secrets.ts';
import type { Client, TestApi } from './api.ts';

export interface Place {
  x: number;
  y: number;
}

/** Where the piece of this key belongs, or null when there is no such puzzle any more. */
export async function captchaAnswer(api: TestApi, key: string): Promise<Place | null> {
  const kept = await api.deps.oneTime.get(`captcha:${sha256(key)}`);
  return kept === null ? null : (JSON.parse(kept) as Place);
}

/** The pass that the client's browser has when it has solved one. */
export function passOf(client: Client): Pass {
  const flowId = client.cookies.get('visit') ?? secretText();
  client.cookies.set('visit', flowId);
  return { purpose: SMS_PASS, flowId, ip: client.headers['x-forwarded-for'] ?? '' };
}

/** Gives the client a pass, as if it had solved one. */
export const givePass = (api: TestApi, client: Client): Promise<void> => leavePass(api.deps, passOf(client));

/** Fetches a puzzle and solves it, so that the client has a pass. */
export async function passCaptcha(api: TestApi, client: Client): Promise<void> {
  const { data } = await client.get('/api/captcha');
  const position = await captchaAnswer(api, data.captcha_key);
  const answer = await client.post('/api/captcha/check', { captcha_key: data.captcha_key, position });
  if (!answer.success) throw new Error(`the captcha was not passed: ${answer.message}`);
}
