/**
 * OpenAI's custom tools take free text. For a dialect that knows only functions they become functions with one string
 * parameter; whoever answers in OpenAI's dialect takes the text out again.
 */
import { type JsonObject, parseObject } from '../core/json.ts';

export const customToolSchema: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
};

/** The free text as arguments of the function that stands for the tool. */
export const wrapCustomInput = (text: string): JsonObject => ({ input: text });

/** The free text of such arguments; the arguments themselves when they have another shape. */
export function unwrapCustomInput(json: string): string {
  const input = parseObject(json)?.input;
  return typeof input === 'string' ? input : json;
}
