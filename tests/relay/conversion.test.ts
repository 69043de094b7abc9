/** Any client dialect on any upstream's wire: what is said, and what it costs. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { BALANCE, CALL_COST } from '../support/relay.ts';
import { SURFACES, surface } from '../support/surfaces.ts';
import { openWireRelay, WIRES, type WireRelay } from '../support/wire-relay.ts';
import type { Wire } from '../support/wires.ts';

let t: WireRelay;
beforeAll(async () => {
  t = await openWireRelay();
});
afterAll(() => t.close());

const names = Object.keys(SURFACES);
/** MiniMax also takes Anthropic's wire, and Ollama OpenAI's: a caller who speaks it is not converted. */
function spokenTo(name: string, wire: Wire): Wire {
  if (name === 'anthropic-messages' && wire === 'minimax') return 'messages';
  return name === 'openai-chat' && wire === 'ollama' ? 'chat' : wire;
}
const pairs = names.flatMap((name) =>
  WIRES.flatMap((wire) => [false, true].map((stream) => [name, wire, stream] as const)),
);
/** PaLM has neither thoughts nor tools nor usage. */
const able = pairs.filter(([, wire]) => wire !== 'palm');
const unable = pairs.filter(([, wire]) => wire === 'palm');

describe.each(able)('a caller of %s on the wire %s, streaming: %p', (name, wire, stream) => {
  it('gets thoughts, text and usage, and pays what was used', async () => {
    const response = await t.ask(name, wire, { stream });
    const answer = await t.read(name, response, stream);
    expect(answer).toEqual({
      text: 'Hello wörld',
      thinking: 'hm',
      calls: [],
      stop: surface(name).stops[0],
      prompt: 17,
      completion: 20,
    });
    expect(t.lastSeen.wire).toBe(spokenTo(name, wire));
    const row = await t.row();
    expect(row).toMatchObject({ type: 2, quota: CALL_COST, prompt_tokens: 17, completion_tokens: 20 });
    expect(row.is_stream).toBe(stream);
    expect(row.other.usage_source).toBe('upstream');
    expect(row.other.stream_end).toBe(stream ? 'done' : undefined);
  });

  it('gets a tool call with its whole arguments', async () => {
    const response = await t.ask(name, wire, { stream, ask: 'How is the weather?' });
    const answer = await t.read(name, response, stream);
    expect(answer.calls).toEqual([{ name: 'get_weather', input: { city: 'Oslo' } }]);
    expect(answer.stop).toBe(surface(name).stops[1]);
    expect((await t.row()).quota).toBe(CALL_COST);
  });
});

describe.each(unable)('a caller of %s on the wire %s, streaming: %p', (name, wire, stream) => {
  it('gets the text of an upstream without streams and usage, and is told what was lost', async () => {
    const response = await t.ask(name, wire, { stream });
    expect(response.headers.get('x-gateway-lost')).toContain('tools');
    const answer = await t.read(name, response, stream);
    expect(answer).toMatchObject({ text: 'Hello wörld', stop: surface(name).stops[0] });
    const row = await t.row();
    expect(row.other.usage_source).toBe('estimated');
    expect(row.other.lost).toContain('tools');
    expect(row.prompt_tokens).toBeGreaterThan(4);
    expect(row.completion_tokens).toBeGreaterThanOrEqual(2);
    expect(row.quota).toBe(row.prompt_tokens + row.completion_tokens);
  });
});

it('has charged exactly what the rows say', async () => {
  expect(await t.relay.account()).toMatchObject({ quota: BALANCE - t.spent, reserved: 0 });
});
