/** JSON that a caller writes in a text is one value to whoever judges his body: what is made of all such texts is bounded. */
import { describe, expect, it, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JsonKeys } from '../core/json-keys.ts';
import { limits } from '../core/limits.ts';
import { bedrockConverse } from './bedrock-converse/wire.ts';
import { openaiChatCodec } from './openai-chat/codec.ts';
import { wireOf } from './registry.ts';

const target = { model: 'm', stream: false, askUsage: false, defaultMaxTokens: 1, drop: () => undefined };
const CALLS = 6;

/** A turn that calls tools, and their results: both are JSON in texts here. */
const asked = (textOf: (call: number) => string, calls: number) => {
  const texts = Array.from({ length: calls }, (_, call) => textOf(call));
  return openaiChatCodec.readRequest(
    {
      messages: [
        {
          role: 'assistant',
          tool_calls: texts.map((text, n) => ({
            id: `a${n}`,
            type: 'function',
            function: { name: 'f', arguments: text },
          })),
        },
        ...texts.map((content, n) => ({ role: 'tool', tool_call_id: `a${n}`, content })),
      ],
    },
    { model: 'm' },
  );
};
/** Names that no other call has. */
const named = (keys: number) => (call: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, n) => [`k${call * keys + n}`, 0])));

/** Those that have objects for what others say in texts. */
const WIRES = [...(['gemini', 'ollama', 'anthropic-messages'] as const).map(wireOf), bedrockConverse].flatMap(
  (wire) => (wire ? [[wire.id, wire] as const] : []),
);

describe.each(WIRES)('in the words of %s', (_, wire) => {
  const written = (textOf: (call: number) => string, calls: number) =>
    JSON.stringify(wire.writeRequest(asked(textOf, calls), target));

  it('names are as many as those of a body, and what has more stays a text', () => {
    const heavy = named(Math.ceil((limits.jsonKeysMax * 1.1) / CALLS));
    const sent = written(heavy, CALLS);
    expect(new JsonKeys({ count: limits.jsonKeysMax + 100 }).fault(sent)).toBeNull();
    expect(sent).toContain(`"_raw":${JSON.stringify(heavy(CALLS - 1))}`);
  });

  it('the calls of a long conversation are what they are', () => {
    const line = (n: number) => ({ path: `src/${n}.ts`, line: n, text: 'some words of a source'.repeat(3) });
    const usual = (call: number) => JSON.stringify(Array.from({ length: 20 }, (_, n) => line(call + n)));
    expect(written((call) => `{"found":${usual(call)}}`, 400)).not.toMatch(/"_raw"|"result":/);
  });
});

/** What reads JSON of its own accord: what upstreams say, frame by frame or as a whole. */
const OF_ANSWERS = [
  /\/(read-stream|reply-facts|reply|write-stream|part-stream|aws-event-stream|tool-uses)\.ts$/,
  /^\/plain\/(plain|transcript-filter|completion-filter|openai-realtime|midjourney)\.ts$/,
  // A whole answer that stands for a stream; and tools of a caller that a model has called.
  /^\/(convert|custom-tools)\.ts$/,
];

test('nobody reads JSON that a caller wrote in a text but within a bound of the whole request', () => {
  const files = readdirSync(import.meta.dir, { recursive: true, encoding: 'utf8' }).map((file) => `/${file}`);
  const others = files.filter(
    (file) => /(?<!\.test)\.ts$/.test(file) && !OF_ANSWERS.some((name) => name.test(file)),
  );
  const reading = others.filter((file) =>
    /\b(parseJson|parseObject|parseInner|innerObject|JSON\.parse)\(?\b/.test(
      readFileSync(join(import.meta.dir, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, ''),
    ),
  );
  expect(reading).toEqual([]);
  expect(others.length).toBeGreaterThan(100);
});
