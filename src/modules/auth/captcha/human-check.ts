/**
 * The human check: a widget in the caller's browser earns a token, and the widget's maker says whether it is good. Every
 * call needs a token of its own; while the maker cannot be asked, nobody passes.
 */
import { z } from 'zod';
import { fail } from '../../../core/errors.ts';
import { parseJson } from '../../../core/json.ts';
import { limits } from '../../../core/limits.ts';
import { wireText } from '../../../core/wire/text.ts';
import { isHumanCheckOn } from '../../../options/human-check.ts';
import { publicAddress } from '../../../options/public-address.ts';
import { OutgoingError } from '../../../platform/outgoing.ts';
import { sha256 } from '../../../platform/secrets.ts';
import type { Deps } from '../../deps.ts';

/** The query's field with what the widget earned. */
export const turnstile = wireText(2_048).nullish();

/** What a token was earned for; the widget is told, and its maker tells us. */
export type HumanAction = 'login' | 'register' | 'reset' | 'bind';

type HumanDeps = Pick<Deps, 'env' | 'options' | 'outgoing' | 'oneTime' | 'log'>;

/** Who calls, as the request's context has it. */
interface Caller {
  clientIp: string;
  /** Scheme and host that his browser shows. */
  origin: string;
}

/**
 * Passes a caller whose token is good for one of `actions`, and everybody while the check is off. Throws
 * HUMAN_CHECK_NEEDED without a token, HUMAN_CHECK_FAILED for one that is wrong, used or earned elsewhere, and
 * HUMAN_CHECK_AWAY when nobody can say.
 */
export async function requireHuman(
  deps: HumanDeps,
  caller: Caller,
  token: string | null | undefined,
  ...actions: readonly [HumanAction, ...HumanAction[]]
): Promise<void> {
  if (!isHumanCheckOn(deps.options)) return;
  if (!token) throw fail('HUMAN_CHECK_NEEDED');
  const key = `human:${sha256(token)}`;
  if ((await deps.oneTime.get(key)) !== null) throw fail('HUMAN_CHECK_FAILED');
  const result = await verify(deps, token, caller.clientIp);
  const host = hostOf(deps, caller);
  // Both are told by a real check; what a compatible server does not tell cannot be compared.
  const isElsewhere = Boolean(result.hostname) && result.hostname !== host;
  const isForOther = Boolean(result.action) && !actions.some((action) => action === result.action);
  if (result.success && (isElsewhere || isForOther)) {
    const { hostname, action } = result;
    deps.log.warn('human_check.elsewhere', {
      hostname,
      wanted_hostname: host,
      action,
      wanted_actions: actions,
    });
  }
  if (!result.success || isElsewhere || isForOther) throw fail('HUMAN_CHECK_FAILED');
  // Noted when it is known to be good: what callers make up would drive out what others still need.
  if (!(await deps.oneTime.claim(key, limits.humanTokenSec))) throw fail('HUMAN_CHECK_FAILED');
}

/** The configured address wins: a caller can write any Host. */
function hostOf(deps: HumanDeps, { origin }: Caller): string {
  return new URL(publicAddress(deps) || origin).hostname;
}

const answer = z.object({
  success: z.boolean(),
  hostname: z.string().nullish(),
  action: z.string().nullish(),
  'error-codes': z.array(z.string()).nullish(),
});

/** The maker's own troubles, and ours with our secret: they say nothing about the caller. */
const OUR_FAULT = /secret|internal-error|bad-request/;

async function verify({ options, outgoing, log }: HumanDeps, token: string, clientIp: string) {
  const body = new URLSearchParams({
    secret: options.get('TurnstileSecretKey'),
    response: token,
    remoteip: clientIp,
  });
  const reply = await outgoing
    .call(options.get('TurnstileVerifyURL'), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
      timeoutMs: limits.humanCheckMs,
      maxBytes: limits.humanCheckBytes,
      redirectsMax: 0,
    })
    .catch((error: unknown) => {
      if (!(error instanceof OutgoingError)) throw error;
      log.error('human_check.away', { fault: error.fault });
      throw fail('HUMAN_CHECK_AWAY', { cause: error });
    });
  const read = answer.safeParse(parseJson(reply.text()));
  const errors = read.data?.['error-codes'] ?? [];
  if (!read.success || errors.some((code) => OUR_FAULT.test(code))) {
    log.error('human_check.away', { status: reply.status, errors });
    throw fail('HUMAN_CHECK_AWAY');
  }
  return read.data;
}
