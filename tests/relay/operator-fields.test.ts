/** What callers may not choose never reaches an upstream, by what goes up. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openWireRelay, type WireRelay } from '../support/wire-relay.ts';

let t: WireRelay;
beforeAll(async () => {
  t = await openWireRelay();
});
afterAll(() => t.close());

describe("a field that is the operator's matter", () => {
  it.each<[string, JsonObject]>(
    [
      { api_base: 'http://evil.example' },
      { base_url: 'http://evil.example' },
      { api_key: 'k' },
      { custom_llm_provider: 'x' },
      { fallbacks: ['dear'] },
      { mock_response: 'free' },
      { litellm_params: {} },
      { aws_secret_access_key: 'x' },
      { speed: 'fast' },
      { inference_geo: 'us' },
    ].map((field) => [Object.keys(field)[0] ?? '', field]),
  )('is left out: %s', async (name, more) => {
    for (const [dialect, wire] of [
      ['openai-chat', 'chat'],
      ['anthropic-messages', 'messages'],
    ] as const) {
      const answer = await t.ask(dialect, wire, { more: { ...more, of_the_future: 1 } });
      expect(answer.status).toBe(200);
      expect(t.lastSeen.body).toMatchObject({ of_the_future: 1 });
      expect(t.lastSeen.body).not.toHaveProperty(name);
      await t.row();
    }
  });

  it('is left out of what is merged into the body elsewhere, too', async () => {
    const google = { thinking_config: { thinking_budget: 1 } };
    const more = { extra_body: { api_base: 'http://evil.example', google } };
    expect((await t.ask('openai-chat', 'chat', { more })).status).toBe(200);
    expect(t.lastSeen.body.extra_body).toEqual({ google });
    await t.row();
  });
});

describe('another model for the one that was named', () => {
  const manual = { manual_mode: { model_name: 'a-dear-one' } };
  it.each<[string, JsonObject, JsonObject]>([
    ['in camels', { routingConfig: manual, temperature: 1 }, { temperature: 1 }],
    ['in lines', { routing_config: manual, modelSelectionConfig: {}, seed: 1 }, { seed: 1 }],
    ['by its other name', { modelConfig: { featureSelectionPreference: 'x' }, seed: 1 }, { seed: 1 }],
  ])('is no choice of a caller of Gemini: %s', async (_, generationConfig, left) => {
    const more = { generationConfig, routingConfig: manual, model_selection_config: {} };
    expect((await t.ask('gemini', 'generateContent', { more })).status).toBe(200);
    const { body } = t.lastSeen;
    expect(body.generationConfig).toEqual(left);
    expect(Object.keys(body).filter((name) => /routing|selection/i.test(name))).toEqual([]);
    await t.row();
  });

  it("nor of one of OpenAI's wire", async () => {
    const google = {
      routing_config: manual,
      generation_config: { routingConfig: manual },
      thought_tag_marker: 'a',
    };
    expect((await t.ask('openai-chat', 'chat', { more: { extra_body: { google } } })).status).toBe(200);
    expect(t.lastSeen.body.extra_body).toEqual({
      google: { generation_config: {}, thought_tag_marker: 'a' },
    });
    await t.row();
  });
});

describe('a beta of Anthropic', () => {
  it('goes up when it changes no price', async () => {
    const headers = {
      'anthropic-beta': 'fast-mode-2026-02-01, interleaved-thinking-2025-05-14,context-1m-2025-08-07,x',
    };
    const more = { anthropic_beta: ['context-1m-2025-08-07', 'effort-2025-11-24'] };
    expect((await t.ask('anthropic-messages', 'messages', { headers, more })).status).toBe(200);
    expect(t.lastSeen.headers.get('anthropic-beta')).toBe('interleaved-thinking-2025-05-14');
    expect(t.lastSeen.body.anthropic_beta).toEqual(['effort-2025-11-24']);
    await t.row();
    const dear = { 'anthropic-beta': 'context-1m-2025-08-07' };
    expect((await t.ask('anthropic-messages', 'messages', { headers: dear })).status).toBe(200);
    expect(t.lastSeen.headers.has('anthropic-beta')).toBe(false);
    await t.row();
  });
});
