/** The bounds that every chat request is held to before anything else happens; each refusal names its field. */

import { fail } from '../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { asIs, filled, type Text } from '../core/text.ts';

const MODEL_CHARS_MAX = 256;

/** What is wrong with a field, in the words of its refusal. */
export const wrong = {
  missing: { zh: '缺少该字段', en: 'it is missing' },
  empty: { zh: '不能为空', en: 'it is empty' },
  string: { zh: '应为字符串', en: 'a string is expected' },
  array: { zh: '应为数组', en: 'an array is expected' },
  object: { zh: '应为对象', en: 'an object is expected' },
  boolean: { zh: '应为布尔值', en: 'a boolean is expected' },
  integer: { zh: '应为整数', en: 'an integer is expected' },
  stringOrArray: { zh: '应为字符串或数组', en: 'a string or an array is expected' },
  stringOrObject: { zh: '应为字符串或对象', en: 'a string or an object is expected' },
  stringOrTokens: { zh: '应为字符串或词元列表', en: 'a string or a list of tokens is expected' },
  base64: { zh: '应为 base64 数据', en: 'base64 is expected' },
  noMessage: { zh: '至少需要一条消息', en: 'at least one message is expected' },
  noRequest: { zh: '至少需要一个请求', en: 'at least one request is expected' },
  otherFile: { zh: '不接受该文件', en: 'no such file is taken' },
  oneFile: { zh: '应为一个文件', en: 'exactly one file is expected' },
  textsOnly: { zh: '此模型的渠道只接受文本', en: 'channels of this model take texts only' },
  long: { zh: '过长', en: 'it is too long' },
  longCallName: { zh: '调用的工具名称过长', en: 'the name of a called tool is too long' },
  nul: { zh: '不能含有空字符', en: 'it must not hold a NUL' },
} as const satisfies Record<string, Text>;

/** One of these names. */
export const oneOf = (...names: string[]): Text => {
  const list = names.join(', ');
  return { zh: `必须是以下之一：${list}`, en: `it must be one of ${list}` };
};

/** At most so many of them. */
export const atMost = (count: number, zh: string, en: string): Text => ({
  zh: `最多 ${count} ${zh}`,
  en: `at most ${count} ${en} are taken`,
});

const REFUSED: Text = { zh: '字段“{field}”：{reason}', en: "Invalid '{field}': {reason}." };

export const refuse = (field: string, reason: Text) =>
  fail('invalid_request', { field, params: { reason: filled(REFUSED, { field: asIs(field), reason }) } });

/** The refusal of content that a model has no word for; another may take it. */
export const notAccepted = (what: Text) =>
  fail('invalid_request', { params: { reason: filled(NOT_ACCEPTED, { what }) } });

const NOT_ACCEPTED: Text = { zh: '此模型不接受{what}', en: 'This model does not accept {what}' };

export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

/** Whether a word about effort, wherever a wire has it, says that a model thinks. */
export const asksEffort = (word: unknown): boolean => !isAbsent(word) && word !== 'none';

/** A whole number within bounds, or null when it is absent. */
export function integerIn(value: unknown, field: string, least: number, most: number): number | null {
  if (isAbsent(value)) return null;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw refuse(field, wrong.integer);
  if (value < least || value > most)
    throw refuse(field, {
      zh: `必须在 ${least} 和 ${most} 之间`,
      en: `it must be between ${least} and ${most}`,
    });
  return value;
}

export const outputCapIn = (value: unknown, field: string): number | null =>
  integerIn(value, field, 1, limits.maxTokensCap);

export const choicesIn = (value: unknown, field: string): number =>
  integerIn(value, field, 1, limits.choicesMax) ?? 1;

export function flagIn(value: unknown, field: string): boolean {
  if (isAbsent(value)) return false;
  if (typeof value !== 'boolean') throw refuse(field, wrong.boolean);
  return value;
}

/** Words for an answer that is fetched later: OpenAI's of Responses, xAI's of chats. */
const LATER: readonly (readonly [field: string, reason: Text])[] = [
  ['background', { zh: '不支持后台响应', en: 'responses in the background are not served' }],
  ['deferred', { zh: '不支持延后获取的回答', en: 'answers that are fetched later are not served' }],
];

/** Refuses what would have to be asked for later, when nobody pays for it any more. */
export function answeredNow(body: JsonObject): void {
  for (const [field, reason] of LATER) {
    if (flagIn(body[field], field)) throw refuse(field, reason);
  }
}

export function modelIn(model: unknown): string {
  if (isAbsent(model) || model === '') throw refuse('model', wrong.missing);
  if (typeof model !== 'string') throw refuse('model', wrong.string);
  if (model.includes('\0') || !model.isWellFormed()) throw refuse('model', wrong.nul);
  if (model.length > MODEL_CHARS_MAX) throw refuse('model', wrong.long);
  return model;
}

/** The name of a tool in a call, where it is one; `at` is the place of the name, or that of the messages. */
export function callNameIn(name: unknown, at: string): string | undefined {
  if (typeof name !== 'string') return undefined;
  if (name.length > limits.callNameChars) throw refuse(at, wrong.longCallName);
  return name;
}

/** A list of objects, at least one; each must pass `check`, which is told where it stands. */
export function messagesIn(
  value: unknown,
  field: string,
  check: (message: JsonObject, at: string) => void,
): JsonObject[] {
  if (isAbsent(value)) throw refuse(field, wrong.missing);
  if (!Array.isArray(value)) throw refuse(field, wrong.array);
  if (value.length === 0) throw refuse(field, wrong.noMessage);
  if (value.length > limits.messagesMax)
    throw refuse(field, atMost(limits.messagesMax, '条消息', 'messages'));
  return objectsIn(value, field, check);
}

/** Refuses a list with more entries than any call has: parts of a message, tools. */
export function boundedIn(value: unknown, field: string): void {
  if (Array.isArray(value) && value.length > limits.partsMax) {
    throw refuse(field, atMost(limits.partsMax, '项', 'entries'));
  }
}

/** Where requests have what is made of parts. */
const PARTED = [
  ...['messages', 'contents', 'input', 'requests', 'tools'],
  ...['generateContentRequest', 'generate_content_request', 'prediction', 'mcp_servers'],
];

/** Fields that hold parts, at any depth: those of what a caller's own tools take and tell are not among them. */
const PARTS = [
  ...['content', 'parts', 'output', 'summary', 'tool_calls', 'contents', 'tools'],
  ...['reasoning_details', 'annotations'],
  ...['functionResponse', 'function_response', 'functionDeclarations', 'function_declarations'],
];

/** Refuses a request with more parts in all its lists than any has, before anyone reads them. */
export function boundedParts(body: JsonObject): void {
  for (const field of PARTED) {
    if (partsIn(body[field]) > limits.allPartsMax) throw refuse(field, TOO_MANY_PARTS);
  }
}

const TOO_MANY_PARTS = atMost(limits.allPartsMax, '项内容', 'parts');

/** Stops counting beyond the limit. A prompt in numbers has none. */
function partsIn(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  let parts = 0;
  if (Array.isArray(value)) {
    for (const each of value) {
      if (typeof each !== 'number') parts += 1 + partsIn(each);
      if (parts > limits.allPartsMax) break;
    }
  } else for (const name of PARTS) parts += partsIn(value[name]);
  return parts;
}

/** A list of objects or nothing. */
export function objectsIn(
  value: unknown,
  field: string,
  check: (item: JsonObject, at: string) => void = () => undefined,
): JsonObject[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) throw refuse(field, wrong.array);
  boundedIn(value, field);
  return value.map((item, n) => {
    if (!isObject(item)) throw refuse(`${field}[${n}]`, wrong.object);
    check(item as JsonObject, `${field}[${n}]`);
    return item as JsonObject;
  });
}

/** An object or nothing. */
export function objectIn(value: unknown, field: string): JsonObject | undefined {
  if (isAbsent(value)) return undefined;
  if (!isObject(value)) throw refuse(field, wrong.object);
  return value as JsonObject;
}

/** Fields that must be strings where they are present. */
export function textsIn(object: JsonObject, at: string, fields: readonly string[]): void {
  for (const field of fields) {
    if (!isAbsent(object[field]) && typeof object[field] !== 'string') {
      throw refuse(`${at}.${field}`, wrong.string);
    }
  }
}
