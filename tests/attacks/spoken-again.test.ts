/**
 * The sound of an earlier answer by its id: a few bytes that may be a quarter of an hour, which is read as often as it is
 * named, and which only the account at the vendor has, whoever of its callers it was made for.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack, storm } from '../support/attack.ts';
import { eventStream, type Operations } from '../support/operations.ts';
import { chatAnswer } from '../support/short-answers.ts';
import { secondsOf } from '../support/sound.ts';

const MODEL = 'gpt-4o-audio-preview';
const OPEN = 'gpt-audio';
const PATH = '/v1/chat/completions';
/** Eight hundred seconds, of an answer whose limit is 16,384 tokens. */
const SPOKEN = 16_000;
const TIMES = 7;
/** Units a token. */
const HEARD = 20;

let t: Operations;
beforeAll(async () => {
  ({ t } = await openAttack({
    kept: { type: 1, named: MODEL, key: 'sk-one\nsk-other', multi_key_mode: 'random' },
    shared: { type: 1, named: OPEN, setting: JSON.stringify({ shared_context: true }) },
  }));
  const both = (ratio: number) => ({ [MODEL]: ratio, [OPEN]: ratio });
  await t.price({
    ModelRatio: both(1.25),
    CompletionRatio: both(4),
    AudioRatio: both(HEARD / 1.25),
    AudioCompletionRatio: both(2),
  });
});
afterAll(() => t.close());

let offBefore = 0;
beforeEach(async () => {
  offBefore = await t.relay.writtenOff();
});

const speaks = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'mp3' } };
const asked = { ...speaks, messages: [{ role: 'user', content: 'A story.' }], max_completion_tokens: 16_384 };
const usageOf = (spoken: number) => ({
  prompt_tokens: 20,
  completion_tokens: spoken,
  completion_tokens_details: { audio_tokens: spoken },
});
const sound = (id: string, data = '') => ({ id, data, transcript: 'long', expires_at: 2e9 });

let ids = 0;
const ANSWERS: Record<string, (id: string, spoken: number) => JsonObject | Response> = {
  whole: (id, spoken) => chatAnswer(usageOf(spoken), '', { content: null, audio: sound(id) }),
  streamed: (id, spoken) =>
    eventStream([
      { choices: [{ index: 0, delta: { role: 'assistant', audio: { id, transcript: 'long' } } }] },
      { choices: [{ index: 0, delta: { audio: { data: 'AAAA' } } }] },
      { choices: [{ index: 0, delta: { audio: { expires_at: 2e9 } }, finish_reason: 'stop' }] },
      { choices: [], usage: usageOf(spoken) },
      '[DONE]',
    ]),
};
/** One answer that has spoken so long; its id. */
async function spoke(spoken: number, how: keyof typeof ANSWERS = 'whole'): Promise<string> {
  const id = `audio_${++ids}`;
  await t.relay.setBalance(100_000_000);
  const body = { ...asked, ...(how === 'streamed' && { stream: true }) };
  const answer = () => ANSWERS[how]?.(id, spoken) ?? {};
  expect(await storm(t, { model: MODEL, path: PATH, body, answer }, 1)).toBe(1);
  return id;
}

const again = (audio: JsonObject, times = TIMES): JsonObject => ({
  messages: [
    ...Array.from({ length: times }, () => ({ role: 'assistant', audio })),
    { role: 'user', content: 'Of what?' },
  ],
  max_completion_tokens: 16,
});
/** So many calls that hear as much again; how many went up. */
const hear = (body: JsonObject, heard: number, calls: number, model = MODEL): Promise<number> => {
  const usage = {
    prompt_tokens: heard + 60,
    prompt_tokens_details: { audio_tokens: heard },
    completion_tokens: 1,
  };
  return storm(t, { model, path: PATH, body, answer: () => chatAnswer(usage, 'Cats') }, calls);
};

describe.each([
  ['by its id', {}],
  ['by its id beside other data', { data: 'AAAA' }],
])('a long answer %s', (_, beside) => {
  it.each(['whole', 'streamed'])('that came %s is not heard on credit', async (how) => {
    const audio = { id: await spoke(SPOKEN, how), ...beside };
    await t.relay.setBalance(Math.floor(TIMES * SPOKEN * HEARD * 0.9));
    expect(await hear(again(audio), TIMES * SPOKEN, 6)).toBe(0);
    await t.relay.setBalance(Math.floor(TIMES * SPOKEN * HEARD * 2.5));
    expect(await hear(again(audio), TIMES * SPOKEN, 6)).toBe(2);
    expect(await t.relay.writtenOff()).toBe(offBefore);
  });

  it('that nobody remembers is held as the longest, where it may be named', async () => {
    const audio = { id: 'audio_of_nobody', ...beside };
    await t.relay.setBalance(Math.floor(TIMES * SPOKEN * HEARD * 0.9));
    expect(await hear(again(audio), TIMES * SPOKEN, 6, OPEN)).toBe(0);
    expect(await t.relay.writtenOff()).toBe(offBefore);
  });
});

it('a short answer is heard again for what it was', async () => {
  const id = await spoke(200);
  await t.relay.setBalance(3 * 200 * HEARD * 1.5);
  expect(await hear(again({ id }, 3), 3 * 200, 1)).toBe(1);
  // As clients send it back that send back all of it: ten seconds.
  const data = secondsOf(10).toString('base64');
  await t.relay.setBalance(3 * 200 * HEARD * 1.5);
  expect(await hear(again({ id, data }, 3), 3 * 200, 1)).toBe(1);
  expect(await t.relay.writtenOff()).toBe(offBefore);
});

describe('the id of an answer', () => {
  const ask = async (audio: JsonObject, key: string) => {
    const body = { model: MODEL, ...again(audio, 1) };
    const response = await t.post(PATH, body, { authorization: `Bearer ${key}` });
    return { status: response.status, answer: await response.json() };
  };

  it('goes to the account that has it', async () => {
    const id = await spoke(200);
    const keyUsed = () => t.lastSeen.headers.get('authorization');
    const speaker = keyUsed();
    t.answers(() => Response.json(chatAnswer(usageOf(0), 'Cats')));
    for (let n = 0; n < 8; n++) {
      expect((await ask({ id }, t.relay.key)).status).toBe(200);
      expect(keyUsed()).toBe(speaker);
    }
  });

  it("is nobody else's to name, and goes up from nobody who makes one up", async () => {
    const id = await spoke(200);
    t.answers(() => Response.json(chatAnswer(usageOf(0), 'Cats')));
    const stranger = await t.relay.api.createUser({ quota: 100_000_000 });
    const strangers = await t.relay.addToken({}, stranger);
    const seen = t.seen.length;
    for (const [audio, key] of [
      [{ id }, strangers],
      [{ id, data: 'AAAA' }, strangers],
      [{ id: 'audio_made_up' }, t.relay.key],
      [{ id: [id] }, t.relay.key],
    ] as [JsonObject, string][]) {
      expect(await ask(audio, key)).toMatchObject({
        status: 400,
        answer: { error: { code: 'shared_context_refused', param: 'messages[0].audio.id' } },
      });
    }
    expect(t.seen).toHaveLength(seen);
    expect((await ask({ id }, t.relay.key)).status).toBe(200);
    expect(t.lastSeen.body.messages).toEqual(again({ id }, 1).messages);
  });
});
