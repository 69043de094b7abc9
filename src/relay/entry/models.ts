/** The models that a caller may use now, in the shape that his client reads. */
import type { ListedModel } from '../../dialects/dialect.ts';
import { MODELS_MADE_SEC, modelOwners } from '../../providers/registry.ts';
import { mayUseModel } from '../choose/eligible.ts';
import type { RelayDeps } from '../deps.ts';
import type { Admitted } from '../request.ts';

/** Names, sorted. */
export const usableModels = (
  { caller, pinned }: Admitted,
  { channels }: Pick<RelayDeps, 'channels'>,
): string[] =>
  (pinned ? [...pinned.models].sort() : channels.models(caller.group)).filter((model) =>
    mayUseModel(caller, model),
  );

/** A model as lists tell it, by its name. */
export const listed = (name: string): ListedModel => ({
  name,
  owner: modelOwners.get(name)?.slug ?? 'custom',
  createdSec: MODELS_MADE_SEC,
});
