/** What most calls of this module may use. */
import type { Deps } from '../deps.ts';
import type { SessionService } from '../session/service.ts';

export type AuthDeps = Pick<
  Deps,
  'db' | 'changes' | 'env' | 'options' | 'passwords' | 'limiter' | 'secrets'
> & {
  sessions: SessionService;
};
