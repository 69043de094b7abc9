/** The models that a caller may use now, as OpenAI lists models. */
import type { JsonObject } from '../core/json.ts';
import { providers } from '../providers/registry.ts';
import { type Admitted, mayUseModel } from './admit.ts';
import type { RelayDeps } from './deps.ts';

/** Nobody tells when a model was made; clients only want a number. */
const CREATED = 1_700_000_000;

const owners = new Map(
  [...providers].reverse().flatMap(({ slug, models }) => models.map((model) => [model, slug] as const)),
);

const modelObject = (id: string): JsonObject => ({
  id,
  object: 'model',
  created: CREATED,
  owned_by: owners.get(id) ?? 'custom',
});

/** Names, sorted. */
export const usableModels = (
  { caller, pinned }: Admitted,
  { channels }: Pick<RelayDeps, 'channels'>,
): string[] =>
  (pinned ? [...pinned.models].sort() : channels.models(caller.group)).filter((model) =>
    mayUseModel(caller, model),
  );

/** `success` stands beside OpenAI's fields for clients of the family's older gateways. */
export const modelList = (names: readonly string[]): JsonObject => ({
  success: true,
  object: 'list',
  data: names.map(modelObject),
});

export const modelCard = modelObject;
