/** Models as Anthropic lists them: all of them on one page. */
import type { JsonObject } from '../../core/json.ts';
import type { ListedModel, ModelCards } from '../dialect.ts';

const card = ({ name, createdSec }: ListedModel): JsonObject => ({
  type: 'model',
  id: name,
  display_name: name,
  created_at: new Date(createdSec * 1000).toISOString(),
});

export const modelCards: ModelCards = {
  card,
  list: (models) => ({
    data: models.map(card),
    has_more: false,
    first_id: models[0]?.name ?? null,
    last_id: models.at(-1)?.name ?? null,
  }),
};
