/** The official OpenAI client reads every replayed stream that is written in its two dialects. */
import { describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { Accumulator, joinedText } from '../../src/dialects/accumulate.ts';
import type { ChatCodec } from '../../src/dialects/codec.ts';
import { objectsOf } from '../../src/dialects/fields.ts';
import type { ChatReply, StreamEvent } from '../../src/dialects/neutral.ts';
import { openaiChatCodec } from '../../src/dialects/openai-chat/codec.ts';
import { openaiResponsesCodec } from '../../src/dialects/openai-responses/codec.ts';
import type { Surface } from './mapping.ts';
import { chatDialects } from './mapping.ts';
import { streams } from './recordings.ts';

function eventsOf(wire: Surface, payloads: readonly object[]): StreamEvent[] {
  const reader = chatDialects.find(({ id }) => id === wire)?.codec.streamReader();
  if (!reader) throw new Error(`no dialect ${wire}`);
  const done = wire === 'openai-chat' ? ['[DONE]'] : [];
  const data = [...payloads.map((payload) => JSON.stringify(payload)), ...done];
  return [...data.flatMap((text) => reader.push({ event: '', data: text })), ...reader.end()];
}

/** A client whose every call is answered by this stream. */
function clientOf(codec: ChatCodec, surface: Surface, events: readonly StreamEvent[], end = ''): OpenAI {
  const writer = codec.streamWriter({
    model: 'asked',
    createdSec: 1_700_000_000,
    requestId: 'r1',
    request: { dialect: surface, model: 'asked', stream: true, messages: [], tools: [], extra: {} },
    wantsUsage: true,
  });
  const body = events.map((event) => writer.write(event)).join('') + end;
  const fetch = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  return new OpenAI({ apiKey: 'k', baseURL: 'http://gateway.example/v1', maxRetries: 0, fetch });
}

const chatOf = (events: readonly StreamEvent[]) =>
  clientOf(openaiChatCodec, 'openai-chat', events, 'data: [DONE]\n\n');
const responsesOf = (events: readonly StreamEvent[]) =>
  clientOf(openaiResponsesCodec, 'openai-responses', events);

const calls = (reply: ChatReply, kind?: 'function') =>
  (reply.choices[0]?.parts ?? []).flatMap((part) =>
    part.type === 'tool-call' && (!kind || part.kind === kind) ? [[part.name, part.input]] : [],
  );

const served = new Set(chatDialects.map(({ id }) => id));
const recordings = streams()
  .filter(({ wire }) => served.has(wire))
  .map(({ name, wire, payloads }) => {
    const events = eventsOf(wire, payloads);
    const stream = new Accumulator();
    for (const event of events) stream.push(event);
    return { name, events, reply: stream.reply, error: stream.error };
  });
const whole = recordings.filter(({ error }) => !error);
const failed = recordings.filter(({ error }) => error);

describe.each(whole.map((recording) => [recording.name, recording] as const))(
  '%s',
  (_name, { events, reply }) => {
    const text = joinedText(reply.choices[0]?.parts ?? []);

    test('is read as a chat completion', async () => {
      const stream = chatOf(events).chat.completions.stream({ model: 'asked', messages: [] });
      const { choices, usage } = await stream.finalChatCompletion();
      expect(choices[0]?.message.content ?? '').toBe(text);
      // The client puts functions together, and knows nothing yet of custom tools in streams.
      const called = objectsOf(choices[0]?.message.tool_calls).map(({ function: said }) => said);
      const functions = calls(reply, 'function').map(([name, input]) => ({ name, arguments: input }));
      expect(called.filter((said) => said !== undefined)).toMatchObject(functions);
      if (reply.usage) expect(usage?.total_tokens).toBeGreaterThan(0);
    });

    test('is read as a response', async () => {
      const response = await responsesOf(events)
        .responses.stream({ model: 'asked', input: 'hi' })
        .finalResponse();
      expect(response.output_text).toBe(text);
      const called = response.output.flatMap((item) => {
        if (item.type === 'function_call') return [[item.name, item.arguments]];
        return item.type === 'custom_tool_call' ? [[item.name, item.input]] : [];
      });
      expect(called).toEqual(calls(reply));
      if (reply.usage) expect(response.usage?.total_tokens).toBeGreaterThan(0);
    });
  },
);

describe.each(failed.map((recording) => [recording.name, recording] as const))(
  '%s',
  (_name, { events, error }) => {
    const expected = { message: expect.stringContaining(error?.message.slice(0, 20) ?? '') };

    test('is thrown as an error of the client', async () => {
      const drain = async (stream: AsyncIterable<unknown>) => {
        for await (const _ of stream);
      };
      const chat = chatOf(events)
        .chat.completions.create({ model: 'asked', messages: [], stream: true })
        .then(drain);
      await expect(chat).rejects.toMatchObject(expected);
      await expect(chat).rejects.toBeInstanceOf(OpenAI.APIError);
      const response = responsesOf(events)
        .responses.create({ model: 'asked', input: 'hi', stream: true })
        .then(drain);
      await expect(response).rejects.toMatchObject(expected);
      await expect(response).rejects.toBeInstanceOf(OpenAI.APIError);
    });
  },
);
