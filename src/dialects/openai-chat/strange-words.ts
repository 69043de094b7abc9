/**
 * What clients of this wire write in the words of others. Cursor does by the name of the model: tools as Responses or Messages
 * have them, calls, results and pictures as Messages has them. All of it is put into the words of this wire before anybody
 * reads it, so that whatever holds for these holds for it.
 */
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { compact, fieldsBut, objectOf, objectsOf, textOf } from '../fields.ts';
import { failedInWords } from '../result-words.ts';
import { inputText } from './read-parts.ts';
import { withOwnTools } from './tools.ts';

export const inItsWords = (body: JsonObject): JsonObject => withOwnTools(withOwnMessages(body));

function withOwnMessages(body: JsonObject): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages) || !messages.some(hasBlocks)) return body;
  return {
    ...body,
    messages: messages.flatMap((message) => (hasBlocks(message) ? said(message) : [message])),
  };
}

interface Blocks extends JsonObject {
  content: Json[];
}

const hasBlocks = (message: Json): message is Blocks =>
  isObject(message) && Array.isArray(message.content) && message.content.some(isBlock);

const isBlock = (part: Json): boolean => isUse(part) || isResult(part) || ownPart(part) !== part;
const isUse = (part: Json): part is JsonObject => objectOf(part)?.type === 'tool_use';
const isResult = (part: Json): part is JsonObject => objectOf(part)?.type === 'tool_result';

/**
 * Calls stand in a field of their message, and each result is a message of its own, before what is said after it. A message of
 * the user carries what results have beside texts, which no other may.
 */
function said({ content, ...message }: Blocks): JsonObject[] {
  const uses = content.filter(isUse);
  const results = content.filter(isResult).map((block) => resultOf(block, message));
  const parts = content.filter((part) => !isUse(part) && !isResult(part)).map(ownPart);
  const left = [...results.flatMap(({ beside }) => beside), ...parts];
  const told = results.map((result) => result.message);
  if (uses.length === 0) {
    if (left.length === 0) return told;
    return [...told, { ...(parts.length > 0 ? message : { role: 'user' }), content: left }];
  }
  const mark = uses.at(-1)?.cache_control;
  const calls = [...objectsOf(message.tool_calls), ...uses.map(callOf)];
  const call = compact({ cache_control: mark, ...message, content: left.length > 0 ? left : null });
  return [{ ...call, tool_calls: calls }, ...told];
}

const OF_USES = new Set(['type', 'name', 'input', 'cache_control']);

const callOf = (use: JsonObject): JsonObject => ({
  ...fieldsBut(use, OF_USES),
  type: 'function',
  function: compact({ name: use.name, arguments: inputText(use.input) || '{}' }),
});

function resultOf(block: JsonObject, { tool_call_id }: JsonObject): { message: JsonObject; beside: Json[] } {
  const { tool_use_id: id = tool_call_id, content, is_error: isError, cache_control } = block;
  const parts = Array.isArray(content) ? content.map(ownPart) : [];
  const texts = parts.flatMap((part) => textIn(part) ?? []);
  const text = textOf(content) ?? texts.join('\n');
  return {
    message: compact({
      role: 'tool',
      tool_call_id: id,
      content: isError === true ? failedInWords(text) : text,
      cache_control,
    }),
    beside: parts.filter((part) => textIn(part) === undefined),
  };
}

const textIn = (part: Json): string | undefined => {
  const { type, text } = objectOf(part) ?? {};
  return textOf(type === 'text' ? text : part);
};

/** A picture as this wire has it. */
function ownPart(part: Json): Json {
  const { type, source: given, ...more } = objectOf(part) ?? {};
  const source = objectOf(given);
  if (type !== 'image' || !source) return part;
  const { media_type: kind, data, url: address } = source;
  const bytes = typeof kind === 'string' && typeof data === 'string' && `data:${kind};base64,${data}`;
  const url = source.type === 'base64' ? bytes : textOf(address);
  return url ? { ...more, type: 'image_url', image_url: { url } } : part;
}
