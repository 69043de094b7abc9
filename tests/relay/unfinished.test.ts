/** What streams cost that do not end well, to the token, on every wire: by the upstream's count as far as it came, else by ours. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { countTokens } from '../../src/relay/charge/tokens.ts';
import { eventsOf, surface } from '../support/surfaces.ts';
import { ANYBODY } from '../support/tokenizer.ts';
import { modelOf, openWireRelay, type WireRelay } from '../support/wire-relay.ts';
import { FLOOD, type Wire } from '../support/wires.ts';

let t: WireRelay;
beforeAll(async () => {
  t = await openWireRelay();
  await t.relay.set({ RetryTimes: 0, DrainSeconds: 0 });
});
afterAll(() => t.close());

/** The prompt that a wire tells before its end. */
const TOLD_EARLY = 17;
const PROMPT_TOLD: ReadonlySet<Wire> = new Set<Wire>(['messages', 'generateContent', 'tencent']);
const WIRES: readonly Wire[] = [
  'chat',
  'responses',
  'messages',
  'generateContent',
  'cohere',
  'tencent',
  'minimax',
];
const OWN: Readonly<Partial<Record<Wire, string>>> = {
  chat: 'openai-chat',
  responses: 'openai-responses',
  messages: 'anthropic-messages',
  generateContent: 'gemini',
};
/** Each wire as it passes, and as it is written anew for callers of two others. */
const ways = WIRES.flatMap((wire) =>
  [
    ...new Set([
      OWN[wire] ?? 'openai-chat',
      'openai-chat',
      wire === 'minimax' ? 'openai-chat' : 'anthropic-messages',
    ]),
  ].map((name) => ({ wire, name })),
);

/** A limit of this is given; a model of this wire thinks, and shows nothing of it. */
const LIMIT = 100;
const THINKS_UNSEEN: ReadonlySet<Wire> = new Set<Wire>(['responses']);

/** Wires whose last piece of content is lost with the end. */
const LOSES_PIECE: ReadonlySet<Wire> = new Set<Wire>(['chat', 'minimax', 'generateContent']);
/** Enough for what is held first and for what comes, and not for as much again. */
const POOR = 300;

/** The prompt as it is counted here, and the tokens of what the caller saw of this wire's stream before it broke off. */
async function cutOf(wire: Wire, name = 'openai-chat') {
  t.wires.faults.push('cut');
  const text = await (await t.ask(name, wire, { stream: true })).text();
  const { read, join } = surface(name);
  const seen = read(join(eventsOf(text)));
  return {
    row: await t.row(),
    output: await countTokens([seen.thinking + seen.text], modelOf(wire), ANYBODY),
  };
}

async function countedPrompt(wire: Wire): Promise<number> {
  t.wires.faults.push('no-usage');
  await (await t.ask('openai-chat', 'chat', { model: modelOf('chat') })).text();
  const row = await t.row();
  expect(row.other.usage_source).toBe('estimated');
  return PROMPT_TOLD.has(wire) ? TOLD_EARLY : row.prompt_tokens;
}

describe.each(ways)('a stream of the wire $wire for a caller of $name', ({ wire, name }) => {
  it('is charged for what came when the upstream breaks off', async () => {
    const { output } = await cutOf(wire);
    t.wires.faults.push('cut');
    await (await t.ask(name, wire, { stream: true })).text();
    const row = await t.row();
    expect(row.other.stream_end).toBe('upstream_cut');
    const prompt = await countedPrompt(wire);
    // Tencent tells with every frame how much it is so far: three of them came.
    const completion = wire === 'tencent' ? 3 : output;
    expect(completion).toBeGreaterThan(1);
    if (name === 'openai-chat' || PROMPT_TOLD.has(wire)) expect(row.prompt_tokens).toBe(prompt);
    expect(row.completion_tokens).toBe(completion);
    expect(row.quota).toBe(row.prompt_tokens + completion);
  });

  it('is charged for what came when its caller leaves', async () => {
    const { output } = await cutOf(wire);
    t.wires.faults.push('stall');
    const response = await t.ask(name, wire, { stream: true });
    const reader = response.body?.getReader();
    for (let text = ''; !text.includes('Hello'); ) {
      text += Buffer.from((await reader?.read())?.value ?? []).toString();
    }
    await reader?.cancel();
    const row = await t.row();
    expect(row.other.stream_end).toBe('client_gone');
    // What it thought is charged as it was held.
    const unseen = THINKS_UNSEEN.has(wire);
    expect(row.other.usage_source).toBe(unseen ? 'held' : wire === 'tencent' ? 'upstream' : 'estimated');
    expect(row.completion_tokens).toBe(wire === 'tencent' ? 3 : unseen ? LIMIT : output);
    if (PROMPT_TOLD.has(wire)) expect(row.prompt_tokens).toBe(TOLD_EARLY);
    expect(row.quota).toBe(row.prompt_tokens + row.completion_tokens);
  });

  it('is charged for what came when the balance is used up', async () => {
    const poor = await t.relay.api.createUser({ quota: POOR });
    const key = await t.relay.addToken({}, poor);
    t.wires.faults.push('flood');
    const text = await (await t.ask(name, wire, { stream: true, key })).text();
    expect(text).toContain('quota');
    const row = await t.row();
    expect(row.other.stream_end).toBe('exhausted');
    const last = LOSES_PIECE.has(wire) ? '' : '!';
    const said = await countTokens([`hmHello${FLOOD}${last}`], modelOf(wire), ANYBODY);
    expect(row.completion_tokens).toBe(said);
    expect(row.other).not.toHaveProperty('usage_suspect');
    if (PROMPT_TOLD.has(wire)) expect(row.prompt_tokens).toBe(TOLD_EARLY);
    expect(row.quota).toBe(row.prompt_tokens + row.completion_tokens);
    expect(await t.relay.account(poor)).toMatchObject({ quota: POOR - row.quota, reserved: 0 });
  });
});

it('an answer whose last count never came is charged by its prompt and what it says', async () => {
  for (const name of ['anthropic-messages', 'openai-chat']) {
    t.wires.faults.push('no-usage');
    const text = await (await t.ask(name, 'messages', { stream: true })).text();
    expect(text).toContain('wörld');
    const row = await t.row();
    const output = await countTokens(['hmHello wörld'], modelOf('messages'), ANYBODY);
    expect(row.other.stream_end).toBe('done');
    expect(row).toMatchObject({ prompt_tokens: TOLD_EARLY, completion_tokens: output });
    expect(row.other.usage_source).toBe('estimated');
  }
});
