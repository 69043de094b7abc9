import { describe, expect, it } from 'bun:test';
import { channel } from '../../../tests/support/routed-channel.ts';
import type { JsonObject } from '../../core/json.ts';
import { variantOf } from '../../core/model-variant.ts';
import { own } from '../../core/own.ts';
import { OUTPUT_ASSUMED, OUTPUT_AT_ONCE } from '../../core/price-bound.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { openaiRealtime } from '../../dialects/plain/openai-realtime.ts';
import { requestFacts } from '../../dialects/prompt.ts';
import type { RoutedChannel, Tier } from '../../modules/channel/model.ts';
import { callBound, keptTokens, withSizes } from './estimate.ts';
import type { UpstreamOf } from './upstreams.ts';

/** By the model behind a name, as channels are asked that do not list the name itself. */
const upstreamOf: UpstreamOf = ({ modelMapping }, requested) => {
  const variant = variantOf(requested);
  const base = variant?.base ?? requested;
  return { model: own(modelMapping, base) ?? base, variant };
};
const asked = (body: JsonObject) => ({
  operation: 'chat' as const,
  dialect: openaiChat,
  body,
  facts: requestFacts(openaiChat, body, {}),
});
const tiersOf = (...channels: Partial<RoutedChannel>[]): readonly Tier[] => [
  { priority: 0, channels: channels.map((each, n) => ({ ...channel(n), ...each })) },
];
const boundAt = (tiers: readonly Tier[], body: JsonObject, by = upstreamOf) =>
  callBound(withSizes(asked(body), tiers, null, by));

const messages = [{ role: 'user', content: 'Why?' }];
const kept = [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }];

describe('a name that says more than a model', () => {
  const to = (model: string) => tiersOf({ modelMapping: { 'gpt-5-chat': model } });

  it('holds what the model reads that goes up for it', () => {
    const { prompt } = boundAt(to('house/long'), { model: 'gpt-5-chat-high', messages: kept });
    expect(prompt.text).toBeGreaterThan(1_000_000);
  });

  it.each(['house/long', 'o3'])(
    'holds thoughts that %s does not show, whatever was asked before',
    (model) => {
      const tiers = to(model);
      const grows = (name: string) => boundAt(tiers, { model: name, messages, stream: true }).extends;
      expect([grows('gpt-5-chat'), grows('gpt-5-chat-high'), grows('gpt-5-chat-none')]).toEqual(
        model === 'o3' ? [false, false, false] : [true, false, true],
      );
    },
  );
});

describe('a limit of several calls', () => {
  const [google, router] = ['https://generativelanguage.googleapis.com', 'https://openrouter.ai/api'];
  const at = (model: string, baseUrl: string) => ({ modelMapping: { house: model }, baseUrl });
  const capAt = (max_tokens: number, ...channels: Partial<RoutedChannel>[]) =>
    boundAt(tiersOf(...channels), { model: 'house', messages, max_tokens }).outputCap;

  it.each([
    ['gemini-4-argon', google, 65_536],
    ['google/gemini-4-argon', router, 65_536],
    ['gemini-4-argon', 'https://gateway.example', 1_000_000],
    ['gemini-3.8-pro', google, 1_000_000],
    ['gemini-40-argon', google, 1_000_000],
  ])('holds one call of %s at %s for %i tokens', (model, baseUrl, tokens) => {
    expect(capAt(1_000_000, at(model, baseUrl))).toBe(tokens);
    expect(capAt(100, at(model, baseUrl))).toBe(100);
  });

  it('holds all of it where one of its channels may write that', () => {
    expect(capAt(1_000_000, at('gemini-4-argon', google), at('gpt-5', router))).toBe(1_000_000);
  });
});

it.each([
  ['gpt-4o', true],
  ['claude-3-5-sonnet-20241022', true],
  ['claude-sonnet-4-5', true],
  ['claude-opus-4-8', true],
  ['gemini-1.5-pro', true],
  ['gemini-2.0-flash', true],
  ['grok-3', true],
  ['command-a-03-2025', true],
  ['qwen-plus', true],
  ['claude-opus-5', false],
  ['anthropic/claude-haiku-5.5', false],
  ['gpt-5.5', false],
  ['gemini-9-ultra', false],
])('a stream of %s is extended as it grows: %p', (model, grows) => {
  const at = tiersOf({ modelMapping: { house: model } });
  expect(boundAt(at, { model: 'house', messages, stream: true }).extends).toBe(grows);
});

it('holds what Google has signed by the dearest model that may read it', () => {
  const detail = { type: 'reasoning.encrypted', format: 'google-gemini-v1', data: 'Q2xhdWRl'.repeat(4_000) };
  const message = { role: 'assistant', content: 'so', reasoning: 'hm', reasoning_details: [detail] };
  const held = (...names: string[]) => {
    const channels = names.map((name) => ({ modelMapping: { house: name } }));
    return boundAt(tiersOf(...channels), { model: 'house', messages: [message] }).prompt.text;
  };
  const none = held('google/gemini-2.5-pro', 'gpt-5');
  expect(held('google/gemini-2.5-pro', 'google/gemini-4-argon') - none).toBe(24_000 / 3);
});

it('holds pictures and pages by the dearest model that may look at them', () => {
  const url = 'https://a.example/b.png';
  const body = {
    model: 'eyes',
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
  };
  const held = (...names: string[]) =>
    boundAt(tiersOf(...names.map((eyes) => ({ modelMapping: { eyes } }))), body).prompt.image;
  expect(held('eyes')).toBe(4_098);
  expect(held('gpt-4o', 'gpt-4o-mini')).toBe(2_833 + 8 * 5_667);
});

it('holds sounds by the dearest model that may hear them', () => {
  const sound = { data: Buffer.alloc(64_000).toString('base64'), format: 'pcm16' };
  const body = {
    model: 'gpt-ears',
    messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: sound }] }],
  };
  const held = (...names: string[]) =>
    boundAt(tiersOf(...names.map((name) => ({ modelMapping: { 'gpt-ears': name } }))), body).prompt.audio;
  // Four seconds and a little.
  expect([held('gpt-audio'), held('gpt-audio', 'gemini-2.5-flash')]).toEqual([41, 129]);
});

it('holds what was foretold as output, too, for each answer', () => {
  const held = (more: JsonObject) => boundAt(tiersOf({}), { model: 'm', messages, ...more }).prompt;
  const prediction = { type: 'content', content: 'the quick brown fox '.repeat(4_000) };
  const { foretold = 0, text } = held({ prediction });
  expect(foretold).toBeWithin(16_000, text);
  expect([held({}).foretold, held({ prediction, n: 2 }).foretold]).toEqual([undefined, 2 * foretold]);
});

it('holds films by the dearest model that may watch them', () => {
  const video_url = { url: `data:video/mp4;base64,${Buffer.alloc(2_000).toString('base64')}` };
  const facts = asked({
    model: 'eyes',
    messages: [{ role: 'user', content: [{ type: 'video_url', video_url }] }],
  }).facts;
  // As if it told that it lasts a minute.
  const prompt = { ...facts.prompt, unseenFilm: false, videoSeconds: 60, videoFrames: 60 };
  const held = (...readers: string[]) => keptTokens('eyes', { ...prompt, readers }).films;
  expect([held('eyes', 'gemini-2.5-flash'), held('eyes', 'qwen-vl-max')]).toEqual([60 * 290, 60 * 768]);
});

describe('a thinker by a type that many vendors are reached by', () => {
  const unlimited = { most: null, canLimit: false };
  it.each<[string, string, JsonObject, object | undefined]>([
    ['https://gateway.example', 'deepseek-reasoner', { max_tokens: 1 }, unlimited],
    ['https://gateway.example', 'deepseek-reasoner', { max_tokens: 1, thinking_budget: 700 }, unlimited],
    ['https://api.deepseek.com', 'deepseek-reasoner', { max_tokens: 1 }, undefined],
    ['https://api.deepseek.com/v1', 'deepseek-reasoner', { max_tokens: 1, enable_thinking: true }, undefined],
    // A name of the limit that it may pass over, and is told in the other where less is held.
    [
      'https://api.deepseek.com',
      'deepseek-reasoner',
      { max_completion_tokens: 1 },
      { most: null, canLimit: true },
    ],
    ['https://api.groq.com/openai', 'qwen/qwen3-32b', { max_completion_tokens: 1 }, undefined],
    [
      'https://dashscope.aliyuncs.com/compatible-mode',
      'qwen3-max',
      { max_tokens: 1, enable_thinking: true, thinking_budget: 700 },
      { most: 700, canLimit: true },
    ],
  ])('is held at %s beside its limit (%s, %j): %j', (baseUrl, model, body, beside) => {
    const { thoughts } = boundAt(tiersOf({ baseUrl }), { model, messages, ...body });
    expect(thoughts).toEqual(beside as never);
    // A stream is held for as it grows, unless it is asked in words that hide what is thought.
    const streamed = { model, messages, stream: true, ...body };
    expect(boundAt(tiersOf({ baseUrl }), streamed)).toMatchObject({ extends: true });
    const hidden = { ...streamed, reasoning_effort: 'high' };
    expect(boundAt(tiersOf({ baseUrl }), hidden)).toMatchObject({ extends: false });
  });
});

it.each([
  ['deepseek-reasoner', 'prod', { most: null, canLimit: false }],
  // What looks like a name that is known may be its operator's own.
  ['qwen3.5-plus', 'qwen-prod', { most: null, canLimit: false }],
  ['house', 'qwen3.5-plus', { most: null, canLimit: false }],
  ['gpt-4o', 'qwen2.5-72b', undefined],
])(
  'a model that is called %s and that its operator named %s is held as the dearer: %j',
  (model, named, beside) => {
    const at = tiersOf({ baseUrl: 'https://gateway.example', modelMapping: { [model]: named } });
    const { thoughts } = boundAt(at, { model, messages, max_tokens: 1 });
    expect(thoughts).toEqual(beside as never);
  },
);

it.each<[string, JsonObject, Partial<RoutedChannel>, boolean]>([
  ['grok-4.20-multi-agent', {}, {}, true],
  ['agents', {}, { modelMapping: { agents: 'grok-4.20-multi-agent' } }, true],
  ['gpt-5.6', { reasoning: { mode: 'pro' } }, {}, true],
  ['gpt-5.6', {}, { paramOverride: { reasoning: { mode: 'pro' } } }, true],
  ['gpt-5.6', { reasoning: { mode: 'standard' } }, {}, false],
])('what several write for an answer of %s (%j, %j) is held beside its limit: %p', (model, body, at, is) => {
  const { thoughts } = boundAt(tiersOf({ baseUrl: 'https://api.openai.com', ...at }), {
    ...{ model, messages, max_tokens: 50 },
    ...body,
  });
  expect(thoughts).toEqual(is ? { most: null, canLimit: false } : (undefined as never));
});

it.each([
  ['gpt-realtime-2', OUTPUT_AT_ONCE],
  ['gpt-realtime', OUTPUT_ASSUMED],
])('a session of %s that its operator named begins with %p tokens', (model, least) => {
  const facts = openaiRealtime.readRequest({}, { model });
  const at = tiersOf({ modelMapping: { [model]: 'prod' } });
  const session = { facts, body: {}, operation: 'realtime' as const, dialect: openaiRealtime };
  expect(withSizes(session, at, null, upstreamOf).facts.outputCap).toBe(least);
});

describe('thoughts at a vendor whose limit counts none', () => {
  const [ali, silicon, ark, qianfan] = [17, 40, 45, 46];
  const held = (type: number, model: string, said: JsonObject = {}) =>
    boundAt(tiersOf({ type }), { model, messages, max_tokens: 1, ...said }).thoughts;
  const limited = { most: null, canLimit: true };
  const unlimited = { most: null, canLimit: false };

  it.each<[number, string, object]>([
    [ark, 'seed-1-8-251228', limited],
    [ark, 'doubao-seed-evolving', limited],
    [ark, 'doubao-seed-code-preview-251028', limited],
    [ark, 'glm-4-7-251222', limited],
    [ark, 'named-by-nobody', limited],
    [qianfan, 'deepseek-v3.2-think', unlimited],
    [qianfan, 'named-by-nobody', unlimited],
    [silicon, 'ByteDance-Seed/Seed-OSS-36B-Instruct', unlimited],
    [silicon, 'inclusionAI/Ring-flash-2.0', unlimited],
    [silicon, 'ascend-tribe/pangu-pro-moe', unlimited],
    [ali, 'deepseek-v3.2', unlimited],
  ])('are held unless a name tells of none (%p, %s)', (type, model, thoughts) => {
    expect(held(type, model)).toEqual(thoughts as never);
  });

  it('are held of a model that goes by another word than it is told not to think in', () => {
    const not = { enable_thinking: false };
    expect(['glm-4.7', 'qwen3-8b'].map((model) => held(qianfan, model, not))).toEqual([unlimited, undefined]);
  });

  it.each<[number, string, JsonObject]>([
    [ark, 'doubao-1-5-pro-32k-250115', {}],
    [ark, 'doubao-seed-evolving', { thinking: { type: 'disabled' } }],
    [ark, 'deepseek-v3-250324', {}],
    [ark, 'kimi-k2-250905', {}],
    [ali, 'qwen-plus', {}],
    [ali, 'qwen3-max', {}],
    [ali, 'deepseek-v3.2', { enable_thinking: false }],
    [qianfan, 'ernie-4.0-turbo-8k', {}],
    [silicon, 'Qwen/Qwen2.5-72B-Instruct', {}],
    [silicon, 'THUDM/GLM-4-9B-0414', {}],
  ])('are not held of what thinks nothing (%p, %s, %j)', (type, model, said) => {
    expect(held(type, model, said)).toBeUndefined();
  });

  it.each<[number, string, object]>([
    [ali, 'qwen3-32b', { most: 700, canLimit: true }],
    [ali, 'deepseek-r1-distill-qwen-32b', unlimited],
    [silicon, 'Qwen/Qwen3-8B', { most: 700, canLimit: true }],
    [silicon, 'deepseek-ai/DeepSeek-R1-0528-Qwen3-8B', unlimited],
  ])('are bounded by a budget of the family that keeps to it alone (%p, %s)', (type, model, thoughts) => {
    expect(held(type, model, { stream: true, thinking_budget: 700 })).toEqual(thoughts as never);
  });
});

describe('the channels of a model', () => {
  /** Three hundred in ten tiers, of one in three thoughts are beside the limit. */
  const many = () =>
    Array.from({ length: 10 }, (_, priority): Tier => {
      const channels = Array.from({ length: 30 }, (_, n) => ({
        ...channel(n),
        type: [1, 17, 43][n % 3] ?? 1,
      }));
      return { priority, channels };
    });
  /** How often it was looked what one of them is asked for. */
  const counting = () => {
    let looks = 0;
    const by: UpstreamOf = (...on) => {
      looks++;
      return upstreamOf(...on);
    };
    return { by, looks: () => looks };
  };
  const body = { model: 'qwen-plus', messages, max_tokens: 50, enable_thinking: true };

  it('are looked at once, and again when they or the options have changed', () => {
    const first = counting();
    const tiers = many();
    for (let call = 0; call < 5; call++) {
      expect(boundAt(tiers, body, first.by).thoughts).toEqual({ most: null, canLimit: true });
      boundAt(tiers, { ...body, stream: true }, first.by);
    }
    expect(first.looks()).toBe(300);
    boundAt(many(), body, first.by);
    expect(first.looks()).toBe(600);
    const second = counting();
    boundAt(tiers, body, second.by);
    boundAt(tiers, body, second.by);
    expect(second.looks()).toBe(300);
  });
});
