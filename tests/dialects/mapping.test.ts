/** The mapping tables are true: what they say is kept is kept, what has no word is reported, and README.md shows them. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import type { JsonObject } from '../../src/core/json.ts';
import { eventsOf, joinedText } from '../../src/dialects/accumulate.ts';
import type { ChatExtension } from '../../src/dialects/chat-extension.ts';
import type { ReplyContext, RequestTarget } from '../../src/dialects/codec.ts';
import type { ChatReply, ChatRequest, Part, StopReason } from '../../src/dialects/neutral.ts';
import { chatDialects as registered, upstreamDialects, wireOf } from '../../src/dialects/registry.ts';
import { usage } from './arbitrary.ts';
import {
  answerParts,
  chatDialects,
  countsOf,
  HINTS,
  requestParts,
  requestSettings,
  SURFACES,
  type Surface,
  stopThrough,
  stopWords,
  usageThrough,
  usageWords,
} from './mapping.ts';
import { callersDialects, tables, upstreamsDialects } from './readme-tables.ts';

const codecs = chatDialects.map(({ id, codec }) => [id, codec] as const);

/** Models that take everything which their dialect has a word for. */
const MODELS: Readonly<Record<Surface, string>> = {
  'openai-chat': 'some-model',
  'openai-responses': 'gpt-5.2',
  'anthropic-messages': 'claude-opus-4-6',
  gemini: 'gemini-2.5-pro',
};
const EXTENSIONS: ReadonlySet<ChatExtension> = new Set<ChatExtension>([
  'top_k',
  'min_p',
  'repetition_penalty',
  'cache_control',
  'verbosity',
  'openai_fields',
]);

function target(surface: Surface): RequestTarget & { left: string[] } {
  const left: string[] = [];
  return {
    model: MODELS[surface],
    stream: false,
    askUsage: false,
    defaultMaxTokens: 4096,
    extensions: EXTENSIONS,
    drop: (what) => left.push(what),
    left,
  };
}

const asked = (
  fields: Partial<ChatRequest>,
  parts: Part[] = [{ type: 'text', text: 'hi' }],
): ChatRequest => ({
  dialect: 'cohere',
  model: 'm',
  stream: false,
  messages: [{ role: 'user', parts }],
  tools: [],
  extra: {},
  ...fields,
});

// ---- Settings ----------------------------------------------------------------------------------------------------

const tool = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } } as const;
const schema = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
};

const SAMPLES: { [Name in keyof typeof requestSettings]: Partial<ChatRequest> } = {
  tools: { tools: [tool] },
  toolChoice: { tools: [tool], toolChoice: { mode: 'required' } },
  parallelToolCalls: { tools: [tool], parallelToolCalls: false },
  responseFormat: { responseFormat: { type: 'schema', name: 'response', schema } },
  reasoning: { reasoning: { effort: 'high' }, maxOutputTokens: 30_000 },
  maxOutputTokens: { maxOutputTokens: 100 },
  temperature: { temperature: 0.5 },
  topP: { topP: 0.5 },
  topK: { topK: 5 },
  minP: { minP: 0.5 },
  frequencyPenalty: { frequencyPenalty: 0.5 },
  presencePenalty: { presencePenalty: 0.5 },
  repetitionPenalty: { repetitionPenalty: 1.5 },
  seed: { seed: 7 },
  stop: { stop: ['a', 'b'] },
  choices: { choices: 2 },
  logprobs: { logprobs: true },
  topLogprobs: { logprobs: true, topLogprobs: 3 },
  logitBias: { logitBias: { '1': 2 } },
  verbosity: { verbosity: 'low' },
  modalities: { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
  audio: { modalities: ['audio'], audio: { voice: 'alloy', format: 'wav' } },
  user: { user: 'u' },
  metadata: { store: true, metadata: { a: 'b' } },
  serviceTier: { serviceTier: 'flex' },
  promptCacheKey: { promptCacheKey: 'k' },
  promptCacheRetention: { promptCacheRetention: '24h' },
  promptCacheOptions: { promptCacheOptions: { ttl: '30m' } },
  store: { store: true },
  previousResponseId: { previousResponseId: 'resp_1' },
  cache: { cache: { ttl: '5m' } },
};
type Setting = keyof typeof requestSettings;
const SAMPLE_EXTRA = { previous_response_id: 'resp_1' };

/** What is said in other words: the dialect has fewer, or its own. */
const REWORDED = new Set<Setting>(['tools', 'responseFormat', 'reasoning', 'modalities', 'audio']);

describe.each(codecs)('a setting in %s', (surface, codec) => {
  const settings = (Object.keys(SAMPLES) as Setting[]).filter((name) => name !== 'previousResponseId');

  test.each(settings)('%s fares as the table says', (name) => {
    const to = target(surface);
    // A caller of the other OpenAI dialect means the same by its service tiers.
    const dialect = surface === 'openai-chat' ? 'openai-responses' : 'openai-chat';
    const request = asked({ ...SAMPLES[name], dialect });
    const body = JSON.parse(JSON.stringify(codec.writeRequest(request, to))) as JsonObject;
    const back = codec.readRequest(body, { model: MODELS[surface], stream: false });
    if (requestSettings[name][surface] === null) {
      expect(back[name]).toBeUndefined();
      if (!HINTS.has(name)) expect(to.left).not.toBeEmpty();
    } else if (REWORDED.has(name)) {
      expect(back[name]).toBeTruthy();
    } else {
      expect(back[name]).toEqual(SAMPLES[name][name] as never);
    }
  });

  test('an earlier answer is known to one dialect only', () => {
    const request = asked({
      ...SAMPLES.previousResponseId,
      dialect: 'openai-responses',
      extra: SAMPLE_EXTRA,
    });
    const write = () => codec.writeRequest(request, target(surface));
    if (requestSettings.previousResponseId[surface]) expect(write()).toMatchObject(SAMPLE_EXTRA);
    else expect(write).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});

// ---- Parts -------------------------------------------------------------------------------------------------------

const png = { kind: 'data', mediaType: 'image/png', data: 'aGk=' } as const;
const PARTS: { [Type in Part['type']]: Part } = {
  text: { type: 'text', text: 'some text' },
  image: { type: 'image', source: png },
  audio: { type: 'audio', source: { kind: 'data', mediaType: 'audio/wav', data: 'aGk=' }, format: 'wav' },
  file: {
    type: 'file',
    source: { kind: 'data', mediaType: 'application/pdf', data: 'aGk=' },
    filename: 'a.pdf',
  },
  thinking: { type: 'thinking', text: 'some thought', origin: 'cohere' },
  'tool-call': { type: 'tool-call', id: 'call_1', name: 'f', input: '{"a":1}', kind: 'function' },
  'tool-result': {
    type: 'tool-result',
    id: 'call_1',
    name: 'f',
    content: [{ type: 'text', text: 'done' }],
    kind: 'function',
  },
  refusal: { type: 'refusal', text: 'some refusal' },
  raw: { type: 'raw', dialect: 'cohere', value: { type: 'of_another_dialect' } },
};
const TYPES = Object.keys(PARTS) as Part['type'][];

/** A conversation in which such a part may stand. */
function conversation(part: Part): ChatRequest {
  const said = { role: 'user', parts: [{ type: 'text', text: 'hi' }] } as const;
  const messages: ChatRequest['messages'] = [{ ...said, parts: [...said.parts] }];
  switch (part.type) {
    case 'thinking':
    case 'refusal':
    case 'raw':
      messages.push(
        { role: 'assistant', parts: [part, { type: 'text', text: 'ok' }] },
        { role: 'user', parts: [PARTS.text] },
      );
      break;
    case 'tool-call':
    case 'tool-result':
      messages.push(
        { role: 'assistant', parts: [PARTS['tool-call']] },
        { role: 'tool', parts: [PARTS['tool-result']] },
      );
      break;
    default:
      messages[0]?.parts.push(part);
  }
  return asked({ messages, tools: [tool] });
}

describe.each(codecs)('a part of a request in %s', (surface, codec) => {
  test.each(TYPES)('%s fares as the table says', (type) => {
    const part = PARTS[type];
    const to = target(surface);
    const write = () => codec.writeRequest(conversation(part), to);
    const { fate } = requestParts[type][surface];
    if (fate === 'refused') {
      expect(write).toThrow(expect.objectContaining({ code: 'invalid_request' }));
      return;
    }
    const body = JSON.parse(JSON.stringify(write())) as JsonObject;
    const back = codec
      .readRequest(body, { model: MODELS[surface], stream: false })
      .messages.flatMap(({ parts }) => parts);
    const found = back.find(
      (item) => item.type === type && (type !== 'text' || joinedText([item]).includes('text')),
    );
    if (fate === 'kept') expect(found).toBeDefined();
    else expect(found).toBeUndefined();
    if (fate === 'dropped') expect(to.left).not.toBeEmpty();
    if (fate === 'changed') expect(joinedText(back)).toContain(`some ${type}`);
  });
});

const context = (surface: Surface): ReplyContext => ({
  model: 'm',
  createdSec: 1,
  requestId: 'r1',
  request: asked({ dialect: surface }),
  wantsUsage: true,
});
const answer = (parts: Part[], stop: StopReason = 'stop', fields: Partial<ChatReply> = {}): ChatReply => ({
  dialect: 'cohere',
  id: 'x',
  model: 'm',
  created: 1,
  choices: [{ index: 0, parts, stop }],
  usage: null,
  extra: {},
  ...fields,
});
const AUDIO: Part = { ...PARTS.audio, transcript: 'some audio' } as Part;

describe.each(codecs)('a part of an answer in %s', (surface, codec) => {
  test.each(Object.keys(answerParts) as (keyof typeof answerParts)[])(
    '%s fares as the table says',
    (type) => {
      const part = type === 'audio' ? AUDIO : PARTS[type];
      const body = codec.writeReply(answer([part]), context(surface));
      const back = codec.readReply(JSON.parse(JSON.stringify(body)) as JsonObject).choices[0]?.parts ?? [];
      const found = back.find((item) => item.type === type);
      const { fate } = answerParts[type][surface];
      if (fate === 'kept' || fate === 'joined') expect(found).toBeDefined();
      else expect(found).toBeUndefined();
      if (fate === 'changed') expect(joinedText(back)).toContain(`some ${type}`);
    },
  );

  test.each(['text', 'thinking', 'refusal'] as const)(
    'two of %s are told apart where the table says so',
    (type) => {
      const two = [PARTS[type], PARTS[type]];
      const body = codec.writeReply(answer(two), context(surface));
      const back = codec.readReply(JSON.parse(JSON.stringify(body)) as JsonObject).choices[0]?.parts ?? [];
      const found = back.filter((item) => item.type === type);
      const { fate } = answerParts[type][surface];
      if (fate === 'kept') expect(found).toHaveLength(2);
      else if (fate === 'joined') expect(found.length).toBeGreaterThan(0);
    },
  );
});

// ---- Stop reasons and usage --------------------------------------------------------------------------------------

const REASONS = Object.keys(stopWords['openai-chat'].write) as StopReason[];

describe.each(codecs)('an answer in %s', (surface, codec) => {
  test.each(REASONS)('that ended by %s says so in its nearest word', (stop) => {
    const parts = stop === 'tool-calls' ? [PARTS['tool-call']] : [PARTS.text];
    const whole = answer(parts, stop);
    const back = codec.readReply(codec.writeReply(whole, context(surface)));
    const through = stopThrough(surface, stop, stop === 'tool-calls');
    expect(back.choices[0]?.stop).toBe(through);
    expect(stopThrough(surface, through, stop === 'tool-calls')).toBe(through);
  });

  test('has the usage that the table says, and no token is lost', () => {
    fc.assert(
      fc.property(usage, (used) => {
        const whole = answer([PARTS.text], 'stop', { usage: used });
        const back = codec.readReply(codec.writeReply(whole, context(surface))).usage;
        expect(back && countsOf(back)).toEqual(usageThrough(surface, used));
        const writer = codec.streamWriter(context(surface));
        const text = eventsOf(whole)
          .map((event) => writer.write(event))
          .join('');
        expect(text.length).toBeGreaterThan(0);
      }),
    );
  });
});

test('every count is said somewhere by each dialect', () => {
  for (const words of Object.values(usageWords))
    expect(Object.keys(words).sort()).toEqual([...SURFACES].sort());
});

// ---- Who speaks what ---------------------------------------------------------------------------------------------

test('the registry has both sides of what callers speak, and one of what is only spoken to upstreams', () => {
  expect(registered.map(({ dialect }) => dialect.id).sort()).toEqual([...SURFACES].sort());
  expect([...callersDialects].sort()).toEqual([...SURFACES].sort());
  const onlyUpstreams = upstreamDialects.map(({ id }) => id);
  expect(onlyUpstreams.filter((id) => callersDialects.has(id))).toEqual([]);
  expect(onlyUpstreams.filter((id) => !upstreamsDialects.has(id))).toEqual([]);
  for (const id of [...SURFACES, ...onlyUpstreams]) expect(wireOf(id)?.id).toBe(id);
});

// ---- README ------------------------------------------------------------------------------------------------------

const readme = readFileSync(path.join(import.meta.dir, '..', '..', 'src', 'dialects', 'README.md'), 'utf8');

test.each(Object.entries(tables()))('README.md shows the table of %s as it is', (_name, table) => {
  expect(readme).toContain(table);
});
