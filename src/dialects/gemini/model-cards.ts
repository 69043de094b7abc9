/** Models as Gemini lists them. */
import type { JsonObject } from '../../core/json.ts';
import type { ListedModel, ModelCards } from '../dialect.ts';

const METHODS = ['generateContent', 'streamGenerateContent', 'countTokens'];
const EMBEDDING_METHODS = ['embedContent', 'batchEmbedContents', 'countTokens'];

const card = ({ name }: ListedModel): JsonObject => ({
  name: `models/${name}`,
  version: '001',
  displayName: name,
  supportedGenerationMethods: name.includes('embed') ? EMBEDDING_METHODS : METHODS,
});

export const modelCards: ModelCards = {
  card,
  list: (models) => ({ models: models.map(card) }),
};
