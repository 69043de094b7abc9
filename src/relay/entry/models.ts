/** The models that a caller may use now, in the shape that his client reads. */
import type { ListedModel } from '../../dialects/dialect.ts';
import { providers } from '../../providers/registry.ts';
import { mayUseModel } from '../choose/reach.ts';
import type { RelayDeps } from '../deps.ts';
import type { Admitted } from '../request.ts';

/** Nobody tells when a model was made; clients only want a time. */
const CREATED = 1_700_000_000;

const owners = new Map(
  [...providers].reverse().flatMap(({ slug, models }) => models.map((model) => [model, slug] as const)),
);

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
  owner: owners.get(name) ?? 'custom',
  createdSec: CREATED,
});
