/** How much the model may think, as a model's name asks for it. */
import type { JsonObject } from '../../core/json.ts';
import type { ThinkingWish } from '../../core/model-variant.ts';
import { objectOf } from '../fields.ts';
import { wishedEffort } from '../openai-chat/thinking.ts';

export function writeWish(body: JsonObject, wish: ThinkingWish): void {
  body.reasoning = { ...objectOf(body.reasoning), effort: wishedEffort(wish) };
}
