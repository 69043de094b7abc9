/** A conversation without a name stays where its prompt is cached; calls that no cache would keep go by weight alone. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { type Operations, openOperations } from '../support/operations.ts';

const KEYS = 5;
const TURNS = 12;
/** What an agent says before its conversations, and no cache passes over. */
const SYSTEM = 'Answer in one word. '.repeat(200);

let t: Operations;
const models = { gemini: '', openai: '', claude: '', weighed: '' };
beforeAll(async () => {
  t = await openOperations();
  const key = Array.from({ length: KEYS }, (_, n) => `sk-${n}`).join('\n');
  const many = { key, multi_key_mode: 'random' };
  models.gemini = await t.model(24, many);
  models.openai = await t.model(1, many);
  models.claude = await t.model(14, many);
  models.weighed = await t.model(1, { key: 'sk-light', weight: 1 });
  await t.model(1, { named: models.weighed, key: 'sk-heavy', weight: 3 });
  await t.relay.setBalance(500_000_000);
  t.answers(({ path }) => Response.json(ANSWERS[path.split(/[/:]/).at(-1) ?? ''] ?? null));
});
afterAll(() => t.close());

const ANSWERS: Readonly<Record<string, JsonObject>> = {
  completions: {
    id: 'c',
    choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 60, completion_tokens: 2 },
  },
  responses: {
    id: 'r',
    object: 'response',
    status: 'completed',
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] }],
    usage: { input_tokens: 60, output_tokens: 2 },
  },
  messages: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'ok' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 60, output_tokens: 2 },
  },
  generateContent: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 60, candidatesTokenCount: 2, totalTokenCount: 62 },
  },
};

/** Turns of a conversation as each wire has them: what the user says, and between that what was answered. */
type Talk = (said: readonly string[], system: string) => [path: string, body: JsonObject];
const messagesOf = (said: readonly string[]): JsonObject[] =>
  said.map((content, n) => ({ role: n % 2 ? 'assistant' : 'user', content }));
const TALKS: Readonly<Record<string, Talk>> = {
  'Chat Completions': (said, content) => [
    '/v1/chat/completions',
    { model: models.openai, messages: [{ role: 'system', content }, ...messagesOf(said)] },
  ],
  Responses: (said, instructions) => [
    '/v1/responses',
    { model: models.openai, store: false, instructions, input: messagesOf(said) },
  ],
  Messages: (said, system) => [
    '/v1/messages',
    { model: models.claude, max_tokens: 100, system, messages: messagesOf(said) },
  ],
  Gemini: (said, text) => [
    `/v1beta/models/${models.gemini}:generateContent`,
    {
      systemInstruction: { parts: [{ text }] },
      contents: said.map((each, n) => ({ role: n % 2 ? 'model' : 'user', parts: [{ text: each }] })),
    },
  ],
};

const keyUsed = () => {
  const { headers } = t.lastSeen;
  return headers.get('x-goog-api-key') ?? headers.get('x-api-key') ?? headers.get('authorization') ?? '';
};

async function keyFor([path, body]: ReturnType<Talk>, headers?: Record<string, string>): Promise<string> {
  const got = await t.post(path, body, headers);
  expect(got.status).toBe(200);
  await got.text();
  return keyUsed();
}

/** The keys that were asked at its turns. */
async function keysOf(talk: Talk, first: string, system = SYSTEM): Promise<Set<string>> {
  const said = [first];
  const keys = new Set<string>();
  for (let turn = 0; turn < TURNS; turn++) {
    keys.add(await keyFor(talk(said, system)));
    said.push('ok', `And ${turn}?`);
  }
  return keys;
}

describe.each(Object.entries(TALKS))('a conversation of %s without a name', (_wire, talk) => {
  it('stays with one key from its first turn on, and others go to others', async () => {
    const all = new Set<string>();
    for (let n = 0; n < 10; n++) {
      const keys = await keysOf(talk, `Question ${n}`);
      expect(keys.size).toBe(1);
      for (const key of keys) all.add(key);
    }
    expect(all.size).toBeGreaterThan(1);
  });

  it('goes by chance while it is too short to be cached', async () => {
    expect((await keysOf(talk, 'Question', 'Answer in one word.')).size).toBeGreaterThan(1);
  });
});

it('is its caller’s alone', async () => {
  const [path, body] = TALKS.Messages?.(['Question'], SYSTEM) ?? ['', {}];
  const keys = new Set<string>();
  for (let n = 0; n < 12; n++) {
    const token = await t.relay.addToken({}, await t.relay.api.createUser({ quota: 50_000_000 }));
    keys.add(await keyFor([path, body], { authorization: `Bearer ${token}` }));
  }
  expect(keys.size).toBeGreaterThan(1);
});

it('leaves calls that are alike, and short, to the weights', async () => {
  const body = { model: models.weighed, messages: messagesOf(['hi']) };
  let heavy = 0;
  for (let n = 0; n < 200; n++) {
    if ((await keyFor(['/v1/chat/completions', body])).endsWith('sk-heavy')) heavy++;
  }
  // 150 of 200, within six standard deviations.
  expect(heavy).toBeGreaterThan(113);
  expect(heavy).toBeLessThan(187);
});
