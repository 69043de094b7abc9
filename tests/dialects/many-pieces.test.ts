/** What callers and upstreams may send very much of takes work in proportion to it. */
import { expect, test } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { Accumulator } from '../../src/dialects/accumulate.ts';
import type { Citation, StreamEvent } from '../../src/dialects/neutral.ts';
import { MessageReader } from '../../src/dialects/openai-chat/read-messages.ts';
import { readThinking } from '../../src/dialects/openai-chat/thinking-details.ts';
import { PartStream } from '../../src/dialects/part-stream.ts';

const MANY = 100_000;
const times = <T>(count: number, one: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => one(n));

test('citations and probabilities of a stream', () => {
  const stream = new Accumulator();
  const citation: Citation = { kind: 'url', raw: { dialect: 'openai-chat', value: {} } };
  const began: Citation[] = [citation];
  stream.push({
    type: 'part-start',
    choice: 0,
    index: 0,
    part: { type: 'text', text: '', citations: began },
  });
  const piece: StreamEvent = {
    type: 'part-delta',
    choice: 0,
    index: 0,
    delta: { type: 'citation', citation },
  };
  for (let n = 0; n < MANY; n++) {
    stream.push(piece);
    stream.push({ type: 'logprobs', choice: 0, logprobs: { content: [{ token: String(n) }] } });
  }
  const [choice] = stream.reply.choices;
  expect(choice?.parts[0]).toMatchObject({ type: 'text' });
  expect(choice?.parts[0]?.type === 'text' && choice.parts[0].citations).toHaveLength(MANY + 1);
  expect(choice?.logprobs?.content).toHaveLength(MANY);
  expect(began).toHaveLength(1);
});

test('a call that stays half-way while text and thinking take turns', () => {
  const parts = new PartStream();
  parts.tool(0, 'a', { id: 'a', name: 'f', kind: 'function' });
  parts.toolInput(0, 'a', `{"x":"${'y'.repeat(100_000)}`);
  for (let n = 0; n < 50_000; n++) {
    parts.text(0, 'a');
    parts.thinking(0, 'b', { origin: 'openai-chat' });
  }
  expect(parts.hasTool(0, 'a')).toBe(true);
  parts.toolInput(0, 'a', '"}');
  parts.text(0, 'c');
  expect(parts.hasTool(0, 'a')).toBe(false);
});

test('results that name only their function, after many calls', () => {
  const reader = new MessageReader();
  const call = (n: number): JsonObject => ({ id: `c${n}`, type: 'function', function: { name: `f${n}` } });
  for (let n = 0; n < 25; n++) {
    reader.read({ role: 'assistant', tool_calls: times(4_000, (m) => call(n * 4_000 + m)) }, n);
  }
  const answered = times(4_000, (n) => reader.read({ role: 'function', name: `f${n}`, content: 'x' }, n));
  expect(answered.map(({ parts: [part] }) => part?.type === 'tool-result' && part.id)).toEqual(
    times(4_000, (n) => `c${n}`),
  );
});

test('annotations of a message, each on the text that it speaks of', () => {
  const content = times(4_000, () => ({ type: 'text', text: 'xy' }));
  const annotations = times(MANY, (n) => ({
    type: 'url_citation',
    url_citation: { url: 'u', start_index: n % 8_000, end_index: 8_000 },
  }));
  const { parts } = new MessageReader().read({ role: 'assistant', content, annotations }, 0);
  const starts = parts.map((part) => part.type === 'text' && part.citations?.map(({ start }) => start));
  expect(starts[0]).toEqual([0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
  expect(starts.at(-1)).toHaveLength(24);
});

test('details of thinking that all name the same text say it once', () => {
  const details = times(1_000, () => ({ type: 'reasoning.text', start: 0, length: 10_000 }));
  const parts = readThinking('t'.repeat(10_000), details);
  expect(parts.map(({ text }) => text).join('')).toBe('t'.repeat(10_000));
});
