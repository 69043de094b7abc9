/**
 * Answers that nest as deeply as nobody means them, in what a model calls a tool with: whoever writes such a value down
 * again follows it by recursion, until the stack is full. Some wires have it as a text, which anyone passes on.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { type Operations, openOperations } from '../support/operations.ts';

const LEVELS = 200_000;
const DEEP = `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`;

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  await t.model(1, { named: 'gpt' });
  await t.model(14, { named: 'claude' });
  await t.model(24, { named: 'gemini' });
});
beforeEach(() => t.relay.setBalance(50_000_000));
afterAll(() => t.close());

const call = (args: string) => `{"id":"c","type":"function","function":{"name":"f","arguments":${args}}}`;
const chat = (args: string) =>
  `{"id":"x","object":"chat.completion","model":"gpt","choices":[{"index":0,"message":{"role":"assistant","content":null,
  "tool_calls":[${call(args)}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}}`;
const messages = `{"id":"x","type":"message","role":"assistant","model":"claude","content":[{"type":"tool_use","id":"c",
  "name":"f","input":${DEEP}}],"stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":7}}`;
const candidate = (part: string, more = '') =>
  `{"candidates":[{"content":{"role":"model","parts":[${part}]}${more}}],
  "usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":7,"totalTokenCount":12}}`.replaceAll('\n', '');
const called = `{"functionCall":{"name":"f","args":${DEEP}}}`;

const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
const asked = (model: string, stream: boolean) => ({
  model,
  stream,
  messages: [{ role: 'user', content: 'hi' }],
  tools,
  max_tokens: 20,
});
const askedOfMessages = (model: string) => ({
  model,
  max_tokens: 20,
  messages: [{ role: 'user', content: 'hi' }],
  tools: [{ name: 'f', input_schema: { type: 'object' } }],
});
const json = (text: string) =>
  t.answers(() => new Response(text, { headers: { 'content-type': 'application/json' } }));
const stream = (...frames: string[]) =>
  t.answers(
    () =>
      new Response(frames.map((frame) => `data: ${frame}\n\n`).join(''), {
        headers: { 'content-type': 'text/event-stream' },
      }),
  );

describe('arguments that nest beyond what anybody reads', () => {
  it.each([
    ['a chat’s value to who speaks it', 'gpt', () => chat(DEEP)],
    ['Anthropic’s to who speaks chats', 'claude', () => messages],
    ['Gemini’s to who speaks chats', 'gemini', () => candidate(called, ',"finishReason":"STOP"')],
  ])('are no answer: %s', async (_, model, answer) => {
    json(answer());
    const given = await t.post('/v1/chat/completions', asked(model, false));
    expect(given.status).toBe(502);
    expect((await given.json()).error.code).toBe('upstream_error');
    expect((await t.row()).quota).toBe(0);
  });

  it.each([
    ['/v1/chat/completions', asked('gpt', false)],
    ['/v1/messages', askedOfMessages('gpt')],
  ])('are what they are where they are a text: %s', async (path, body) => {
    json(chat(JSON.stringify(DEEP)));
    const given = await t.post(path, body);
    expect(given.status).toBe(200);
    expect((await given.text()).length).toBeGreaterThan(DEEP.length);
    expect((await t.row()).quota).toBeGreaterThan(0);
  });

  it('are left out of a stream, whose rest comes and is paid', async () => {
    stream(
      candidate('{"text":"before "}'),
      candidate(called),
      candidate('{"text":"after"}', ',"finishReason":"STOP"'),
    );
    const given = await t.post('/v1/chat/completions', asked('gemini', true));
    const text = await given.text();
    expect(text).toContain('before ');
    expect(text).toContain('after');
    expect(text).toEndWith('data: [DONE]\n\n');
    expect((await t.row()).quota).toBe(5 + 2 * 7);
  });

  it('are what they are where a request has them as a text', async () => {
    t.answers(messagesFor('fine'));
    const history = {
      ...asked('claude', false),
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: DEEP } }],
        },
        { role: 'tool', tool_call_id: 'c', content: DEEP },
      ],
    };
    const given = await t.post('/v1/chat/completions', history);
    expect(given.status).toBe(200);
    expect(JSON.stringify(t.lastSeen.body)).toContain('"_raw"');
  });
});

const messagesFor = (text: string) => ({
  id: 'x',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 5, output_tokens: 7 },
});
