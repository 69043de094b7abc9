/** What a call is priced, held and bounded by stands in the one table of fields, so that no other spelling of it goes up. */
import { describe, expect, it } from 'bun:test';
import { isObject, type Json, type JsonObject } from '../../src/core/json.ts';
import { NO_TOOLS } from '../../src/core/paid-tools.ts';
import { withSeveral } from '../../src/dialects/agents.ts';
import { runsCode, runsTools } from '../../src/dialects/asked-tools.ts';
import { type CallersDialect, CONTAINERS, OPAQUE } from '../../src/dialects/body-rules.ts';
import { longestLife } from '../../src/dialects/cache-life.ts';
import { editsOf } from '../../src/dialects/edits.ts';
import { FIELDS, GATEWAY_FIELDS } from '../../src/dialects/gateway-fields.ts';
import { openaiVideos } from '../../src/dialects/plain/openai-videos.ts';
import { folded } from '../../src/dialects/spelling.ts';
import { toolModels } from '../../src/dialects/tool-uses.ts';
import { asksAnyToThink } from '../../src/relay/charge/thinking.ts';
import { endpoints, modelActions } from '../../src/relay/entry/endpoints.ts';

const PICTURE = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAABAAAAAQACAYAAAA=';
const FILM = Buffer.concat([Buffer.from('\0\0\0\x08ftyp'), Buffer.alloc(4000)]).toString('base64');
const SOUND = 'data:audio/wav;base64,AAAAAAAAAAAAAAAA';
const MARK = { type: 'ephemeral', ttl: '1h' };
const SCHEMA = { type: 'object', properties: { a: { type: 'string' } } };

const ASKED: JsonObject = { n: 2, stream: true, service_tier: 'default' };
const CITED = { type: 'url_citation', url: 'https://a.example', title: 't', start_index: 0, end_index: 1 };
const STRANGE = {
  ...{ type: 'strange', data: 'aGk=' },
  ...{ media_type: 'text/plain', mime_type: 'text/plain', mimeType: 'text/plain' },
};
const CHAT: JsonObject = {
  ...ASKED,
  model: 'gpt-4o',
  max_tokens: 5,
  max_completion_tokens: 6,
  modalities: ['text', 'audio'],
  stream_options: { include_usage: true },
  response_format: { type: 'json_schema', json_schema: { name: 'x', schema: SCHEMA } },
  web_search_options: { search_context_size: 'high' },
  search_parameters: { mode: 'on', max_search_results: 3 },
  plugins: [{ id: 'web', enabled: true }],
  prediction: { type: 'content', content: 'foretold' },
  reasoning: { effort: 'high', exclude: true },
  mm_processor_kwargs: { max_pixels: 9, num_frames: 9 },
  media_io_kwargs: { video: { num_frames: 9 } },
  vl_high_resolution_images: true,
  tools: [
    { type: 'function', function: { name: 'f', description: 'd', parameters: SCHEMA }, cache_control: MARK },
    { type: 'web_search_20250305', max_uses: 3 },
  ],
  tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [] } },
  functions: [{ name: 'g', parameters: SCHEMA }],
  messages: [
    { role: 'system', content: 'be brief', name: 'x' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'hi', cache_control: MARK },
        { type: 'image_url', image_url: { url: PICTURE, detail: 'high' } },
        { type: 'input_audio', input_audio: { data: SOUND, format: 'wav' } },
        { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } },
        { type: 'audio_url', audio_url: { url: SOUND } },
        { type: 'file_url', file_url: { url: 'data:text/plain;base64,aGk=' } },
        { type: 'document_url', document_url: 'data:text/plain;base64,aGk=' },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' } },
        STRANGE,
      ],
    },
    {
      role: 'assistant',
      reasoning_content: 'hm',
      reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 'AAAA', index: 0 }],
      refusal: 'no',
      audio: { data: 'AAAA' },
      function_call: { name: 'g', arguments: '{}' },
      tool_calls: [
        { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } },
        { id: 'd', type: 'custom', custom: { name: 'g', input: 'x' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c', content: 'found' },
  ],
};
const RESPONSES: JsonObject = {
  ...ASKED,
  model: 'gpt-5',
  instructions: 'be brief',
  max_output_tokens: 5,
  max_tool_calls: 3,
  search_parameters: { mode: 'on', max_search_results: 3 },
  previous_response_id: 'resp_1',
  truncation: 'auto',
  context_management: [{ type: 'compaction', compact_threshold: 9 }],
  reasoning: { effort: 'high' },
  multi_agent: { enabled: true, max_concurrent_subagents: 2 },
  top_logprobs: 2,
  text: { format: { type: 'json_schema', name: 'x', schema: SCHEMA, strict: true } },
  tools: [
    {
      type: 'web_search',
      filters: { allowed_domains: ['a.example'] },
      user_location: { type: 'approximate' },
    },
    { type: 'file_search', max_num_results: 2 },
    { type: 'code_interpreter', container: { type: 'auto', memory_limit: '4g' } },
    { type: 'shell', environment: { type: 'container_reference', container_id: 'cntr_1' } },
    {
      type: 'image_generation',
      quality: 'low',
      model: 'gpt-image-1',
      input_fidelity: 'high',
      input_image_mask: { image_url: PICTURE },
    },
    { type: 'mcp', server_label: 's', server_url: 'https://tools.example' },
    { type: 'function', name: 'f', description: 'd', parameters: SCHEMA },
  ],
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'hi' },
        { type: 'input_image', image_url: PICTURE, detail: 'high' },
        { type: 'input_file', file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' },
        STRANGE,
      ],
    },
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'AAAA' },
    { type: 'code_interpreter_call', id: 'ci_1', container_id: 'cntr_2', status: 'completed', code: '1' },
    { type: 'code_interpreter_call', id: 'ci_2', outputs: [{ type: 'logs', logs: '1' }] },
    { type: 'file_search_call', id: 'fs_1', results: [{ text: 'found' }] },
    { type: 'mcp_call', id: 'mcp_1', error: 'none' },
    {
      type: 'image_generation_call',
      id: 'ig_1',
      result: PICTURE.split(',')[1] ?? '',
      output_format: 'png',
    },
    { role: 'assistant', content: [{ type: 'output_text', text: 'x', annotations: [CITED] }] },
    { type: 'function_call', call_id: 'c', name: 'f', namespace: 'n', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'found' },
  ],
};
const MESSAGES: JsonObject = {
  model: 'claude',
  max_tokens: 5,
  stream: true,
  system: [{ type: 'text', text: 'be brief', cache_control: MARK }],
  thinking: { type: 'enabled', budget_tokens: 1024, display: 'summarized' },
  output_config: { effort: 'high' },
  context_management: {
    edits: [
      { type: 'compact_20260112', trigger: { type: 'input_tokens', value: 60_000 } },
      { type: 'clear_tool_uses_20250919', clear_tool_inputs: true },
      { type: 'clear_thinking_20251015', keep: 'all' },
    ],
  },
  ...{ temperature: 1, top_p: 1, top_k: 1 },
  mcp_servers: [{ type: 'url', url: 'https://tools.example', name: 's' }],
  tools: [
    { name: 'f', description: 'd', input_schema: SCHEMA, cache_control: MARK },
    {
      ...{ type: 'web_search_20250305', name: 'web_search', max_uses: 3, allowed_domains: ['a.example'] },
      ...{ blocked_domains: ['b.example'], user_location: { type: 'approximate' } },
    },
    { type: 'web_fetch_20250910', name: 'web_fetch', max_content_tokens: 9 },
    { type: 'mcp_toolset', mcp_server_name: 's' },
  ],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'hi', cache_control: MARK },
        {
          type: 'image',
          source: { type: 'base64', media_type: 'image/png', data: PICTURE.split(',')[1] ?? '' },
        },
        {
          ...{ type: 'document', title: 't', context: 'c', citations: { enabled: true } },
          source: { type: 'text', media_type: 'text/plain', data: 'long' },
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'AAAA' },
        {
          type: 'tool_use',
          id: 't',
          name: 'f',
          input: { a: 1 },
          extra_content: { google: { thought_signature: 'AAAA' } },
        },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'found', is_error: true }] },
  ],
};
const GEMINI: JsonObject = {
  systemInstruction: { parts: [{ text: 'be brief' }] },
  generationConfig: {
    maxOutputTokens: 5,
    candidateCount: 2,
    responseModalities: ['AUDIO'],
    responseSchema: { ...SCHEMA, nullable: true, property_ordering: ['a'], propertyOrdering: ['a'] },
  },
  tools: [
    { googleSearch: {} },
    { functionDeclarations: [{ name: 'f', description: 'd', parameters: SCHEMA }] },
  ],
  contents: [
    {
      role: 'user',
      parts: [
        { text: 'hi' },
        { inlineData: { mimeType: 'image/png', data: PICTURE.split(',')[1] ?? '' } },
        { fileData: { mimeType: 'video/mp4', fileUri: 'https://a.example/b.mp4' } },
        { inlineData: { mimeType: 'video/mp4', data: FILM }, videoMetadata: { fps: 12 } },
      ],
    },
    { role: 'model', parts: [{ functionCall: { name: 'f', args: { a: 1 } } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'f', response: { a: 1, error: 'none' } } }] },
  ],
};
const PLAIN: JsonObject = {
  ...ASKED,
  model: 'dall-e-3',
  prompt: 'a cat',
  suffix: 's',
  best_of: 3,
  max_tokens: 5,
  size: '1024x1792',
  quality: 'hd',
  partial_images: 2,
  input: 'hi',
  instructions: 'softly',
  query: 'q',
  documents: ['a', { text: 'b' }, { pdf: 'JVBERi0=' }, { multi_images: [PICTURE] }],
  rank_fields: ['text', 'pdf', 'multi_images'],
  ...{ top_n: 1, return_documents: true, dimensions: 9, encoding_format: 'float' },
  stream_format: 'sse',
  content: { parts: [{ text: 'hi' }] },
  requests: [{ model: 'models/m', content: { parts: [{ text: 'hi' }] } }],
};

const BODIES: Readonly<Record<string, JsonObject>> = {
  '/v1/chat/completions': CHAT,
  '/v1/responses': RESPONSES,
  '/v1/messages': MESSAGES,
  '/v1/messages/count_tokens': MESSAGES,
  generateContent: GEMINI,
  streamGenerateContent: GEMINI,
  countTokens: GEMINI,
};

/** Everything by which a call is priced, held and bounded, and what goes up of its tools, as text. */
function priced(dialect: CallersDialect, body: JsonObject): string {
  return JSON.stringify(
    READERS.map((read) => {
      try {
        return read(body, dialect) ?? null;
      } catch (error) {
        return String(error);
      }
    }),
  );
}

const MODELS = ['grok-4'];
const READERS: readonly ((body: JsonObject, dialect: CallersDialect) => unknown)[] = [
  (body, { readRequest }) => {
    const { affinity: _, prompt, ...counted } = readRequest(body, { model: 'grok-4', files: [] });
    // Words are counted by whatever name they come.
    return [counted, { ...prompt, textBytes: 0, textDense: 0, messages: 0 }];
  },
  (body, { paidTools }) => paidTools?.(body, MODELS),
  (body, { withToolLimits }) =>
    toolsIn(withToolLimits?.(body, NO_TOOLS, () => 7)).map(({ max_uses }) => max_uses),
  (body, { withReadLimits }) =>
    toolsIn(withReadLimits?.(body, () => 7)).map(({ max_content_tokens }) => max_content_tokens),
  (body, { knownTool }) =>
    toolsIn(body).map((tool) => knownTool?.(tool, { isInside: false, isPriced: () => true }) === null),
  (body, { foretells }) => foretells?.(body),
  (body) => withSeveral(NO_TOOLS, body, MODELS),
  (body) => [toolModels(body), runsTools(body), runsCode(body, MODELS)],
  (body) => [editsOf(body), longestLife(body), asksAnyToThink(body)],
];

const toolsIn = ({ tools }: JsonObject = {}): JsonObject[] =>
  Array.isArray(tools) ? tools.filter((tool): tool is JsonObject => isObject(tool)) : [];

/** The body, and the names that it is asked for in vain. */
function listening(body: JsonObject): { body: JsonObject; missed: Set<string> } {
  const missed = new Set<string>();
  const note = (object: object, name: string | symbol) => {
    if (typeof name === 'string' && name !== 'toJSON' && !(name in object)) missed.add(name);
  };
  const heard = (value: Json | undefined): Json | undefined => {
    if (Array.isArray(value)) return value.map((each) => heard(each) ?? null);
    if (!isObject(value)) return value;
    const inner = Object.fromEntries(
      Object.entries(value as JsonObject).map(([name, each]) => [name, heard(each)]),
    );
    return new Proxy(inner, {
      get(object, name) {
        note(object, name);
        return Reflect.get(object, name);
      },
      has(object, name) {
        note(object, name);
        return Reflect.has(object, name);
      },
    });
  };
  return { body: heard(body) as JsonObject, missed };
}

/** The names on the way to each field of a body. */
function* placesIn(value: Json | undefined, path: readonly string[] = []): Generator<readonly string[]> {
  if (Array.isArray(value)) {
    for (const [n, inner] of value.entries()) yield* placesIn(inner, [...path, String(n)]);
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value as JsonObject)) {
      yield [...path, name];
      yield* placesIn(inner, [...path, name]);
    }
  }
}

/** The body with another spelling of what stands at the end of this way, which is as long. */
function respelled(value: Json, [step = '', ...way]: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((each, n) => (`${n}` === step ? respelled(each, way) : each));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, inner = null]) => {
      if (name !== step) return [name, inner];
      return way.length === 0 ? [name.toUpperCase(), inner] : [name, respelled(inner, way)];
    }),
  );
}

const namesOf = ({ rules: { own = [], twins = [] } }: CallersDialect): ReadonlySet<string> =>
  new Set([...FIELDS, ...own, ...twins].map(folded));

const containers = new Set(CONTAINERS.map(folded));

/** Of films no other field goes up than those by which they are asked for. */
const surfaces = [
  ...endpoints.map(({ path, dialect }): [string, CallersDialect] => [path, dialect]),
  ...Object.entries(modelActions).map(([name, { dialect }]): [string, CallersDialect] => [name, dialect]),
].filter(([, dialect]) => dialect !== openaiVideos);

describe('a field by which a call is priced', () => {
  it.each(surfaces)('stands in the table: %s', (path, dialect) => {
    const body = BODIES[path] ?? PLAIN;
    const opaque = new Set([...OPAQUE, ...dialect.rules.opaque].map(folded));
    const known = namesOf(dialect);
    const whole = priced(dialect, body);
    const missing = new Set<string>();
    for (const place of placesIn(body)) {
      // What holds the caller's own names is seen as a whole.
      if (place.slice(0, -1).some((name) => opaque.has(folded(name)))) continue;
      const name = folded(place.at(-1) ?? '');
      if (known.has(name) || opaque.has(name) || containers.has(name)) continue;
      if (priced(dialect, respelled(body, place) as JsonObject) !== whole) missing.add(place.join('.'));
    }
    expect([...missing]).toEqual([]);
  });

  it.each(surfaces)('is in the body by which that is asked: %s', (path, dialect) => {
    const whole = BODIES[path] ?? PLAIN;
    const { body, missed } = listening(whole);
    priced(dialect, body);
    const held = new Set([...placesIn(whole)].map((place) => place.at(-1)));
    const known = namesOf(dialect);
    expect([...missed].filter((name) => !held.has(name) && !known.has(folded(name)))).toEqual([]);
  });

  it('stands there once', () => {
    expect(new Set(GATEWAY_FIELDS.map(({ name }) => folded(name))).size).toBe(GATEWAY_FIELDS.length);
  });
});
