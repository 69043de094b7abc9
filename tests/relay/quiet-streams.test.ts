/** A stream whose model is long silent: its caller hears that it is there, and his client makes nothing of it. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { JsonObject } from '../../src/core/json.ts';
import { limits } from '../../src/core/limits.ts';
import { type Operations, openOperations } from '../support/operations.ts';
import { patience } from '../support/patience.ts';

const { holdHeadersMs, streamQuietMs } = limits;
const QUIET_MS = 20;
/** Who hears nothing waits for ever. */
const WAIT_MS = patience(20_000);

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ SelfUseModeEnabled: true });
  await t.relay.addChannel({ type: 8, base_url: t.base, models: 'quiet' });
  Object.assign(limits, { holdHeadersMs: QUIET_MS, streamQuietMs: QUIET_MS });
});
afterAll(async () => {
  Object.assign(limits, { holdHeadersMs, streamQuietMs });
  await t.close();
});

const chunk = (more: JsonObject) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'quiet', ...more })}\n\n`;
const says = (content: string) =>
  chunk({ choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] });
const END = [
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  chunk({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } }),
  'data: [DONE]\n\n',
].join('');

/** The upstream says something, if anything, and the rest when the caller has heard twice that it is there. */
function quietFor(first: string, mark: string) {
  const heard = Promise.withResolvers<void>();
  t.answers(
    () =>
      new Response(
        new ReadableStream({
          async start(controller) {
            const say = (text: string) => controller.enqueue(new TextEncoder().encode(text));
            say(first ? says(first) : ': busy\n\n');
            await heard.promise;
            say(says('two') + END);
            controller.close();
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
  );
  let got = '';
  const listening = async (input: RequestInfo | URL, init?: RequestInit) => {
    const response = await fetch(input, init);
    const { body } = response;
    if (!body) return response;
    const decoder = new TextDecoder();
    const through = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        got += decoder.decode(bytes, { stream: true });
        if (got.split(mark).length > 2) heard.resolve();
        controller.enqueue(bytes);
      },
    });
    return new Response(body.pipeThrough(through), response);
  };
  return { listening: Object.assign(listening, { preconnect: fetch.preconnect }), got: () => got };
}

const COMMENT = ': keep-alive\n';
/** What a reader makes of a stream who takes each blank line for the end of an event, as OpenAI's for Go does. */
const eventsIn = (stream: string): string[] =>
  stream
    .split('\n\n')
    .slice(0, -1)
    .map((lines) => lines.replace(/^:.*\n?/gm, ''));
const PING = 'event: ping\ndata: {"type":"ping"}\n\n';

describe.each([
  ['before its first word', ''],
  ['behind a word', 'one '],
])('%s', (_, first) => {
  const whole = `${first}two`;

  it(
    "OpenAI's client has a chat",
    async () => {
      const { listening, got } = quietFor(first, COMMENT);
      const client = new OpenAI({ apiKey: t.relay.key, baseURL: `${t.relay.base}/v1`, fetch: listening });
      const stream = client.chat.completions.stream({
        model: 'quiet',
        messages: [{ role: 'user', content: 'Hi' }],
        stream_options: { include_usage: true },
      });
      const { choices, usage } = await stream.finalChatCompletion();
      expect([choices[0]?.message.content, usage?.total_tokens]).toEqual([whole, 5]);
      expect(got()).toContain(COMMENT);
      expect(eventsIn(got())).not.toContain('');
      expect((await t.row()).completion_tokens).toBe(2);
    },
    WAIT_MS,
  );

  it(
    'and a response',
    async () => {
      const { listening, got } = quietFor(first, COMMENT);
      const client = new OpenAI({ apiKey: t.relay.key, baseURL: `${t.relay.base}/v1`, fetch: listening });
      const stream = client.responses.stream({ model: 'quiet', input: 'Hi' });
      expect((await stream.finalResponse()).output_text).toBe(whole);
      expect(eventsIn(got())).not.toContain('');
      expect((await t.row()).completion_tokens).toBe(2);
    },
    WAIT_MS,
  );

  it(
    "Anthropic's client a message",
    async () => {
      const { listening } = quietFor(first, PING);
      const client = new Anthropic({ apiKey: t.relay.key, baseURL: t.relay.base, fetch: listening });
      const stream = client.messages.stream({
        model: 'quiet',
        max_tokens: 50,
        messages: [{ role: 'user', content: 'Hi' }],
      });
      expect((await stream.finalMessage()).content).toMatchObject([{ type: 'text', text: whole }]);
      expect((await t.row()).completion_tokens).toBe(2);
    },
    WAIT_MS,
  );
});
