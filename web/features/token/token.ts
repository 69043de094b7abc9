/** A token as its owner's calls answer it, and what follows from its fields. */

import { soughtKey, TOKEN_STATUS } from '@modules/token/facts.ts';
import type { StatusTone } from '@/components/status.tsx';
import type { DataOf } from '@/lib/calls.ts';
import type { TextKey } from '@/lib/text-key.ts';

export type Token = DataOf<'get', '/api/token/:id'>;

/** Group names with what they cost and are for. */
export type Groups = DataOf<'get', '/api/user/self/groups'>;

export const tokenStates: readonly { status: number; tone: StatusTone; label: TextKey }[] = [
  { status: TOKEN_STATUS.enabled, tone: 'on', label: 'token.status.on' },
  { status: TOKEN_STATUS.disabled, tone: 'off', label: 'token.status.off' },
  { status: TOKEN_STATUS.expired, tone: 'gone', label: 'token.status.expired' },
  { status: TOKEN_STATUS.exhausted, tone: 'bad', label: 'token.status.exhausted' },
];

/** The models it may call; null for all that its group has. */
export const modelsOf = (token: Token): string[] | null =>
  token.model_limits_enabled ? token.model_limits.split(',').filter(Boolean) : null;

/** Those of its own models that its account may call; without limits it may call what its account may. */
export const callableModels = (token: Token, models: readonly string[]): readonly string[] =>
  modelsOf(token)?.filter((model) => models.includes(model)) ?? models;

const KEY_HEAD = 'sk-';

/** What the list's address holds of a search: a text that begins as keys do is one, and no more of it than is shown. */
export const soughtText = (text: string): string =>
  text.startsWith(KEY_HEAD) ? KEY_HEAD + soughtKey(text.slice(KEY_HEAD.length)) : text;

/** Why it cannot be enabled, or null when it can. */
export const enableObstacle = (token: Token): TextKey | null => {
  if (token.status === TOKEN_STATUS.expired) return 'token.enableExpired';
  return token.status === TOKEN_STATUS.exhausted ? 'token.enableExhausted' : null;
};
