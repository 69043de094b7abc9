/** What callers are told of JSON that is not read, in whatever it came. */
import { type AppError, fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { Text } from '../core/text.ts';
import { EVENT_BOUNDS, type JsonFault } from './json-guard.ts';

/** How it is called, and what it may hold. */
interface Holder extends Text {
  keys: number;
  values: number;
}

export const BODY: Holder = {
  zh: '请求内容',
  en: 'request body',
  keys: limits.jsonKeysMax,
  values: limits.jsonValuesMax,
};
export const EVENT: Holder = {
  zh: '事件',
  en: 'event',
  ...EVENT_BOUNDS,
};

const REASONS: Readonly<Record<JsonFault | 'json', (of: Holder) => Text>> = {
  json: ({ zh, en }) => ({ zh: `${zh}不是合法的 JSON 对象`, en: `The ${en} is not a valid JSON object.` }),
  depth: ({ zh, en }) => ({
    zh: `${zh}的嵌套超过 ${limits.jsonDepthMax} 层`,
    en: `The ${en} is nested deeper than ${limits.jsonDepthMax} levels.`,
  }),
  number: ({ zh, en }) => ({
    zh: `${zh}中有超出 JSON 精确范围的数字`,
    en: `The ${en} holds a number beyond the range that JSON keeps exactly.`,
  }),
  keys: ({ zh, en, keys }) => ({
    zh: `${zh}的键超过 ${keys} 个，或过长`,
    en: `The ${en} has more than ${keys} different keys, or too long ones.`,
  }),
  alike: ({ zh, en }) => ({
    zh: `${zh}中有过多哈希值相同的键`,
    en: `Too many keys of the ${en} have one hash.`,
  }),
  places: ({ zh, en }) => ({
    zh: `${zh}中以小整数为键的对象过多`,
    en: `The ${en} holds too many objects with small integers for keys.`,
  }),
  values: ({ zh, en, values }) => ({
    zh: `${zh}的值超过 ${values} 个`,
    en: `The ${en} holds more than ${values} values.`,
  }),
};

export const jsonRefusal = (fault: keyof typeof REASONS, of: Holder): AppError =>
  fail('invalid_request', { params: { reason: REASONS[fault](of) } });
