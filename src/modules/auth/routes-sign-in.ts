/** What a call answers that lets somebody in, whichever way he came: the user, and the session's cookie. */

import { fail } from '../../core/errors.ts';
import { preferenceCookie } from '../../core/preference-cookie.ts';
import { asIs } from '../../core/text.ts';
import type { Viewer } from '../../http/context.ts';
import type { Coming } from '../../http/counted-by.ts';
import { ok } from '../../http/envelope.ts';
import { keepKnown, readKnown } from '../../http/known-cookie.ts';
import { chosenLanguage, isLocale } from '../../http/language.ts';
import type { SessionCookie } from '../../http/session-cookie.ts';
import { endSignInFlow, newSignInFlow, readSignInFlow } from '../../http/sign-in-flow-cookie.ts';
import type { Deps } from '../deps.ts';
import type { UserRow } from '../user/service.ts';
import type { AuthDeps } from './deps.ts';
import { rememberBrowser } from './known-browser.ts';
import { passkeySite } from './passkey/site.ts';
import { hasDefaultPassword } from './password/default-password.ts';
import { askedFactors } from './second-factor/asked.ts';
import type { FactorDeps, FactorOf } from './second-factor/factor.ts';
import { beginSecondFactor, finishSecondFactor } from './second-factor/pending.ts';
import { type Arrival, requireActive, signIn } from './sign-in.ts';

type AnswerDeps = AuthDeps & FactorDeps & Pick<Deps, 'oneTime'> & { sessionCookie: SessionCookie };

/** The parts of a guest route's context that it needs. */
export interface ComingGuest extends Coming {
  guestViewer: Viewer | null;
  set: { headers: Record<string, unknown> };
}

/**
 * The user and his session; or, where a second factor is asked for, `require_2fa` and the cookie of a sign-in flow alone,
 * with which `answerSecondFactor` goes on; `passkey` where one of his will do, and `code` false where nothing else will.
 * Throws USER_DISABLED, PASSKEY_ELSEWHERE.
 */
export async function answerSignIn(deps: AnswerDeps, account: UserRow, coming: ComingGuest) {
  requireActive(account);
  const { code, passkeys } = await askedFactors(deps, deps.db.orm, account.id);
  if (!code && passkeys.length === 0) return letIn(deps, account, coming, { withFactor: false });
  const { rpId, obstacle } = passkeySite(deps, coming.context);
  const passkey = obstacle === null && passkeys.some(({ rp_id }) => rp_id === rpId);
  if (!code && !passkey) {
    const hosts = [...new Set(passkeys.map(({ rp_id }) => rp_id))].join(', ');
    throw fail('PASSKEY_ELSEWHERE', { params: { host: asIs(hosts) } });
  }
  const signInFlow = newSignInFlow(coming.context);
  await beginSecondFactor(deps, signInFlow.id, account);
  coming.set.headers['set-cookie'] = signInFlow.cookie;
  return ok({
    require_2fa: true as const,
    ...(passkey && { passkey: true as const }),
    ...(!code && { code: false as const }),
  });
}

/** The same for what redeems the second factor. Throws CODE_WRONG, SECOND_STEP_OVER, RATE_LIMIT, USER_DISABLED. */
export async function answerSecondFactor(
  deps: AnswerDeps,
  redeem: (factor: FactorOf) => Promise<boolean>,
  coming: ComingGuest,
  by: Pick<Arrival, 'withPasskey'> = {},
) {
  const { request, context } = coming;
  const flowId = readSignInFlow(request, context);
  const known = readKnown(request, context);
  const account = await finishSecondFactor(deps, { flowId, known, ip: context.clientIp }, redeem);
  return letIn(deps, account, coming, { withFactor: true, ...by, cookies: [endSignInFlow(context)] });
}

/** The same for a passkey: the device is one factor, and what unlocks it the other. Throws USER_DISABLED, SESSION_EXPIRED. */
export const answerPasskey = (
  deps: AnswerDeps,
  { account, passkeyId }: { account: UserRow; passkeyId: number },
  coming: ComingGuest,
) =>
  letIn(deps, account, coming, {
    withFactor: true,
    withPasskey: true,
    passkeyId,
    cookies: [endSignInFlow(coming.context)],
  });

async function letIn(
  deps: AnswerDeps,
  account: UserRow,
  { request, context, guestViewer, set }: ComingGuest,
  {
    cookies = [],
    ...proved
  }: Pick<Arrival, 'withFactor' | 'withPasskey' | 'passkeyId'> & {
    cookies?: readonly string[];
  },
) {
  const chosen = chosenLanguage(request);
  const sessionId = await signIn(deps, account, {
    ip: context.clientIp,
    userAgent: request.headers.get('user-agent') ?? '',
    oldSessionId: guestViewer?.sessionId ?? null,
    ...proved,
    language: chosen,
  });
  const known = await rememberBrowser(deps, readKnown(request, context), account);
  set.headers['set-cookie'] = [
    await deps.sessionCookie.set(context, sessionId),
    keepKnown(context, known),
    // A browser that knows of no choice takes the one that he made elsewhere.
    ...(chosen === null && isLocale(account.language) ? [preferenceCookie('lang', account.language)] : []),
    ...cookies,
  ];
  const { id, username, display_name, role, status, group_name } = account;
  return ok({
    id,
    username,
    display_name,
    role,
    status,
    group: group_name,
    ...((await hasDefaultPassword(deps.db, account)) && { default_password: true as const }),
  });
}
