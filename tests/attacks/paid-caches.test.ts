/** What an upstream keeps of a prompt at a fee, and for how long: nobody has it kept for less than it costs. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack } from '../support/attack.ts';
import type { Operations } from '../support/operations.ts';
import { responsesAnswer } from '../support/short-answers.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    ark: { type: 45, named: 'doubao-seed-1-6' },
    selling: { type: 45, setting: { allow_dearer: true } },
  }));
  await t.relay.setBalance(50_000_000);
});
afterAll(() => t.close());

const post = (path: string, model: string, body: JsonObject) =>
  t.post(path, { model: models[model] ?? '', ...body });

describe('what Ark stores by the hour', () => {
  const RESPONSES: JsonObject = { input: 'What is new?', max_output_tokens: 50, store: true };
  const KEPT: JsonObject = { caching: { type: 'enabled', prefix: true }, expire_at: 4_000_000_000 };
  const ask = async (model: string, more: JsonObject) => {
    t.answers(responsesAnswer({ input_tokens: 10, output_tokens: 5 }));
    const answer = await post('/v1/responses', model, { ...RESPONSES, ...more });
    expect(answer.status).toBe(200);
    await t.row();
    return answer.headers.get('x-gateway-lost');
  };

  it('is not asked for', async () => {
    expect(await ask('ark', KEPT)).toBe('caching, expire_at');
    expect(t.lastSeen.path).toBe('/api/v3/responses');
    expect(t.lastSeen.body).not.toContainAnyKeys(Object.keys(KEPT));
    await ask('ark', { extra_body: KEPT });
    expect(JSON.stringify(t.lastSeen.body)).not.toContain('enabled');
  });

  it('is asked for where it is sold, and may be refused anywhere', async () => {
    expect(await ask('selling', KEPT)).toBeNull();
    expect(t.lastSeen.body).toMatchObject(KEPT);
    const none = { caching: { type: 'disabled' } };
    expect(await ask('ark', none)).toBeNull();
    expect(t.lastSeen.body).toMatchObject(none);
  });
});
