/** What a call is priced, held and bounded by stands in the one table of fields, so that no other spelling of it goes up. */
import { describe, expect, it } from 'bun:test';
import { isObject, type Json, type JsonObject } from '../../src/core/json.ts';
import { type CallersDialect, CONTAINERS, OPAQUE } from '../../src/dialects/body-rules.ts';
import { FIELDS, GATEWAY_FIELDS } from '../../src/dialects/gateway-fields.ts';
import { folded } from '../../src/dialects/spelling.ts';
import { toolModels } from '../../src/dialects/tool-uses.ts';
import { endpoints, modelActions } from '../../src/relay/entry/endpoints.ts';

const PICTURE = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAABAAAAAQACAYAAAA=';
const FILM = Buffer.concat([Buffer.from('\0\0\0\x08ftyp'), Buffer.alloc(4000)]).toString('base64');
const SOUND = 'data:audio/wav;base64,AAAAAAAAAAAAAAAA';
const MARK = { type: 'ephemeral', ttl: '1h' };
const SCHEMA = { type: 'object', properties: { a: { type: 'string' } } };

const ASKED: JsonObject = { n: 2, stream: true, service_tier: 'default' };
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
  plugins: [{ id: 'web' }],
  tools: [
    { type: 'function', function: { name: 'f', description: 'd', parameters: SCHEMA }, cache_control: MARK },
    { type: 'web_search_20250305', max_uses: 3 },
  ],
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
      ],
    },
    {
      role: 'assistant',
      reasoning_content: 'hm',
      refusal: 'no',
      audio: { data: 'AAAA' },
      function_call: { name: 'g', arguments: '{}' },
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
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
  text: { format: { type: 'json_schema', name: 'x', schema: SCHEMA } },
  tools: [
    { type: 'web_search' },
    { type: 'image_generation', quality: 'low', model: 'gpt-image-1' },
    { type: 'function', name: 'f', description: 'd', parameters: SCHEMA },
  ],
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'hi' },
        { type: 'input_image', image_url: PICTURE, detail: 'high' },
        { type: 'input_file', file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' },
      ],
    },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'found' },
  ],
};
const MESSAGES: JsonObject = {
  model: 'claude',
  max_tokens: 5,
  stream: true,
  system: [{ type: 'text', text: 'be brief', cache_control: MARK }],
  thinking: { type: 'enabled', budget_tokens: 1024 },
  tools: [
    { name: 'f', description: 'd', input_schema: SCHEMA, cache_control: MARK },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 3 },
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
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'long' } },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: { a: 1 } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'found' }] },
  ],
};
const GEMINI: JsonObject = {
  systemInstruction: { parts: [{ text: 'be brief' }] },
  generationConfig: {
    maxOutputTokens: 5,
    candidateCount: 2,
    responseModalities: ['AUDIO'],
    responseSchema: SCHEMA,
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
    { role: 'user', parts: [{ functionResponse: { name: 'f', response: { a: 1 } } }] },
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
  documents: ['a', { text: 'b' }],
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

/** Everything by which a call is priced, held and bounded, as text. */
function priced(dialect: CallersDialect, body: JsonObject): string {
  try {
    const facts = dialect.readRequest(structuredClone(body), { model: 'grok-4', files: [] });
    const { affinity: _, previousAnswer: __, ...counted } = facts;
    return JSON.stringify([counted, dialect.paidTools?.(body, ['grok-4']), toolModels(body)]);
  } catch (error) {
    return String(error);
  }
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

function without(body: JsonObject, path: readonly string[]): JsonObject {
  const copy = structuredClone(body);
  let holder: Json = copy;
  for (const step of path.slice(0, -1)) holder = (holder as Record<string, Json>)[step] ?? null;
  delete (holder as JsonObject)[path.at(-1) ?? ''];
  return copy;
}

const containers = new Set(CONTAINERS.map(folded));

const surfaces = [
  ...endpoints.map(({ path, dialect }): [string, CallersDialect] => [path, dialect]),
  ...Object.entries(modelActions).map(([name, { dialect }]): [string, CallersDialect] => [name, dialect]),
];

describe('a field by which a call is priced', () => {
  it.each(surfaces)('stands in the table: %s', (path, dialect) => {
    const body = BODIES[path] ?? PLAIN;
    const opaque = new Set([...OPAQUE, ...dialect.rules.opaque].map(folded));
    const known = new Set([...FIELDS, ...(dialect.rules.twins ?? [])].map(folded));
    const whole = priced(dialect, body);
    const missing = new Set<string>();
    for (const place of placesIn(body)) {
      // What holds the caller's own names is seen as a whole.
      if (place.slice(0, -1).some((name) => opaque.has(folded(name)))) continue;
      const name = folded(place.at(-1) ?? '');
      if (known.has(name) || opaque.has(name) || containers.has(name)) continue;
      if (priced(dialect, without(body, place)) !== whole) missing.add(place.join('.'));
    }
    expect([...missing]).toEqual([]);
  });

  it('stands there once', () => {
    expect(new Set(GATEWAY_FIELDS.map(({ name }) => folded(name))).size).toBe(GATEWAY_FIELDS.length);
  });
});
