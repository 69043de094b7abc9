import { expect, it } from 'bun:test';
import { BY_SECRET, byLowBits, plainNames } from '../../../tests/support/alike-names.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { readRealtimeSent } from './realtime-sent.ts';

const TEXT = 'the quick brown fox '.repeat(50);
const item = (more: JsonObject, part: JsonObject = {}): JsonObject => ({
  type: 'conversation.item.create',
  item: {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: 'Why?', ...part }],
    ...more,
  },
});
const answer = (more: JsonObject): JsonObject => ({ type: 'response.create', response: { ...more } });

it.each<[what: string, event: JsonObject]>([
  ['of an item', item({ context: TEXT })],
  ['of an item, in a list', item({ context: [{ text: TEXT }] })],
  ['of a part', item({}, { context: TEXT })],
  ['of an answer', answer({ context: TEXT })],
  ['of a prompt for an answer', answer({ prompt: { id: 'pmpt_1', variables: { a: TEXT } } })],
  ['of a content that is no list', item({ content: { type: 'input_text', text: TEXT } })],
  ['of instructions in a list', answer({ instructions: [TEXT] })],
  ['of tools that are no list', answer({ tools: { type: 'function', description: TEXT } })],
  ['of an item that one answer reads', answer({ input: [item({ context: TEXT }).item ?? null] })],
])('takes a field that nobody knows for words: %s', (_, event) => {
  const { texts, asks } = readRealtimeSent(event);
  expect([...texts, ...(asks?.input.texts ?? [])].join('')).toContain(TEXT);
});

it('refuses more tools than any has, and too many of one hash', () => {
  const refused = expect.objectContaining({ code: 'invalid_request' });
  const update = (tools: JsonObject[]) => ({ type: 'session.update', session: { tools } });
  expect(() => readRealtimeSent(update(Array(5_000).fill({})))).toThrow(refused);
  expect(() => readRealtimeSent(update(byLowBits(40).map((type) => ({ type }))))).toThrow(refused);
});

it('refuses references of one hash, and takes any number of others', () => {
  const naming = (ids: readonly string[]) =>
    answer({ conversation: 'none', input: ids.map((id) => ({ type: 'item_reference', id })) });
  const refused = expect.objectContaining({ code: 'invalid_request' });
  for (const ids of [byLowBits(40), BY_SECRET.latin(40), BY_SECRET.wide(40)])
    expect(() => readRealtimeSent(naming(ids))).toThrow(refused);
  expect(readRealtimeSent(naming([...plainNames(5_000), 'name_of_7'])).asks?.reading.readings).toBe(2);
});

it('takes nothing else than before for words', () => {
  expect(readRealtimeSent(item({ id: 'item_1', status: 'completed' })).texts).toEqual(['Why?']);
  const asked = { instructions: 'So.', output_modalities: ['audio'], metadata: { a: 'b' }, voice: 'alloy' };
  expect(readRealtimeSent(answer(asked)).texts).toEqual(['So.']);
});

const ref = (id: string): JsonObject => ({ type: 'item_reference', id });
const words = (text: string): JsonObject => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});
it.each<[what: string, input: Json, readings: number]>([
  ['nothing', [], 0],
  ['only items in full', [words('a'), { type: 'function_call', name: 'f' }, { content: 'a' }], 0],
  ['several items by their names', [words('a'), ref('a'), ref('b')], 1],
  ['calls of tools', ['a', 'b'].map((id) => ({ type: 'mcp_call', id, arguments: '{}' })), 1],
  ['one of them often', [ref('a'), ref('b'), ref('a'), ref('a')], 3],
  [
    'one in the place of a part',
    [{ role: 'user', content: [{ type: 'text', text: 'a' }, ref('a')] }, ref('a')],
    2,
  ],
  [
    'kinds that nobody knows',
    [{ type: 'of_tomorrow', id: 'a' }, { type: 'of_tomorrow', id: 'a' }, ref('a')],
    3,
  ],
  ['what is no item', ['a', 'a'], 2],
  ['one item that is in no list', ref('a'), 1],
])('tells how often an answer may read an item that it names: %s', (_, input, readings) => {
  const { asks } = readRealtimeSent(answer({ conversation: 'none', input }));
  expect(asks?.reading).toEqual({ isApart: true, hasOwnInput: readings === 0, readings });
});

it('weighs the name of what is read by its name', () => {
  const id = 'item_'.repeat(10);
  const { asks } = readRealtimeSent(answer({ input: [ref(id), { content: [ref(id)] }] }));
  expect(asks?.input.texts).toEqual([id, id]);
});
