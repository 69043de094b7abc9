/** Anthropic's own client, unchanged, against upstreams that speak other dialects. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { z } from 'zod';
import { errorOf } from '../support/error-of.ts';
import { modelOf, openWireRelay, type WireRelay } from '../support/wire-relay.ts';
import { PIXEL, TOOL_RESULT } from '../support/wires.ts';

let t: WireRelay;
let client: Anthropic;
beforeAll(async () => {
  t = await openWireRelay();
  await t.relay.set({ RetryTimes: 0 });
  client = new Anthropic({ apiKey: t.relay.key, baseURL: t.relay.base, maxRetries: 0 });
});
afterAll(() => t.close());

const asked = (model: string, content: string) => ({
  model,
  max_tokens: 100,
  messages: [{ role: 'user' as const, content }],
});
const WEATHER = 'How is the weather?';
const tools: Anthropic.Tool[] = [
  {
    name: 'get_weather',
    description: 'The weather in a city',
    input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];

describe.each(['chat', 'responses', 'generateContent', 'cohere', 'tencent'] as const)(
  "messages on the wire '%s'",
  (wire) => {
    const model = modelOf(wire);

    it('are answered whole', async () => {
      const message = await client.messages.create(asked(model, 'Say hello.'));
      expect(message).toMatchObject({ type: 'message', role: 'assistant', model, stop_reason: 'end_turn' });
      expect(message.content).toMatchObject([
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'Hello wörld' },
      ]);
      const { input_tokens, cache_read_input_tokens, output_tokens } = message.usage;
      expect([input_tokens + (cache_read_input_tokens ?? 0), output_tokens]).toEqual([17, 20]);
      expect(message._request_id).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('are answered as a stream', async () => {
      const stream = client.messages.stream(asked(model, 'Say hello.'));
      const pieces: string[] = [];
      stream.on('text', (piece) => pieces.push(piece));
      const message = await stream.finalMessage();
      expect(pieces.join('')).toBe('Hello wörld');
      expect(message).toMatchObject({ stop_reason: 'end_turn', usage: { output_tokens: 20 } });
      expect(message.content).toMatchObject([{ type: 'thinking' }, { type: 'text', text: 'Hello wörld' }]);
    });

    it('call a tool and go on with its result, streamed and whole', async () => {
      for (const stream of [false, true]) {
        const body = { ...asked(model, WEATHER), tools };
        const first = stream
          ? await client.messages.stream(body).finalMessage()
          : await client.messages.create(body);
        expect(first.stop_reason).toBe('tool_use');
        const call = first.content.find((block) => block.type === 'tool_use');
        expect(call).toMatchObject({ name: 'get_weather', input: { city: 'Oslo' } });
        const second = await client.messages.create({
          ...body,
          messages: [
            { role: 'user', content: WEATHER },
            { role: 'assistant', content: first.content },
            {
              role: 'user',
              content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: TOOL_RESULT }],
            },
          ],
        });
        expect(second.content).toMatchObject([{ type: 'text', text: 'It is 7 degrees.' }]);
      }
    });
  },
);

describe.each(['chat', 'responses', 'generateContent'] as const)("on the wire '%s'", (wire) => {
  const model = modelOf(wire);

  it('an answer has the structure that was asked for', async () => {
    const message = await client.messages.parse({
      ...asked(model, 'Please answer as JSON.'),
      output_config: { format: zodOutputFormat(z.object({ answer: z.number() })) },
    });
    expect(message.parsed_output).toEqual({ answer: 42 });
    expect(t.lastSeen.raw).toMatch(/json/i);
    expect(t.lastSeen.raw).toMatch(/\\?"answer\\?"/);
  });

  it('an image goes in', async () => {
    const message = await client.messages.create({
      ...asked(model, ''),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
            { type: 'text', text: 'What is this?' },
          ],
        },
      ],
    });
    expect(message.content.at(-1)).toMatchObject({ type: 'text', text: 'Hello wörld' });
    expect(t.lastSeen.raw).toContain(PIXEL);
  });
});

it('models are listed, and one is found', async () => {
  const ids = [];
  for await (const model of client.models.list({ limit: 1000 })) ids.push(model.id);
  expect(ids).toContain(modelOf('chat'));
  expect(await client.models.retrieve(modelOf('chat'))).toMatchObject({ type: 'model', id: modelOf('chat') });
});

describe('errors', () => {
  it.each([
    [400, Anthropic.BadRequestError],
    [429, Anthropic.RateLimitError],
    [500, Anthropic.InternalServerError],
  ])('of an upstream with status %p are those of the real service', async (status, kind) => {
    t.wires.faults.push({ status });
    const error = await errorOf(() => client.messages.create(asked(modelOf('chat'), 'hi')));
    expect(error).toBeInstanceOf(kind);
  });

  it('of the gateway are those of the real service', async () => {
    const unknown = await errorOf(() => client.messages.create(asked('nobody', 'hi')));
    expect(unknown).toBeInstanceOf(Anthropic.NotFoundError);
    expect(unknown).toMatchObject({ type: 'not_found_error' });
    const stranger = new Anthropic({ apiKey: 'sk-wrong', baseURL: t.relay.base, maxRetries: 0 });
    const refused = await errorOf(() => stranger.messages.create(asked(modelOf('chat'), 'hi')));
    expect(refused).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(refused).toMatchObject({ type: 'authentication_error' });
    const missing = await errorOf(() => client.models.retrieve('nobody'));
    expect(missing).toBeInstanceOf(Anthropic.NotFoundError);
  });

  it('break off a stream', async () => {
    t.wires.faults.push('cut');
    const error = await errorOf(() => client.messages.stream(asked(modelOf('chat'), 'hi')).finalMessage());
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect(String(error)).toContain('broke off');
  });
});
