/** An answer that OpenAI ends for what was asked: whoever else is asked would end it, too, so that nobody is. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';

const MODEL = 'gpt-6.2-astra';
const RESPONSE = { id: 'resp_1', object: 'response', model: MODEL, output: [] };

let t: Operations;

beforeAll(async () => {
  t = await openOperations();
  const setting = JSON.stringify({ proxy: t.base });
  const openai = { type: 1, base_url: 'http://api.openai.com', setting, models: MODEL };
  for (let n = 0; n < 2; n++) await t.relay.addChannel(openai);
  await t.relay.setBalance(5_000_000);
});

afterAll(() => t.close());

const failed = (code: string): JsonObject => ({
  ...RESPONSE,
  status: 'failed',
  error: { code, message: 'This content was flagged.' },
});

const asStream = (code: string) =>
  eventStream([
    { type: 'response.created', response: { ...RESPONSE, status: 'in_progress' } },
    { type: 'response.failed', response: failed(code) },
  ]);

async function ask(code: string, stream: boolean) {
  let asked = 0;
  t.answers(() => {
    asked++;
    return stream ? asStream(code) : Response.json(failed(code));
  });
  const answer = await t.post('/v1/responses', { model: MODEL, stream, input: 'hi' });
  const body = (await answer.json()) as { error: { code: string } };
  return { asked, status: answer.status, code: body.error.code };
}

const REFUSALS = ['invalid_prompt', 'bio_policy', 'misalignment_policy_violation', 'image_too_large'];

it.each(REFUSALS.flatMap((code) => [true, false].map((stream) => ({ code, stream }))))(
  'asks nobody else and says why: %j',
  async ({ code, stream }) => {
    expect(await ask(code, stream)).toEqual({ asked: 1, status: 400, code });
  },
);

it.each([true, false])(
  'asks the next one where its upstream has failed by itself (stream: %p)',
  async (stream) => {
    expect((await ask('server_error', stream)).asked).toBe(2);
  },
);
