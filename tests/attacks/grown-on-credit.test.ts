/**
 * Long answers on credit: a stream without a limit is held for as it grows. What is held for something else, and will be
 * charged beside it, is no room of the answer.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack, released } from '../support/attack.ts';
import { eventStream, type OperationSeen, type Operations } from '../support/operations.ts';

let t: Operations;
let models: Record<string, string>;
const SYSTEM = 'a '.repeat(20_000);
beforeAll(async () => {
  ({ t, models } = await openAttack({
    gateway: { type: 1, named: 'claude-opus-4-6', setting: { allow_dearer: true } },
    openai: { type: 1, named: 'gpt-4.1', setting: { allow_dearer: true } },
    talkative: { type: 1, setting: { system_prompt: SYSTEM } },
  }));
});
let offBefore = 0;
beforeEach(async () => {
  offBefore = await t.relay.writtenOff();
});
afterAll(() => t.close());

const SAID = 'the quick brown fox '.repeat(5_000);
const PROMPT = 20_000;
/** What is held for an answer whose length nobody knows, and for a summary. */
const [AT_FIRST, SUMMARY] = [4_096, 32_768];
/** What stands around a message and an answer. */
const FRAMES = 7;
/** Two readings, and what is written, at two units a token. */
const SUMMED_UP = 2 * (SAID.length / 2 + FRAMES) + SUMMARY + 2 * (SUMMARY + AT_FIRST);

/** Of a thousand tokens. */
const PIECE = 'aa '.repeat(1_000);

interface Stream {
  model: string;
  path: string;
  body: JsonObject;
  held: number;
  pieces: number;
  piece: JsonObject;
  /** What it came to. */
  end(output: number): (JsonObject | string)[];
}

const chat = (prompt: number, summary: number): Pick<Stream, 'path' | 'piece' | 'end'> => ({
  path: '/v1/chat/completions',
  piece: { object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: PIECE } }] },
  end: (output) => [
    { object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    {
      object: 'chat.completion.chunk',
      choices: [],
      usage: { prompt_tokens: prompt, completion_tokens: output + summary },
    },
    '[DONE]',
  ],
});

const STREAMS: Record<string, Stream> = {
  'a summary on the chat wire': {
    ...chat(2 * PROMPT + SUMMARY, SUMMARY),
    model: 'gateway',
    body: {
      messages: [{ role: 'user', content: SAID }],
      context_management: { edits: [{ type: 'compact_20260112', trigger: { value: 50_000 } }] },
    },
    held: SUMMED_UP,
    pieces: 60,
  },
  'a summary of Responses': {
    model: 'openai',
    path: '/v1/responses',
    body: { input: SAID, context_management: [{ type: 'compaction', compact_threshold: 50_000 }] },
    held: SUMMED_UP,
    pieces: 60,
    piece: { type: 'response.output_text.delta', item_id: 'm', output_index: 0, delta: PIECE },
    end: (output) => {
      const usage = { input_tokens: 2 * PROMPT + SUMMARY, output_tokens: output + SUMMARY };
      return [{ type: 'response.completed', response: { id: 'r', status: 'completed', output: [], usage } }];
    },
  },
  'what the channel says before the prompt': {
    ...chat(SYSTEM.length / 2, 0),
    model: 'talkative',
    body: { messages: [{ role: 'user', content: 'hi' }] },
    held: SYSTEM.length / 2 + 1 + FRAMES + 2 * AT_FIRST,
    pieces: 11,
  },
};

/** Piece by piece, slowly enough that more can be held on the way. */
const growing =
  ({ piece, pieces, end }: Stream) =>
  ({ signal }: OperationSeen) => {
    let sent = 0;
    const bytes = new ReadableStream<Uint8Array>({
      async pull(to) {
        await Bun.sleep(25);
        if (signal.aborted) return to.close();
        to.enqueue(await eventStream(sent++ < pieces ? [piece] : end(1_000 * pieces)).bytes());
        if (sent > pieces) to.close();
      },
    });
    return new Response(bytes, { headers: { 'content-type': 'text/event-stream' } });
  };

it.each(Object.entries(STREAMS))('are not written on what is held for %s', async (_, stream) => {
  const asked = { model: models[stream.model] ?? '', ...stream.body, stream: true };
  t.answers(growing(stream));
  await t.relay.setBalance(stream.held + 500);
  const text = await (await t.post(stream.path, asked)).text();
  await released(t);
  expect(text.includes('insufficient_user_quota')).toBe(true);
  expect((await t.relay.logs()).at(-1)?.other).toMatchObject({ stream_end: 'exhausted' });
  expect(await t.relay.writtenOff()).toBe(offBefore);
});
