/** Console sessions and access tokens. */
import type { Deps } from '../deps.ts';
import { createAccessTokens } from './access-token.ts';
import { endAccess, endAll, endRights, endSignIns } from './endings.ts';
import { createFinder } from './find.ts';
import { createOwnSessions } from './own.ts';

export { deleteOutlived, isAlive } from './own.ts';

export type SessionService = ReturnType<typeof createSessionService>;

/** What a call needs that does more with sessions than to find out who calls. */
export interface SessionDeps {
  sessions: SessionService;
}

export const createSessionService = (deps: Pick<Deps, 'db' | 'changes' | 'limiter' | 'secrets'>) => ({
  ...createFinder(deps),
  ...createOwnSessions(deps),
  ...createAccessTokens(deps),
  endAll,
  endRights,
  endSignIns,
  endAccess,
});
