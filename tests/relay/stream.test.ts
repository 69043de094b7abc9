import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { CALL_COST, type LogRow, openTestRelay, type TestRelay } from '../support/relay.ts';
import type { Behaviour } from '../support/upstream.ts';

let relay: TestRelay;
let calls = 0;

beforeAll(async () => {
  relay = await openTestRelay();
  const models = Object.fromEntries(
    ['gpt-4o', 'impatient', 'idle', 'pair', 'priced'].map((model) => [model, 1]),
  );
  await relay.set({ ModelRatio: models, RetryTimes: 0 });
  await relay.addChannel({ models: 'impatient', setting: '{"first_content_timeout":0.3}' });
  await relay.addChannel({ models: 'idle', setting: '{"idle_timeout":0.3}' });
});
afterAll(() => relay.close());
beforeEach(() => {
  relay.upstream.settings.delayMs = 0;
});

const lastRow = async (): Promise<LogRow> => {
  const row = (await relay.settled(++calls)).at(-1);
  if (!row) throw new Error('no row');
  expect((await relay.account()).reserved).toBe(0);
  return row;
};

/** Data of the frames of a stream. */
const frames = (text: string): string[] =>
  text
    .split(/\r?\n\r?\n/)
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => frame.slice('data: '.length));

const contentOf = (text: string): string =>
  frames(text)
    .filter((data) => data.startsWith('{"id"'))
    .map((data) => JSON.parse(data).choices[0]?.delta.content ?? '')
    .join('');

async function stream(behaviour: Behaviour, body = {}) {
  relay.upstream.next.push(behaviour);
  const answer = await relay.chat({ stream: true, ...body });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, row: await lastRow() };
}

const WORDS = Array.from({ length: 20 }, (_, i) => `w${i}`).join(' ');

describe('a stream', () => {
  it('passes on as it came, without the usage that nobody asked for, and is charged by it', async () => {
    const { status, headers, text, row } = await stream('ok');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(contentOf(text)).toBe(WORDS);
    expect(frames(text).at(-1)).toBe('[DONE]');
    expect(text).not.toContain('"usage":{');
    expect(row).toMatchObject({
      type: 2,
      quota: CALL_COST,
      prompt_tokens: 17,
      completion_tokens: 20,
      is_stream: true,
      other: { stream_end: 'done', usage_source: 'upstream' },
    });
    expect(row.other.frt).toBeGreaterThan(0);
  });

  it('shows the usage to whoever asks for it, before the end', async () => {
    const { text } = await stream('ok', { stream_options: { include_usage: true } });
    expect(JSON.parse(frames(text).at(-2) ?? '').usage.completion_tokens).toBe(20);
  });

  it('ends with a comment that says its cost, when asked', async () => {
    relay.upstream.next.push('ok');
    const headers = { authorization: `Bearer ${relay.key}`, 'x-include-cost': '1' };
    const text = await (await relay.chat({ stream: true }, { headers })).text();
    expect(text.endsWith(`: cost=${CALL_COST}\n\ndata: [DONE]\n\n`)).toBe(true);
    await lastRow();
  });

  it('shows its end only after it is settled', async () => {
    relay.upstream.next.push('ok');
    const answer = await relay.chat({ stream: true });
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.includes('[DONE]')) expect(await relay.reservations()).toEqual([]);
    }
    expect(text).toContain('[DONE]');
    await lastRow();
  });

  it.each(['gzip', 'crlf', 'slow'] as const)('that comes %s is passed on whole', async (behaviour) => {
    const { text, row } = await stream(behaviour);
    expect(contentOf(text)).toBe(WORDS);
    expect([row.quota, row.other.stream_end]).toEqual([CALL_COST, 'done']);
  });

  it('keeps a character whole that came in two pieces', async () => {
    const { text, row } = await stream('utf8');
    expect(contentOf(text)).toBe('汉字'.repeat(20));
    expect(row.quota).toBe(CALL_COST);
  });

  it('leaves out a frame that is no JSON', async () => {
    const { text, row } = await stream('garbage');
    expect(contentOf(text)).toBe(WORDS);
    expect(text).not.toContain('{not json');
    expect(row.quota).toBe(CALL_COST);
  });

  it('is complete when the answer says so, though the end marker is missing, and then gets one', async () => {
    const { text, row } = await stream('no-done');
    expect(frames(text).at(-1)).toBe('[DONE]');
    expect([row.quota, row.other.stream_end]).toEqual([CALL_COST, 'done']);
  });

  it('without usage is counted here', async () => {
    const { text, row } = await stream('no-usage');
    expect(contentOf(text)).toBe(WORDS);
    expect(row.other.usage_source).toBe('estimated');
    expect(row.prompt_tokens).toBe(8);
    expect(row.completion_tokens).toBeGreaterThanOrEqual(40);
    expect(row.completion_tokens).toBeLessThanOrEqual(60);
    expect(row.quota).toBe(row.prompt_tokens + row.completion_tokens);
  });

  it('of explicitly no usage is counted here, too', async () => {
    const { row } = await stream('usage-zero');
    expect(row).toMatchObject({ type: 2, prompt_tokens: 8, other: { usage_source: 'estimated' } });
    expect(row.completion_tokens).toBeWithin(40, 61);
  });

  it.each([
    ['500', 502, 'upstream_error'],
    ['429', 429, 'upstream_busy'],
    ['401', 502, 'upstream_auth'],
    ['400', 400, 'mock'],
    ['html', 502, 'upstream_error'],
    ['empty', 502, 'upstream_error'],
    ['reset-headers', 502, 'upstream_error'],
  ] as const)(
    'that fails with %s before its first content answers %i %s',
    async (behaviour, status, code) => {
      const answer = await stream(behaviour);
      expect(answer.status).toBe(status);
      expect(JSON.parse(answer.text).error.code).toBe(code);
      expect(answer.row).toMatchObject({ type: 6, quota: 0 });
    },
  );

  it('without content in time answers 504', async () => {
    const answer = await stream('hang', { model: 'impatient' });
    expect([answer.status, answer.row.type, answer.row.quota]).toEqual([504, 6, 0]);
    await relay.upstream.until((upstream) => upstream.chats.at(-1)?.leftEarly === true);
  });

  it.each([
    ['cut', 'upstream_cut', 'upstream_cut'],
    ['error-mid', 'upstream_error', 'upstream_cut'],
  ] as const)(
    'that ends by %s in the middle ends with an error event, and what came is charged',
    async (behaviour, code, end) => {
      const { status, text, row } = await stream(behaviour);
      expect(status).toBe(200);
      expect(contentOf(text)).toBe('w0 w1 w2 w3 w4 w5 w6 w7 w8 w9');
      expect(text).not.toContain('[DONE]');
      const { error } = JSON.parse(frames(text).at(-1) ?? '');
      expect(error.code).toBe(code);
      expect(error.message).toContain(row.request_id);
      expect(row).toMatchObject({ type: 2, other: { stream_end: end, usage_source: 'estimated' } });
      expect(row.completion_tokens).toBeGreaterThanOrEqual(20);
      expect(row.completion_tokens).toBeLessThanOrEqual(30);
      expect(row.quota).toBe(8 + row.completion_tokens);
    },
  );

  it('that falls silent in the middle ends at the idle deadline, and what came is charged', async () => {
    const { text, row } = await stream('hang-mid', { model: 'idle' });
    expect(JSON.parse(frames(text).at(-1) ?? '').error.code).toBe('upstream_timeout');
    expect(text).not.toContain('[DONE]');
    expect(row).toMatchObject({ type: 2, other: { stream_end: 'timeout' } });
    expect(row.quota).toBeGreaterThan(20);
  });

  it('with a frame beyond all bounds ends with an error event', async () => {
    const { text, row } = await stream('flood');
    expect(text).not.toContain('[DONE]');
    expect(row.other).toMatchObject({ stream_end: 'no_room', usage_source: 'held' });
  });

  it('of a price a call costs that once it has begun', async () => {
    await relay.set({ ModelPrice: { priced: 0.01 } });
    await relay.addChannel({ models: 'priced' });
    expect((await stream('cut', { model: 'priced' })).row.quota).toBe(5000);
    expect((await stream('empty', { model: 'priced' })).row.quota).toBe(0);
  });
});

describe('a stream whose first channel fails before the first content', () => {
  it.each(['500', 'reset-headers', 'empty', 'html'] as const)(
    'by %s is served by another one, and charged once',
    async (behaviour) => {
      await relay.set({ RetryTimes: 1 });
      const ids = [await relay.addChannel({ models: 'pair' }), await relay.addChannel({ models: 'pair' })];
      relay.upstream.next.push(behaviour, 'ok');
      const answer = await relay.chat({ stream: true, model: 'pair' });
      expect(contentOf(await answer.text())).toBe(WORDS);
      const row = await lastRow();
      expect(row.quota).toBe(CALL_COST);
      const { use_channel, attempts } = row.other.admin_info;
      expect(use_channel).toHaveLength(2);
      expect(new Set(use_channel).size).toBe(2);
      expect(attempts).toHaveLength(1);
      for (const id of ids) await relay.root.del(`/api/channel/${id}`);
      await relay.set({ RetryTimes: 0 });
    },
  );
});

describe('a caller who leaves', () => {
  /** Begins a stream and leaves it; resolves when the upstream has noticed or the call is settled. */
  async function leaveAfter(pieces: number, behaviour: Behaviour) {
    relay.upstream.settings.delayMs = 20;
    relay.upstream.next.push(behaviour);
    const caller = new AbortController();
    const asking = relay.chat({ stream: true }, { signal: caller.signal });
    const reader = (await asking).body?.getReader();
    for (let i = 0; i < pieces; i++) await reader?.read();
    caller.abort();
    await reader?.read().catch(() => undefined);
  }

  it.each([
    ['at the first content', 1],
    ['in the middle', 8],
  ] as const)('%s is charged by the usage that comes at the end', async (_when, pieces) => {
    await leaveAfter(pieces, 'ok');
    const row = await lastRow();
    expect(row).toMatchObject({
      type: 2,
      quota: CALL_COST,
      completion_tokens: 20,
      other: { stream_end: 'client_gone', usage_source: 'upstream' },
    });
  });

  it('is charged for what was produced when no usage comes', async () => {
    await leaveAfter(3, 'no-usage');
    const row = await lastRow();
    expect(row.other).toMatchObject({ stream_end: 'client_gone', usage_source: 'estimated' });
    expect(row.completion_tokens).toBeGreaterThanOrEqual(40);
  });

  it('is not read for longer than DrainSeconds', async () => {
    await relay.set({ DrainSeconds: 1 });
    const startedAt = performance.now();
    await leaveAfter(3, 'endless');
    const row = await lastRow();
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    expect(row.other.stream_end).toBe('client_gone');
    await relay.upstream.until((upstream) => upstream.chats.at(-1)?.leftEarly === true);
    // A frame each 20 ms, of more than one token each: what came while it was read on is paid for.
    const { framesSent = 0 } = relay.upstream.chats.at(-1) ?? {};
    expect(framesSent).toBeGreaterThan(20);
    expect(row.completion_tokens).toBeGreaterThan(framesSent);
    await relay.set({ DrainSeconds: 30 });
  });

  it('ends the call at once when DrainSeconds is 0, and pays for what came', async () => {
    await relay.set({ DrainSeconds: 0 });
    await leaveAfter(5, 'ok');
    const row = await lastRow();
    expect(row.other).toMatchObject({ stream_end: 'client_gone', usage_source: 'estimated' });
    expect(row.completion_tokens).toBeGreaterThan(0);
    expect(row.completion_tokens).toBeLessThan(40);
    await relay.upstream.until((upstream) => upstream.chats.at(-1)?.leftEarly === true);
    await relay.set({ DrainSeconds: 30 });
  });

  it('before the first content, and before the upstream has answered, costs nothing', async () => {
    await relay.set({ DrainSeconds: 0 });
    relay.upstream.next.push('held');
    const caller = new AbortController();
    const asking = relay.chat({ stream: true }, { signal: caller.signal }).catch(() => undefined);
    await relay.upstream.until((upstream) => upstream.heldNow === 1);
    caller.abort();
    await asking;
    await relay.upstream.until((upstream) => upstream.chats.at(-1)?.leftEarly === true);
    relay.upstream.release();
    expect(await lastRow()).toMatchObject({ type: 6, quota: 0, other: { error: 'client_gone' } });
    await relay.set({ DrainSeconds: 30 });
  });

  it('before the upstream has answered counts among those who are read on for', async () => {
    const { drains } = relay.api.deps.relay;
    relay.upstream.next.push('held');
    const caller = new AbortController();
    const asking = relay.handle(relay.chatRequest({ stream: true }, { signal: caller.signal }));
    await relay.upstream.until((upstream) => upstream.heldNow === 1);
    expect(drains.open).toBe(0);
    caller.abort();
    expect(drains.open).toBe(1);
    relay.upstream.release();
    await (await asking).text();
    await lastRow();
    expect(drains.open).toBe(0);
  });

  it('before the first content pays for the answer that comes all the same', async () => {
    relay.upstream.next.push('held');
    const caller = new AbortController();
    // In process the relay sees at once that the caller has left, so that the answer surely comes later.
    const asking = relay.handle(relay.chatRequest({ stream: true }, { signal: caller.signal }));
    await relay.upstream.until((upstream) => upstream.heldNow === 1);
    caller.abort();
    relay.upstream.release();
    await (await asking).text();
    expect(await lastRow()).toMatchObject({
      type: 2,
      quota: CALL_COST,
      other: { stream_end: 'client_gone' },
    });
  });
});
