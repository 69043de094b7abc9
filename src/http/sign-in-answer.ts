/** What a call answers that lets somebody in, whichever way he came: the user, and the session's cookie. */
import type { AuthDeps } from '../modules/auth/service.ts';
import { signIn } from '../modules/auth/sign-in.ts';
import type { UserRow } from '../modules/user/service.ts';
import type { RequestContext, Viewer } from './context.ts';
import { ok } from './envelope.ts';
import type { SessionCookie } from './session-cookie.ts';

/** The parts of a guest route's context that it needs. */
interface Coming {
  request: Request;
  context: RequestContext;
  guestViewer: Viewer | null;
  set: { headers: Record<string, unknown> };
}

/** Throws USER_DISABLED. */
export async function answerSignIn(
  deps: AuthDeps & { sessionCookie: SessionCookie },
  account: UserRow,
  { request, context, guestViewer, set }: Coming,
) {
  const sessionId = await signIn(deps, account, {
    ip: context.clientIp,
    userAgent: request.headers.get('user-agent') ?? '',
    oldSessionId: guestViewer?.sessionId ?? null,
  });
  set.headers['set-cookie'] = await deps.sessionCookie.set(context, sessionId);
  const { id, username, display_name, role, status, group_name } = account;
  return ok({ id, username, display_name, role, status, group: group_name });
}
