/** A token as its owner's calls answer it, and what follows from its fields. */

import { TOKEN_STATUS } from '@modules/token/facts.ts';
import { type StateLook, switchLooks, UNKNOWN_STATE } from '@/components/status.tsx';
import type { DataOf } from '@/lib/calls.ts';
import type { TextKey } from '@/lib/text-key.ts';

export type Token = DataOf<'get', '/api/token/:id'>;

/** Group names with what they cost and are for. */
export type Groups = DataOf<'get', '/api/user/self/groups'>;

export const tokenStates: readonly (StateLook & { status: number })[] = [
  { status: TOKEN_STATUS.enabled, ...switchLooks.on },
  { status: TOKEN_STATUS.disabled, ...switchLooks.off },
  { status: TOKEN_STATUS.expired, tone: 'gone', label: 'state.expired' },
  { status: TOKEN_STATUS.exhausted, tone: 'bad', label: 'token.status.exhausted' },
];

export const stateOf = (token: Token): StateLook =>
  tokenStates.find(({ status }) => status === token.status) ?? UNKNOWN_STATE;

/** The models it may call; null for all that its group has. */
export const modelsOf = (token: Token): string[] | null =>
  token.model_limits_enabled ? token.model_limits.split(',').filter(Boolean) : null;

/** Those of its own models that its account may call; without limits it may call what its account may. */
export const callableModels = (token: Token, models: readonly string[]): readonly string[] =>
  modelsOf(token)?.filter((model) => models.includes(model)) ?? models;

/** Why it cannot be enabled, or null when it can. */
export const enableObstacle = (token: Token): TextKey | null => {
  if (token.status === TOKEN_STATUS.expired) return 'token.enableExpired';
  return token.status === TOKEN_STATUS.exhausted ? 'token.enableExhausted' : null;
};
