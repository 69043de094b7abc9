/** The official client, unchanged. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import OpenAI from 'openai';
import { errorOf } from '../support/error-of.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

let relay: TestRelay;
let client: OpenAI;
beforeAll(async () => {
  relay = await openTestRelay();
  client = new OpenAI({ apiKey: relay.key, baseURL: `${relay.base}/v1`, maxRetries: 0 });
});
afterAll(() => relay.close());

const asked = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'hi' }] };

describe('the official client', () => {
  it('gets a whole answer', async () => {
    const answer = await client.chat.completions.create(asked);
    expect(answer.choices[0]?.message.content).toStartWith('w0 w1');
    expect(answer.usage?.total_tokens).toBe(37);
    expect(answer._request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('streams an answer, with its usage when it asks for it', async () => {
    const stream = await client.chat.completions.create({
      ...asked,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage = 0;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage?.completion_tokens ?? usage;
    }
    expect(text).toEndWith('w18 w19');
    expect(usage).toBe(20);
  });

  it('puts a stream together by its own helper', async () => {
    const answer = await client.chat.completions.stream(asked).finalChatCompletion();
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant' } });
  });

  it('lists models and finds one', async () => {
    const names = [];
    for await (const model of client.models.list()) names.push(model.id);
    expect(names).toEqual(['gpt-4o']);
    expect((await client.models.retrieve('gpt-4o')).object).toBe('model');
  });

  const create = (params: object) => () => client.chat.completions.create({ ...asked, ...params });

  it('raises its own errors', async () => {
    const stranger = new OpenAI({ apiKey: 'sk-wrong', baseURL: `${relay.base}/v1`, maxRetries: 0 });
    const refused = await errorOf(() => stranger.chat.completions.create(asked));
    expect(refused).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(await errorOf(create({ model: 'nope' }))).toBeInstanceOf(OpenAI.NotFoundError);
    expect(await errorOf(create({ max_tokens: -1 }))).toBeInstanceOf(OpenAI.BadRequestError);
    await relay.set({ RetryTimes: 0 });
    relay.upstream.next.push('429', '500');
    expect(await errorOf(create({}))).toBeInstanceOf(OpenAI.RateLimitError);
    expect(await errorOf(create({}))).toBeInstanceOf(OpenAI.InternalServerError);
  });

  it('raises an error for a stream that breaks off', async () => {
    relay.upstream.next.push('cut');
    const stream = await client.chat.completions.create({ ...asked, stream: true });
    const error = await errorOf(async () => {
      for await (const _chunk of stream);
    });
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect(String(error)).toContain('broke off');
  });
});
