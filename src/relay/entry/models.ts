/** The models that a caller may use now, in the shape that his client reads. */
import type { JsonObject } from '../../core/json.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { providers } from '../../providers/registry.ts';
import { mayUseModel } from '../choose/reach.ts';
import type { RelayDeps } from '../deps.ts';
import type { Admitted } from '../request.ts';

/** Nobody tells when a model was made; clients only want a time. */
const CREATED = 1_700_000_000;
const CREATED_TEXT = new Date(CREATED * 1000).toISOString();

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

export interface ModelShape {
  list(names: readonly string[]): JsonObject;
  card(name: string): JsonObject;
}

const openaiCard = (id: string): JsonObject => ({
  id,
  object: 'model',
  created: CREATED,
  owned_by: owners.get(id) ?? 'custom',
});

/** `success` stands beside OpenAI's fields for clients of the family's older gateways. */
const openaiShape: ModelShape = {
  card: openaiCard,
  list: (names) => ({ success: true, object: 'list', data: names.map(openaiCard) }),
};

const anthropicCard = (id: string): JsonObject => ({
  type: 'model',
  id,
  display_name: id,
  created_at: CREATED_TEXT,
});

/** All of them on one page. */
const anthropicShape: ModelShape = {
  card: anthropicCard,
  list: (names) => ({
    data: names.map(anthropicCard),
    has_more: false,
    first_id: names[0] ?? null,
    last_id: names.at(-1) ?? null,
  }),
};

const METHODS = ['generateContent', 'streamGenerateContent', 'countTokens'];
const EMBEDDING_METHODS = ['embedContent', 'batchEmbedContents', 'countTokens'];

const geminiCard = (name: string): JsonObject => ({
  name: `models/${name}`,
  version: '001',
  displayName: name,
  supportedGenerationMethods: name.includes('embed') ? EMBEDDING_METHODS : METHODS,
});

const geminiShape: ModelShape = {
  card: geminiCard,
  list: (names) => ({ models: names.map(geminiCard) }),
};

/** The shape for clients of this dialect. */
export function modelShapeOf({ id }: Dialect): ModelShape {
  if (id === 'anthropic-messages') return anthropicShape;
  return id === 'gemini' ? geminiShape : openaiShape;
}
