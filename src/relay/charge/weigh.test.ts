import { expect, it } from 'bun:test';
import fc from 'fast-check';
import type { JsonObject } from '../../core/json.ts';
import { noUsage, promptTokens, type Usage } from '../../core/usage.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { isTooFew, mayBeTooFew } from './plausible.ts';
import { type Came, weighed } from './weigh.ts';

const used = (more: Partial<Usage>): Usage => ({ ...noUsage(), ...more });

/** Of so many words, and an answer of so many bytes. */
function came(words: number, more: Partial<Came> & { fields?: JsonObject } = {}): Came {
  const { fields, ...rest } = more;
  const messages = [{ role: 'user', content: 'word '.repeat(words) }];
  const body: JsonObject = { model: 'm', messages, ...fields };
  return {
    request: {
      operation: 'chat',
      dialect: openaiChat,
      body,
      facts: openaiChat.readRequest(body, {}),
      userId: 1,
    },
    channel: { type: 1, baseUrl: 'https://gateway.example' },
    model: 'm',
    wire: 'openai-chat',
    runsTools: false,
    edits: {},
    isWhole: true,
    bytes: () => 40,
    isKept: () => true,
    countPrompt: async () => used({ input: words }),
    countOutput: async () => used({ output: 10 }),
    ...rest,
  };
}

/** Nothing may be counted. */
const uncounted: Partial<Came> = {
  countPrompt: () => Promise.reject(new Error('the prompt was counted')),
  countOutput: () => Promise.reject(new Error('the answer was counted')),
  isKept: () => {
    throw new Error('the answer was looked through');
  },
};

it('what is near is as it was told, and nothing is counted', async () => {
  const near = fc.tuple(fc.integer({ min: 1, max: 4_000 }), fc.integer({ min: 1, max: 4_000 }));
  await fc.assert(
    fc.asyncProperty(near, fc.double({ min: 0.25, max: 4, noNaN: true }), async ([words, output], times) => {
      const told = used({ input: Math.ceil(words * times), output });
      const given = await weighed(told, came(words, { ...uncounted, bytes: () => 20 * output }));
      expect(given).toEqual({ usage: told, isCounted: false });
    }),
  );
});

it('what is far is sought by bytes that allow it', () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.nat(1_000_000), (told, counted) => {
      // Text has two bytes a token and more.
      if (isTooFew(told, counted)) expect(mayBeTooFew(told, 2 * counted)).toBe(true);
    }),
  );
});

const CACHES = fc.record({ input: fc.nat(60_000), cacheRead: fc.nat(60_000), cacheWrite: fc.nat(9_000) });

it('a cache is meant by one of the two rules', async () => {
  const fields: JsonObject = { messages: [{ role: 'user', content: 'some words. '.repeat(9_000) }] };
  const wires = fc.constantFrom(['openai-chat', 'claude-opus-4-1'], ['anthropic-messages', 'gpt-5']);
  await fc.assert(
    fc.asyncProperty(CACHES, wires, async (counts, [wire = '', model = '']) => {
      const told = used({ ...counts, output: 9 });
      const { input, cacheRead, cacheWrite } = told;
      fc.pre(cacheRead + cacheWrite > 0);
      const { usage, isCounted } = await weighed(told, came(27_000, { wire, model, fields }));
      const others =
        wire === 'openai-chat'
          ? [input, input + cacheRead, input + cacheRead + cacheWrite]
          : [input, Math.max(input - cacheRead, 0)];
      expect(others).toContain(usage.input);
      expect({ ...usage, input }).toEqual(told);
      expect(isCounted).toBe(false);
    }),
    { numRuns: 60 },
  );
});

const WORDS = { type: 'text', text: 'word '.repeat(9_000) };
const PICTURE = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };

it.each<[string, Partial<Came> & { fields?: JsonObject }]>([
  ['at a vendor', { channel: { type: 1, baseUrl: 'https://api.x.ai' } }],
  ['by a type that stands for one', { channel: { type: 33, baseUrl: 'https://bedrock.example' } }],
  [
    'of what lies elsewhere',
    { fields: { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] } },
  ],
  ['with pictures', { fields: { messages: [{ role: 'user', content: [WORDS, PICTURE] }] } }],
  ['with what tools read', { runsTools: true }],
  ['that may have been summed up', { edits: { sumsUpFrom: 45_000 } }],
])('a cache is as it is told %s', async (_what, more) => {
  const wired = { wire: 'anthropic-messages', model: 'gpt-5', ...uncounted, ...more };
  const told = used({ input: 9_000, cacheRead: 8_000, output: 10 });
  expect((await weighed(told, came(9_000, wired))).usage).toEqual(told);
});

it.each<[string, Partial<Came>]>([
  ['too short to be summed up', { edits: { sumsUpFrom: 45_001 } }],
  // A count is then more than what was read, by which nothing is taken out.
  ['whatever was cleared', { edits: { clears: { results: 0 } } }],
])('a cache is told twice of a prompt %s', async (_what, more) => {
  const wired = { wire: 'anthropic-messages', model: 'gpt-5', ...more };
  const told = used({ input: 9_000, cacheRead: 8_000, output: 10 });
  expect((await weighed(told, came(9_000, wired))).usage).toEqual({ ...told, input: 1_000 });
});

it.each<[string, Came['edits'], input: number]>([
  ['as it is', {}, 5_000],
  ['too short to be cleared or summed up', { clears: { results: 61_000 }, sumsUpFrom: 61_000 }, 5_000],
  ['beside what may have been left out', { clears: { results: 60_000 } }, 1_000],
  ['beside what there is none of', { clears: { calls: 0, thoughts: 0 } }, 5_000],
  ['that may have been summed up', { sumsUpFrom: 60_000 }, 1_000],
])('a cache is beside the prompt of a Claude where all was read: %s', async (_what, edits, input) => {
  const told = used({ input: 1_000, cacheRead: 4_000, output: 10 });
  const messages = [
    { role: 'user', content: 'word '.repeat(5_000) },
    { role: 'tool', tool_call_id: 'a', content: 'word '.repeat(7_000) },
  ];
  const wired = { model: 'claude-opus-4-1', edits, fields: { messages } };
  expect((await weighed(told, came(9_000, wired))).usage).toEqual({ ...told, input });
});

it('an app is believed', async () => {
  const told = used({ input: 7, output: 1 });
  const dify = { ...uncounted, channel: { type: 37, baseUrl: '' }, bytes: () => 90_000 };
  expect(await weighed(told, came(9_000, dify))).toEqual({ usage: told, isCounted: false });
});

it('a half that is told as less than it can be is counted', async () => {
  const answer = { bytes: () => 9_000, countOutput: async () => used({ output: 2_000 }) };
  const both = await weighed(used({ input: 1, output: 1 }), came(3_000, answer));
  expect(both).toEqual({ usage: used({ input: 3_000, output: 2_000 }), isCounted: true });
  const prompt = await weighed(used({ input: 1, output: 9 }), came(3_000));
  expect(prompt).toEqual({ usage: used({ input: 3_000, output: 9 }), isCounted: true });
  expect(promptTokens((await weighed(used({ output: 9 }), came(3))).usage)).toBe(3);
  const searched = { ...answer, runsTools: true };
  expect((await weighed(used({ input: 9, output: 1 }), came(9, searched))).usage.output).toBe(2_000);
});
