/** Mistral's wire is OpenAI's but for what it has in lists, what it refuses and the order that it wants. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { objectOf, objectsOf } from '../../src/dialects/fields.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';
import { eventsOf } from '../support/surfaces.ts';

const MODEL = 'magistral-medium-latest';

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  await t.model(42, { named: MODEL });
});
afterAll(() => t.close());

const HI = { role: 'user', content: 'hi' };
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const thought = (text: string): JsonObject => ({ type: 'thinking', thinking: [{ type: 'text', text }] });
const CALL = { id: 'abcdefghi', function: { name: 'f', arguments: '{}' } };

const whole = (message: JsonObject, finish = 'stop'): JsonObject => ({
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: MODEL,
  choices: [{ index: 0, finish_reason: finish, message: { role: 'assistant', ...message } }],
  usage,
});
const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
  id: 'x',
  object: 'chat.completion.chunk',
  created: 1,
  model: MODEL,
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...(finish && { usage }),
});

const asked = async (body: JsonObject): Promise<Response> =>
  t.post('/v1/chat/completions', { model: MODEL, messages: [HI], ...body });

describe('what Mistral thinks', () => {
  it('is told beside the text of a whole answer, and charged as it says', async () => {
    t.answers(
      whole({ tool_calls: null, content: [thought('h'), thought('m'), { type: 'text', text: 'ok' }] }),
    );
    const body = (await (await asked({})).json()) as JsonObject;
    expect(objectsOf(body.choices)[0]?.message).toMatchObject({ content: 'ok', reasoning_content: 'hm' });
    expect(body.usage).toMatchObject(usage);
    expect((await t.row()).quota).toBe(20);
  });

  // Clients made for it never ask, and look at the first choice of each chunk.
  it.each([
    ['where that is asked for', { stream_options: { include_usage: true } }, 0],
    ['unasked', {}, 1],
  ])('is told beside the text of a stream, and charged as it says: %s', async (_, wish, choices) => {
    t.answers(() =>
      eventStream([
        chunk({ role: 'assistant', content: '' }),
        chunk({ content: [thought('h')] }),
        chunk({ content: [thought('m'), { type: 'text', text: 'o' }] }),
        chunk({ content: 'k' }, 'stop'),
        '[DONE]',
      ]),
    );
    const response = await asked({ stream: true, ...wish });
    const events = eventsOf(await response.text());
    const deltas = events.flatMap((event) => objectsOf(event.choices).map(({ delta }) => objectOf(delta)));
    const said = (field: string) => deltas.map((delta) => delta?.[field] ?? '').join('');
    expect([said('content'), said('reasoning_content')]).toEqual(['ok', 'hm']);
    expect(events.at(-1)?.usage).toMatchObject(usage);
    expect(objectsOf(events.at(-1)?.choices)).toHaveLength(choices);
    expect((await t.row()).quota).toBe(20);
  });

  it('is so told where answers are looked through for words', async () => {
    await t.relay.set({ CheckSensitiveOnCompletionEnabled: true, SensitiveWords: 'nowhere' });
    t.answers(whole({ content: [thought('hm'), { type: 'text', text: 'ok' }] }));
    const body = (await (await asked({})).json()) as JsonObject;
    await t.relay.set({ CheckSensitiveOnCompletionEnabled: false });
    expect(objectsOf(body.choices)[0]?.message).toMatchObject({ content: 'ok', reasoning_content: 'hm' });
    await t.row();
  });
});

it('its calls say that they are of functions', async () => {
  t.answers(whole({ content: '', tool_calls: [CALL] }, 'tool_calls'));
  const body = (await (await asked({})).json()) as JsonObject;
  expect(objectsOf(objectOf(objectsOf(body.choices)[0]?.message)?.tool_calls)).toEqual([
    { ...CALL, type: 'function' },
  ]);
  await t.row();
});

/** What goes up of these messages. */
async function sent(messages: JsonObject[], more: JsonObject = {}): Promise<JsonObject[]> {
  t.answers(whole({ content: 'ok' }));
  await (await asked({ messages, ...more })).json();
  await t.row();
  return objectsOf(t.lastSeen.body.messages);
}

describe('a message that Mistral is sent', () => {
  it('has no fields that it refuses', async () => {
    const call = { ...CALL, type: 'function', extra_content: { google: { thought_signature: 's' } } };
    const messages = await sent([
      { ...HI, name: 'eva' },
      {
        ...{ role: 'assistant', content: 'a', reasoning_content: 'hm', refusal: null, annotations: [] },
        tool_calls: [call],
      },
      { role: 'tool', tool_call_id: CALL.id, name: 'f', content: '1' },
    ]);
    expect(messages).toEqual([
      HI,
      { role: 'assistant', content: 'a', tool_calls: [{ ...CALL, type: 'function' }] },
      { role: 'tool', tool_call_id: CALL.id, name: 'f', content: '1' },
    ]);
  });

  it('is left out where nothing of it is left', async () => {
    const messages = await sent([HI, { role: 'assistant', content: '', reasoning_content: 'hm' }, HI]);
    expect(messages).toEqual([HI, HI]);
  });

  it('does not stand behind a result where it is a user’s', async () => {
    const call = { role: 'assistant', content: null, tool_calls: [{ ...CALL, type: 'function' }] };
    const result = { role: 'tool', tool_call_id: CALL.id, content: '1' };
    const messages = await sent([HI, call, result, HI]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(messages[3]?.content).toBeTruthy();
  });

  it('is a user’s where the system speaks once the talk has begun', async () => {
    const said = { role: 'assistant', content: 'a' };
    const messages = await sent([
      { role: 'developer', content: 'Be brief.' },
      HI,
      said,
      { role: 'system', content: 'Now.' },
    ]);
    expect(messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      HI,
      said,
      { role: 'user', content: 'Now.' },
    ]);
  });
});

it('has its own thoughts where its caller says them in its words', async () => {
  const content = [thought('hm'), { type: 'text', text: 'ok' }];
  const messages = await sent([HI, { role: 'assistant', content }, HI]);
  expect(messages[1]?.content).toEqual(content);
});

it('is told of tools that take nothing as of others', async () => {
  const tools = [{ type: 'function', function: { name: 'now' } }];
  await sent([HI], { tools });
  expect(t.lastSeen.body.tools).toEqual([
    { type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } },
  ]);
});
