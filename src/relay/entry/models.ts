/** The models that a caller may use now, in the shape that his client reads. */
import type { ListedModel } from '../../dialects/dialect.ts';
import { mayUseModel } from '../../modules/token/callers.ts';
import { MODELS_MADE_SEC, modelOwners } from '../../providers/registry.ts';
import { ownModels } from '../choose/own-key.ts';
import type { RelayDeps } from '../deps.ts';
import type { Admitted } from '../request.ts';

/** Names, sorted: those of channels, and of the caller's own keys. */
export async function usableModels(
  { caller, pinned }: Admitted,
  { channels, ownKeys }: Pick<RelayDeps, 'channels' | 'ownKeys'>,
): Promise<string[]> {
  const names = pinned
    ? [...pinned.models].sort()
    : withOwn(channels.models(caller.group), await ownModels(caller, { ownKeys }));
  return names.filter((model) => mayUseModel(caller, model));
}

const withOwn = (names: readonly string[], own: readonly string[]): readonly string[] =>
  own.length === 0 ? names : [...new Set([...names, ...own])].sort();

/** A model as lists tell it, by its name. */
export const listed = (name: string): ListedModel => ({
  name,
  owner: modelOwners.get(name)?.slug ?? 'custom',
  createdSec: MODELS_MADE_SEC,
});
