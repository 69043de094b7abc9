/** Models as OpenAI lists them. */
import type { JsonObject } from '../../core/json.ts';
import type { ListedModel, ModelCards } from '../dialect.ts';

const card = ({ name, owner, createdSec }: ListedModel): JsonObject => ({
  id: name,
  object: 'model',
  created: createdSec,
  owned_by: owner,
});

/** `success` stands beside OpenAI's fields for clients of the family's older gateways. */
export const openaiCards: ModelCards = {
  card,
  list: (models) => ({ success: true, object: 'list', data: models.map(card) }),
};
