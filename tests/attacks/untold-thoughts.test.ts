/**
 * Untold thoughts: a model thinks for thousands of tokens that nobody sees and answers by a word, and nothing but its
 * upstream's usage tells of them, which is not asked for, or is told in the total alone.
 */
import { afterAll, beforeAll, describe, expect, it, spyOn } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { isObject } from '../../src/core/json.ts';
import { openAttack } from '../support/attack.ts';
import { eventStream, type OperationSeen, type Operations } from '../support/operations.ts';
import { chatAnswer } from '../support/short-answers.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    whole: { type: 8, named: 'gemini-2.5-pro' },
    thinker: { type: 8, named: 'o4-mini' },
    refusing: { type: 8, named: 'o3', param_override: '{"stream_options":null}' },
  }));
  await t.relay.setBalance(100_000_000);
});
afterAll(() => t.close());

const TOLD = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 8_015 };
const tells = ({ body }: OperationSeen) =>
  isObject(body.stream_options) && body.stream_options.include_usage === true;
/** Usage comes where it was asked for. */
const answer = (seen: OperationSeen): Response =>
  seen.body.stream === true
    ? eventStream([
        { choices: [{ index: 0, delta: { role: 'assistant', content: 'Yes.' }, finish_reason: null }] },
        { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
        ...(tells(seen) ? [{ choices: [], usage: TOLD }] : []),
        '[DONE]',
      ])
    : Response.json(chatAnswer(TOLD, 'Yes.'));

async function ask(model: string, body: JsonObject = {}) {
  t.answers(answer);
  const messages = [{ role: 'user', content: 'hi' }];
  const response = await t.post('/v1/chat/completions', { model: models[model] ?? '', messages, ...body });
  expect(response.status).toBe(200);
  await response.text();
  return t.row();
}

describe('thoughts in the total alone', () => {
  it.each([false, true])('are paid (streamed: %p)', async (stream) => {
    const row = await ask('whole', { stream });
    expect(row).toMatchObject({ prompt_tokens: 10, completion_tokens: 8_005, quota: 10 + 2 * 8_005 });
    expect(row.other).toMatchObject({ usage_source: 'upstream' });
    expect(row.other.usage_suspect).toBeUndefined();
  });

  it('are believed as far as an answer is: a limit bounds both', async () => {
    expect(await ask('whole', { max_tokens: 8_000 })).toMatchObject({ completion_tokens: 8_005 });
    const row = await ask('whole', { max_tokens: 50 });
    expect(row.other).toMatchObject({ usage_source: 'estimated', usage_suspect: true });
    expect(row.quota).toBeLessThan(100);
  });
});

describe('a stream at a whole address', () => {
  it.each([{}, { stream_options: { include_usage: true } }, { stream_options: { include_usage: false } }])(
    'is asked for its usage: %j',
    async (options) => {
      const row = await ask('thinker', { stream: true, ...options });
      expect(row).toMatchObject({ completion_tokens: 8_005, other: { usage_source: 'upstream' } });
      expect(t.lastSeen.body.stream_options).toEqual({ include_usage: true });
    },
  );

  it('is not where its server refuses that, and root is told what it may cost', async () => {
    const { alerts, metrics } = t.relay.api.deps;
    const sent = spyOn(alerts, 'send');
    for (let n = 0; n < 3; n++) {
      expect(sent).not.toHaveBeenCalled();
      const row = await ask('refusing', { stream: true, stream_options: { include_usage: true } });
      expect(t.lastSeen.body).not.toHaveProperty('stream_options');
      // What was shown is charged: that nothing is told is no doing of who pays.
      expect(row.other).toMatchObject({ usage_source: 'estimated' });
      expect(row.quota).toBeLessThan(100);
    }
    await ask('refusing', { stream: true });
    expect(sent.mock.calls).toMatchObject([
      [{ type: 'usage_untold', content: { en: expect.stringContaining('thoughts') } }],
    ]);
    const { samples } = metrics.snapshot().tollgate_usage_untold_total ?? { samples: [] };
    expect(samples).toMatchObject([[expect.stringContaining('channel='), 4]]);
    sent.mockRestore();
  });
});
