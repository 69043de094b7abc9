/** Google's own client, unchanged, against upstreams that speak other dialects. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { ApiError, FinishReason, type FunctionDeclaration, GoogleGenAI, Type } from '@google/genai';
import { errorOf } from '../support/error-of.ts';
import { modelOf, openWireRelay, type WireRelay } from '../support/wire-relay.ts';
import { PIXEL, TOOL_RESULT } from '../support/wires.ts';

let t: WireRelay;
let client: GoogleGenAI;
const clientOf = (apiKey: string) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: t.relay.base } });
beforeAll(async () => {
  t = await openWireRelay();
  await t.relay.set({ RetryTimes: 0 });
  client = clientOf(t.relay.key);
});
afterAll(() => t.close());

const WEATHER = 'How is the weather?';
const getWeather: FunctionDeclaration = {
  name: 'get_weather',
  description: 'The weather in a city',
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] },
};

describe.each(['chat', 'responses', 'messages', 'cohere', 'tencent'] as const)(
  "contents on the wire '%s'",
  (wire) => {
    const model = modelOf(wire);

    it('are answered whole', async () => {
      const answer = await client.models.generateContent({ model, contents: 'Say hello.' });
      expect(answer.text).toBe('Hello wörld');
      expect(answer.candidates?.[0]?.finishReason).toBe(FinishReason.STOP);
      expect(answer.usageMetadata).toMatchObject({ promptTokenCount: 17, totalTokenCount: 37 });
      expect(answer.modelVersion).toBe(model);
    });

    it('are answered as a stream', async () => {
      const stream = await client.models.generateContentStream({ model, contents: 'Say hello.' });
      let [text, thoughts, total] = ['', '', 0];
      for await (const chunk of stream) {
        for (const part of chunk.candidates?.[0]?.content?.parts ?? []) {
          if (part.thought) thoughts += part.text ?? '';
          else text += part.text ?? '';
        }
        total = chunk.usageMetadata?.totalTokenCount ?? total;
      }
      expect([text, thoughts, total]).toEqual(['Hello wörld', 'hm', 37]);
    });

    it('call a function and go on with its result, in one chat', async () => {
      const config = { tools: [{ functionDeclarations: [getWeather] }] };
      const chat = client.chats.create({ model, config });
      const first = await chat.sendMessage({ message: WEATHER });
      const [call] = first.functionCalls ?? [];
      expect(call).toMatchObject({ name: 'get_weather', args: { city: 'Oslo' } });
      const second = await chat.sendMessage({
        message: {
          functionResponse: { id: call?.id, name: 'get_weather', response: { output: TOOL_RESULT } },
        },
      });
      expect(second.text).toBe('It is 7 degrees.');
    });
  },
);

describe.each(['chat', 'responses', 'messages'] as const)("on the wire '%s'", (wire) => {
  const model = modelOf(wire);

  it('an answer has the structure that was asked for', async () => {
    const answer = await client.models.generateContent({
      model,
      contents: 'Please answer as JSON.',
      config: {
        responseMimeType: 'application/json',
        responseSchema: {
          type: Type.OBJECT,
          properties: { answer: { type: Type.INTEGER } },
          required: ['answer'],
        },
      },
    });
    expect(JSON.parse(answer.text ?? '')).toEqual({ answer: 42 });
    expect(t.lastSeen.raw).toMatch(/\\?"answer\\?"/);
    expect(t.lastSeen.raw).toMatch(/\\?"integer\\?"/);
  });

  it('an image goes in', async () => {
    const answer = await client.models.generateContent({
      model,
      contents: [{ inlineData: { mimeType: 'image/png', data: PIXEL } }, 'What is this?'],
    });
    expect(answer.text).toBe('Hello wörld');
    expect(t.lastSeen.raw).toContain(PIXEL);
  });
});

it('models are listed, and one is found', async () => {
  const names = [];
  for await (const model of await client.models.list()) names.push(model.name);
  expect(names).toContain(`models/${modelOf('chat')}`);
  expect((await client.models.get({ model: modelOf('chat') })).name).toBe(`models/${modelOf('chat')}`);
});

describe('errors', () => {
  const ask = (from: GoogleGenAI, model: string) => () =>
    from.models.generateContent({ model, contents: 'hi' });

  it.each([
    [400, 400],
    [429, 429],
    [500, 502],
  ])('of an upstream with status %p are those of the real service', async (status, seen) => {
    t.wires.faults.push({ status });
    const error = await errorOf(ask(client, modelOf('messages')));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: seen });
  });

  it('of the gateway are those of the real service', async () => {
    const unknown = await errorOf(ask(client, 'nobody'));
    expect(unknown).toBeInstanceOf(ApiError);
    expect(unknown).toMatchObject({ status: 404 });
    expect(String(unknown)).toContain('NOT_FOUND');
    const refused = await errorOf(ask(clientOf('sk-wrong'), modelOf('chat')));
    expect(refused).toMatchObject({ status: 401 });
    expect(String(refused)).toContain('UNAUTHENTICATED');
  });

  it('break off a stream', async () => {
    t.wires.faults.push('cut');
    const error = await errorOf(async () => {
      const stream = await client.models.generateContentStream({ model: modelOf('chat'), contents: 'hi' });
      for await (const _ of stream);
    });
    expect(error).toBeInstanceOf(ApiError);
    expect(String(error)).toContain('broke off');
  });
});
