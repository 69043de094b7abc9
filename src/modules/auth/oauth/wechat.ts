/**
 * Signing in with WeChat: the visitor follows the site's public account by its QR code, is given a code there and types
 * it here; the operator's WeChat server says whose code it is.
 */

import { z } from 'zod';
import { fail, type Text } from '../../../core/errors.ts';
import { secretText } from '../../../core/ids.ts';
import { parseJson } from '../../../core/json.ts';
import { limits } from '../../../core/limits.ts';
import type { Fillings } from '../../../core/text.ts';
import { wireText } from '../../../core/wire/text.ts';
import type { Options } from '../../../options/store.ts';
import type { LimitRule } from '../../../platform/limiter.ts';
import type { Shelf } from '../../../platform/one-time.ts';
import { OutgoingError } from '../../../platform/outgoing.ts';
import { sameSecret } from '../../../platform/secrets.ts';
import type { Deps } from '../../deps.ts';
import { attemptOr } from '../../failed-attempts/service.ts';
import { faultText, PROVIDER_CALL, statusText } from './discovery.ts';
import type { ThirdParty } from './third-party.ts';

const TITLE: Text = { zh: '微信', en: 'WeChat' };

/** What the way is called in a refusal. */
export const WECHAT: Fillings = { provider: TITLE };

/** Where the operator's WeChat server is, and the token that it knows us by; null unless switched on and whole. */
export function wechatServer(options: Options): { address: string; token: string } | null {
  const [address, token] = [options.get('WeChatServerAddress'), options.get('WeChatServerToken')];
  return options.get('WeChatAuthEnabled') && address !== '' && token !== '' ? { address, token } : null;
}

const answer = z.object({
  success: z.boolean(),
  /** Who brought the code; empty, or not there, when nobody was given it. */
  data: wireText(128).nullish(),
});

/** Whose code it is. Throws OAUTH_OFF, CODE_WRONG, OAUTH_UNREACHABLE, OAUTH_ANSWER. */
export async function askWeChat(
  { options, outgoing }: Pick<Deps, 'options' | 'outgoing'>,
  code: string,
): Promise<ThirdParty> {
  const server = wechatServer(options);
  if (!server) throw fail('OAUTH_OFF', { params: WECHAT });
  if (code.trim() === '') throw fail('CODE_WRONG');
  const url = new URL(`${server.address.replace(/\/+$/, '')}/api/wechat/user`);
  url.searchParams.set('code', code.trim());
  const reply = await outgoing
    .call(url.href, {
      ...PROVIDER_CALL,
      headers: { authorization: server.token },
      timeoutMs: limits.wechatCallMs,
    })
    .catch((error: unknown) => {
      throw error instanceof OutgoingError ? unreachable(faultText(error), error) : error;
    });
  const read = answer.safeParse(parseJson(reply.text()));
  if (reply.status !== 200 || !read.success) {
    throw fail('OAUTH_ANSWER', {
      params: { ...WECHAT, reason: statusText(reply.status) },
      internal: 'unexpected answer of the WeChat server',
    });
  }
  // An id of blanks would be everybody's.
  const subject = read.data.success ? (read.data.data ?? '').trim() : '';
  if (subject === '') throw fail('CODE_WRONG');
  return {
    provider: 'wechat',
    title: TITLE,
    prefix: 'wechat',
    issuers: [''],
    subject,
    loginName: '',
    displayName: '',
    email: '',
  };
}

const unreachable = (reason: Text, cause: unknown) =>
  fail('OAUTH_UNREACHABLE', { params: { ...WECHAT, reason }, cause });

const stateKey = (state: string): string => `wechat:${state}`;

/** A state for the frame of this browser: what another browser was given signs nobody in here. */
export async function beginWeChat(
  { oneTime }: Pick<Deps, 'oneTime'>,
  flowId: string,
  shelves: readonly Shelf[],
): Promise<string> {
  const state = secretText(256);
  await oneTime.put(stateKey(state), flowId, limits.signInFlowSec, shelves);
  return state;
}

/**
 * Makes a try with a code in a frame that this browser opened. The frame stays good, because codes are mistyped, but for
 * so many tries that it is no place to guess in. Throws OAUTH_STATE, and what the try throws.
 */
export async function tryInFrame<T>(
  deps: Pick<Deps, 'limiter' | 'oneTime' | 'options'>,
  { state, flowId }: { state: string; flowId: string | null },
  make: () => Promise<T>,
): Promise<T> {
  const kept = state === '' ? null : await deps.oneTime.get(stateKey(state));
  if (kept === null || flowId === null || !sameSecret(kept, flowId)) throw fail('OAUTH_STATE');
  const over = async () => Promise.reject(fail('OAUTH_STATE'));
  return attemptOr(deps, [[triesIn(`frame:${state}`)]], make, over, ['CODE_WRONG']);
}

/** The tries that one has with codes of WeChat: of a frame, or of who binds an account. */
export const triesIn = (where: string): LimitRule => ({
  key: `wechat-tries:${where}`,
  limit: limits.codeTries,
  windowSec: limits.signInFlowSec,
});

/** Ends it when it has served. Throws OAUTH_STATE when it has done so before. */
export async function endWeChat({ oneTime }: Pick<Deps, 'oneTime'>, state: string): Promise<void> {
  if ((await oneTime.take(stateKey(state))) === null) throw fail('OAUTH_STATE');
}
