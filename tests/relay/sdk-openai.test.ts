/** OpenAI's own client, unchanged, against upstreams that speak other dialects. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { errorOf } from '../support/error-of.ts';
import { modelOf, openWireRelay, type WireRelay } from '../support/wire-relay.ts';
import { PIXEL, TOOL_RESULT } from '../support/wires.ts';

let t: WireRelay;
let client: OpenAI;
beforeAll(async () => {
  t = await openWireRelay();
  await t.relay.set({ RetryTimes: 0 });
  client = new OpenAI({ apiKey: t.relay.key, baseURL: `${t.relay.base}/v1`, maxRetries: 0 });
});
afterAll(() => t.close());

const WEATHER = 'How is the weather?';
const JSON_ASK = 'Please answer as JSON.';
const Answer = z.object({ answer: z.number() });
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const image = `data:image/png;base64,${PIXEL}`;

describe.each(['messages', 'generateContent', 'responses', 'cohere', 'tencent'] as const)(
  "chats on the wire '%s'",
  (wire) => {
    const model = modelOf(wire);
    const asked = (content: string) => ({ model, messages: [{ role: 'user' as const, content }] });

    it('are answered whole', async () => {
      const answer = await client.chat.completions.create(asked('Say hello.'));
      expect(answer.choices[0]).toMatchObject({
        finish_reason: 'stop',
        message: { role: 'assistant', content: 'Hello wörld' },
      });
      expect(answer.usage).toMatchObject({ prompt_tokens: 17, completion_tokens: 20, total_tokens: 37 });
      expect([answer.model, answer._request_id]).toEqual([model, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    });

    it('are answered as a stream', async () => {
      const stream = client.chat.completions.stream({
        ...asked('Say hello.'),
        stream_options: { include_usage: true },
      });
      const pieces: string[] = [];
      stream.on('content', (piece) => pieces.push(piece));
      const { choices, usage } = await stream.finalChatCompletion();
      expect(choices[0]?.message.content).toBe('Hello wörld');
      expect(pieces.join('')).toBe('Hello wörld');
      expect(usage?.completion_tokens).toBe(20);
    });

    it('call tools and get their results', async () => {
      for (const stream of [false, true]) {
        const cities: string[] = [];
        const runner = client.chat.completions.runTools({
          ...asked(WEATHER),
          stream,
          tools: [
            {
              type: 'function',
              function: {
                name: 'get_weather',
                description: 'The weather in a city',
                parameters,
                parse: (text: string): { city: string } => JSON.parse(text),
                function: ({ city }: { city: string }) => {
                  cities.push(city);
                  return TOOL_RESULT;
                },
              },
            },
          ],
        } as Parameters<typeof client.chat.completions.runTools>[0]);
        expect(await runner.finalContent()).toBe('It is 7 degrees.');
        expect(cities).toEqual(['Oslo']);
      }
    });
  },
);

describe.each(['messages', 'generateContent', 'responses'] as const)("on the wire '%s'", (wire) => {
  const model = modelOf(wire);

  it('an answer has the structure that was asked for', async () => {
    const completion = await client.chat.completions.parse({
      model,
      messages: [{ role: 'user', content: JSON_ASK }],
      response_format: zodResponseFormat(Answer, 'answer'),
    });
    expect(completion.choices[0]?.message.parsed).toEqual({ answer: 42 });
    // The upstream was told so in its own words, not just by luck of the answer.
    expect(t.lastSeen.raw).toMatch(/json/i);
    expect(t.lastSeen.raw).toMatch(/\\?"answer\\?"/);
  });

  it('an image goes in', async () => {
    const completion = await client.chat.completions.create({
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: image } },
          ],
        },
      ],
    });
    expect(completion.choices[0]?.message.content).toBe('Hello wörld');
    expect(t.lastSeen.raw).toContain(PIXEL);
  });
});

describe.each(['chat', 'messages', 'generateContent', 'tencent'] as const)(
  "responses on the wire '%s'",
  (wire) => {
    const model = modelOf(wire);

    it('are answered whole', async () => {
      const response = await client.responses.create({ model, input: 'Say hello.' });
      expect(response).toMatchObject({ object: 'response', status: 'completed', output_text: 'Hello wörld' });
      expect(response.usage).toMatchObject({ input_tokens: 17, output_tokens: 20, total_tokens: 37 });
    });

    it('are answered as a stream, its events in order', async () => {
      const stream = client.responses.stream({ model, input: 'Say hello.' });
      const numbers: number[] = [];
      const types: string[] = [];
      for await (const event of stream) {
        numbers.push(event.sequence_number);
        types.push(event.type);
      }
      expect(numbers).toEqual(numbers.map((_, at) => at));
      expect(types.slice(0, 3)).toEqual([
        'response.created',
        'response.in_progress',
        'response.output_item.added',
      ]);
      expect(types.at(-1)).toBe('response.completed');
      const response = await stream.finalResponse();
      expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
      expect(response.output_text).toBe('Hello wörld');
    });

    it('call a tool and go on with its result', async () => {
      const tools: OpenAI.Responses.Tool[] = [
        { type: 'function', name: 'get_weather', parameters, strict: false },
      ];
      const first = await client.responses.create({ model, input: WEATHER, tools });
      const [call] = first.output.filter((item) => item.type === 'function_call');
      expect(call).toMatchObject({ name: 'get_weather', arguments: '{"city":"Oslo"}' });
      const second = await client.responses.create({
        model,
        tools,
        input: [
          { role: 'user', content: WEATHER },
          ...(first.output as OpenAI.Responses.ResponseInputItem[]),
          { type: 'function_call_output', call_id: call?.call_id ?? '', output: TOOL_RESULT },
        ],
      });
      expect(second.output_text).toBe('It is 7 degrees.');
    });
  },
);

describe.each(['chat', 'messages', 'generateContent'] as const)("responses on the wire '%s'", (wire) => {
  const model = modelOf(wire);

  it('have the structure that was asked for, and take images', async () => {
    const parsed = await client.responses.parse({
      model,
      input: JSON_ASK,
      text: { format: zodTextFormat(Answer, 'answer') },
    });
    expect(parsed.output_parsed).toEqual({ answer: 42 });
    await client.responses.create({
      model,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', image_url: image, detail: 'auto' },
          ],
        },
      ],
    });
    expect(t.lastSeen.raw).toContain(PIXEL);
  });
});

describe('errors', () => {
  const chat = (model: string) => () =>
    client.chat.completions.create({ model, messages: [{ role: 'user', content: 'hi' }] });
  const respond = (model: string) => () => client.responses.create({ model, input: 'hi' });

  it.each([
    [400, OpenAI.BadRequestError],
    [429, OpenAI.RateLimitError],
    [500, OpenAI.InternalServerError],
  ])('of an upstream with status %p are those of the real service', async (status, kind) => {
    for (const call of [chat(modelOf('messages')), respond(modelOf('generateContent'))]) {
      t.wires.faults.push({ status });
      expect(await errorOf(call)).toBeInstanceOf(kind);
    }
  });

  it('of the gateway are those of the real service', async () => {
    for (const make of [chat, respond]) {
      const unknown = await errorOf(make('nobody'));
      expect(unknown).toBeInstanceOf(OpenAI.NotFoundError);
      expect(unknown).toMatchObject({ code: 'model_not_found' });
    }
    const stranger = new OpenAI({ apiKey: 'sk-wrong', baseURL: `${t.relay.base}/v1`, maxRetries: 0 });
    const refused = await errorOf(() => stranger.responses.create({ model: modelOf('chat'), input: 'hi' }));
    expect(refused).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(refused).toMatchObject({ code: 'invalid_api_key' });
    const unkept = await errorOf(() =>
      client.responses.create({ model: modelOf('chat'), input: 'hi', previous_response_id: 'resp_none' }),
    );
    expect(unkept).toBeInstanceOf(OpenAI.BadRequestError);
    expect(unkept).toMatchObject({ code: 'previous_response_not_found', param: 'previous_response_id' });
  });

  it('break off a stream', async () => {
    t.wires.faults.push('cut', 'cut');
    const drain = async (stream: AsyncIterable<unknown>) => {
      for await (const _ of stream);
    };
    const model = modelOf('messages');
    const messages = [{ role: 'user' as const, content: 'hi' }];
    expect(
      await errorOf(async () =>
        drain(await client.chat.completions.create({ model, messages, stream: true })),
      ),
    ).toBeInstanceOf(OpenAI.APIError);
    expect(
      await errorOf(async () => drain(await client.responses.create({ model, input: 'hi', stream: true }))),
    ).toBeInstanceOf(OpenAI.APIError);
  });
});
