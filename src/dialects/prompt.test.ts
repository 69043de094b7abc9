/** No text of a request is forgotten: wherever a field stands that nobody knows, what it says is held and counted. */
import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import { type CallersDialect, ruled } from './body-rules.ts';
import type { PathFacts, PromptSize } from './dialect.ts';
import { gemini } from './gemini/dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import type { ReadsOf, Shape } from './other-texts.ts';
import { anthropicCount, geminiCount } from './plain/count-tokens.ts';
import { geminiBatchEmbed, geminiEmbed } from './plain/gemini-embeddings.ts';
import { openaiSpeech, openaiTranscriptions } from './plain/openai-audio.ts';
import { openaiCompletions } from './plain/openai-completions.ts';
import { openaiEmbeddings } from './plain/openai-embeddings.ts';
import { openaiImages } from './plain/openai-images.ts';
import { openaiModerations } from './plain/openai-moderations.ts';
import { openaiRerank } from './plain/openai-rerank.ts';
import { promptTexts, requestFacts } from './prompt.ts';
import { chatDialects } from './registry.ts';
import { camelOf, snakeOf } from './spelling.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAIAAAC6s0uzAAAAAElFTkSuQmCC';
const PDF = 'JVBERi0xLjc=';
const schema: JsonObject = { type: 'object', properties: { city: { type: 'string' } } };

type Asked = [dialect: CallersDialect, body: JsonObject, path?: PathFacts];

/** Requests with everything that a wire has. */
const REQUESTS: Record<string, Asked> = {
  chat: [
    openaiChat,
    {
      model: 'm',
      messages: [
        { role: 'system', content: 'be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
            { type: 'file', file: { file_url: 'https://a.example/b.pdf' } },
            { type: 'video_url', video_url: { url: 'https://a.example/b.mp4' } },
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF } },
            { type: 'refusal', refusal: 'no' },
          ],
        },
        {
          role: 'assistant',
          content: 'so',
          reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 'a' }],
          audio: { id: 'audio_1' },
          images: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }],
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'sun' },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
      web_search_options: { user_location: { type: 'approximate', approximate: { city: 'Oslo' } } },
      chat_template_kwargs: { enable_thinking: true },
      extra_body: { google: { thinking_config: { include_thoughts: true } } },
      audio: { voice: { id: 'a' }, format: 'wav' },
      plugins: [{ id: 'file-parser', pdf: { engine: 'a' } }],
      reasoning: { effort: 'low' },
      thinking: { type: 'enabled' },
    },
  ],
  responses: [
    openaiResponses,
    {
      model: 'm',
      instructions: 'be brief',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'hi' },
            { type: 'input_image', image_url: `data:image/png;base64,${PNG}` },
            { type: 'input_file', file_data: `data:application/pdf;base64,${PDF}`, filename: 'a.pdf' },
            { type: 'input_file', file_url: 'https://a.example/b.pdf' },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
            { type: 'input_video', video_url: { url: 'https://a.example/b.mp4' } },
            { type: 'refusal', refusal: 'no' },
          ],
        },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }] },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'so', annotations: [{ type: 'url_citation', url: 'u' }] }],
        },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'sun' }] },
        { type: 'custom_tool_call', call_id: 'd', name: 'g', input: 'x' },
        { type: 'custom_tool_call_output', call_id: 'd', output: 'y' },
        { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'q' } },
        { type: 'image_generation_call', id: 'ig_1', result: PNG },
      ],
      tools: [{ type: 'function', name: 'f', parameters: schema }],
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'a', schema } },
      reasoning: { effort: 'low' },
      prompt: { id: 'pmpt_1', variables: { a: 'b' } },
    },
  ],
  messages: [
    anthropicMessages,
    {
      model: 'm',
      max_tokens: 9,
      system: [{ type: 'text', text: 'be brief' }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'hi' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
            { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
            { type: 'image', source: { type: 'file', file_id: 'file_1' } },
            { type: 'document', title: 'a', source: { type: 'text', media_type: 'text/plain', data: 'b' } },
            { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'b' }] } },
            { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'c' }] },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'a' },
            { type: 'redacted_thinking', data: 'a' },
            { type: 'tool_use', id: 't', name: 'f', input: { city: 'Oslo' } },
            { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'sun' }] }],
        },
      ],
      tools: [{ name: 'f', input_schema: schema }],
      thinking: { type: 'enabled', budget_tokens: 1024 },
      output_config: { effort: 'low', format: { type: 'json_schema', schema } },
      tool_choice: { type: 'tool', name: 'f' },
      container: { id: 'c', skills: [{ type: 'anthropic', skill_id: 'pdf' }] },
      context_management: { edits: [{ type: 'clear_tool_uses', keep: { type: 'tool_uses', value: 3 } }] },
    },
  ],
  gemini: [
    gemini,
    {
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'hi' },
            { inlineData: { mimeType: 'image/png', data: PNG } },
            { fileData: { mimeType: 'video/mp4', fileUri: 'https://a.example/b' } },
          ],
        },
        {
          role: 'model',
          parts: [
            { text: 'hm', thought: true, thoughtSignature: 'a' },
            { functionCall: { id: 'c', name: 'f', args: { city: 'Oslo' } } },
            { executableCode: { language: 'PYTHON', code: '1' } },
          ],
        },
        {
          role: 'user',
          parts: [
            {
              functionResponse: {
                id: 'c',
                name: 'f',
                response: { result: 'sun' },
                parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }],
              },
            },
          ],
        },
      ],
      system_instruction: { parts: [{ text: 'be brief' }] },
      tools: [{ functionDeclarations: [{ name: 'f', parameters: { type: 'OBJECT', properties: {} } }] }],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' }, retrievalConfig: { languageCode: 'en' } },
      generation_config: {
        responseMimeType: 'application/json',
        response_schema: { type: 'OBJECT', properties: {} },
        thinkingConfig: { thinkingLevel: 'LOW' },
      },
    },
    { model: 'm' },
  ],
  completions: [openaiCompletions, { model: 'm', prompt: 'hi', suffix: 'so' }],
  speech: [openaiSpeech, { model: 'a-voice', input: 'hi', voice: 'alloy' }],
  images: [openaiImages, { model: 'a-brush', prompt: 'a cat' }],
  moderations: [
    openaiModerations,
    {
      input: [
        { type: 'text', text: 'hi' },
        { type: 'image_url', image_url: { url: 'https://a.example/b' } },
      ],
    },
  ],
  embeddings: [openaiEmbeddings, { model: 'm', input: ['hi', { text: 'so' }, { image: PNG }] }],
  rerank: [
    openaiRerank,
    { model: 'm', query: { text: 'q' }, documents: ['a', { text: 'b' }, { body: 'c' }] },
  ],
  'gemini embedding': [
    geminiEmbed,
    { content: { parts: [{ text: 'hi' }, { inlineData: { mimeType: 'image/png', data: PNG } }] } },
    { model: 'm' },
  ],
  'gemini embeddings': [
    geminiBatchEmbed,
    { requests: [{ model: 'models/m', content: { parts: [{ text: 'hi' }] } }] },
    { model: 'm' },
  ],
  'count for Claude': [anthropicCount, { model: 'm', messages: [{ role: 'user', content: 'hi' }] }],
  'count for Gemini': [
    geminiCount,
    { generateContentRequest: { contents: [{ parts: [{ text: 'hi' }] }] } },
    { model: 'm' },
  ],
};

/** Marks that no model reads, whatever stands in them; and names of the caller's, behind which only schemas stand. */
const OPAQUE = new Set(['cache_control', 'properties']);

/** Copies of a body, each with a field more in one of its objects; and where that is. */
function* withField(value: Json, name: string, added: Json, at = ''): Generator<[at: string, copy: Json]> {
  if (Array.isArray(value)) {
    for (const [n, item] of value.entries()) {
      for (const [where, copy] of withField(item, name, added, `${at}[${n}]`))
        yield [where, value.with(n, copy)];
    }
  } else if (isObject(value)) {
    const object = value as JsonObject;
    yield [at, { ...object, [name]: added }];
    for (const [field, inner] of Object.entries(object)) {
      if (inner === undefined || OPAQUE.has(field)) continue;
      for (const [where, copy] of withField(inner, name, added, `${at}.${field}`)) {
        yield [where, { ...object, [field]: copy }];
      }
    }
  }
}

const sizeOf = (dialect: CallersDialect, body: JsonObject, path: PathFacts = {}): number => {
  const { textBytes, tools, fileBytes } = requestFacts(dialect, body, path).prompt;
  return textBytes + (tools?.bytes ?? 0) + fileBytes;
};
const charsOf = (dialect: CallersDialect, body: JsonObject): number =>
  promptTexts(dialect, body).join('').length;

const words = fc
  .array(fc.constantFrom('tell', 'me', 'all', 'that', 'you', 'know'), { minLength: 20, maxLength: 200 })
  .map((all) => all.join(' '));
const shaped = fc
  .tuple(words, fc.integer({ min: 0, max: 4 }))
  .map(([text, shape]): [text: string, value: Json] => [
    text,
    [text, [text], { text }, [{ a: [text] }], { [text]: 'x' }][shape] ?? text,
  ]);

describe.each(Object.entries(REQUESTS))('a field that nobody knows in a request of %s', (_, given) => {
  const [dialect, body, path] = given;

  it('is held and counted wherever it stands', () => {
    const [held, counted] = [sizeOf(dialect, body, path), charsOf(dialect, body)];
    fc.assert(
      fc.property(shaped, fc.constantFrom('new_words', 'newWords', 'x'), ([text, value], name) => {
        for (const [at, copy] of withField(body, name, value)) {
          const more = copy as JsonObject;
          if (sizeOf(dialect, more, path) - held < text.length) throw new Error(`not held at ${at}`);
          if (charsOf(dialect, more) - counted < text.length) throw new Error(`not counted at ${at}`);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('costs nothing where it is a number or a flag', () => {
    const held = sizeOf(dialect, body, path);
    for (const value of [1, true, null]) {
      expect(sizeOf(dialect, { ...body, new_setting: value }, path)).toBe(held);
    }
  });
});

/** Longer than everything else that the requests say. */
const SECRET = 'and a secret word '.repeat(400);
const ENCODED = Buffer.from(SECRET).toString('base64');

/** Whether it goes up at all: of two spellings one does. */
function isSent(dialect: CallersDialect, body: JsonObject): boolean {
  const sent = JSON.stringify(dialect.forward(body, { model: 'm', stream: false, askUsage: false }));
  return sent.includes(SECRET) || sent.includes(ENCODED);
}

/** What a body comes to as callers send it: whether it is refused, and whether its secret is held and looked through. */
function fateOf([dialect, given, path = {}]: Asked): 'refused' | 'read' | 'unread' {
  try {
    const { body } = ruled(given, dialect.rules);
    if (!isSent(dialect, body)) return 'refused';
    const isHeld = sizeOf(dialect, body, path) >= SECRET.length;
    const isSeen = promptTexts(dialect, body).some((text) => text.includes(SECRET));
    return isHeld && isSeen ? 'read' : 'unread';
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_request') return 'refused';
    throw error;
  }
}

const chatWith = (message: JsonObject): JsonObject => ({
  model: 'm',
  messages: [{ role: 'user', ...message }],
});
const claudeWith = (content: Json, more: JsonObject = {}): JsonObject => ({
  model: 'm',
  max_tokens: 9,
  messages: [{ role: 'user', content }],
  ...more,
});
const geminiWith = (part: JsonObject, more: JsonObject = {}): JsonObject => ({
  contents: [{ parts: [part] }],
  ...more,
});
const SOUND: PathFacts = {
  files: [{ name: 'file', filename: 'a.wav', type: 'audio/wav', bytes: 9, seconds: 1, heldSeconds: 1 }],
};
const format: JsonObject = { type: 'json_schema', schema: { description: SECRET } };

describe('what stands in another shape than usual is read, or refused', () => {
  it.each<[fate: 'read' | 'refused', name: string, Asked]>([
    ['read', 'a role', [openaiChat, chatWith({ role: `user\n${SECRET}`, content: 'hi' })]],
    ['read', 'pictures in a list of lists', [openaiChat, chatWith({ content: 'hi', images: [[SECRET]] })]],
    ['read', 'a text among pictures', [openaiChat, chatWith({ images: [{ type: 'text', text: SECRET }] })]],
    [
      'read',
      'a label of a part',
      [openaiChat, chatWith({ content: [{ type: 'x', image_url: 'https://a.example/b', detail: SECRET }] })],
    ],
    [
      'read',
      'declarations as one object',
      [
        gemini,
        geminiWith({ text: 'hi' }, { tools: [{ functionDeclarations: { name: 'f', description: SECRET } }] }),
        { model: 'm' },
      ],
    ],
    [
      'read',
      'everything as one object',
      [
        gemini,
        { contents: { parts: { text: SECRET } }, tools: { function_declarations: { name: 'f' } } },
        { model: 'm' },
      ],
    ],
    [
      'read',
      'a part of a result as one object',
      [
        gemini,
        geminiWith({
          functionResponse: {
            name: 'f',
            response: {},
            parts: { inlineData: { mimeType: 'text/plain', data: ENCODED } },
          },
        }),
        { model: 'm' },
      ],
    ],
    [
      'refused',
      'a declaration that is none',
      [gemini, geminiWith({ text: 'hi' }, { tools: [{ functionDeclarations: SECRET }] }), { model: 'm' }],
    ],
    [
      'refused',
      'a prompt in an object',
      [openaiCompletions, { model: 'm', prompt: [{ prompt_string: SECRET }] }],
    ],
    ['read', 'a prompt said twice', [openaiTranscriptions, { prompt: ['hi', SECRET] }, SOUND]],
    [
      'refused',
      'a second format',
      [
        anthropicMessages,
        claudeWith('hi', { output_config: { format: { ...format, schema } }, output_format: format }),
      ],
    ],
    [
      'read',
      'a schema of no format',
      [anthropicMessages, claudeWith('hi', { output_format: { ...format, type: 'text' } })],
    ],
    [
      'read',
      'a result that is one block',
      [
        anthropicMessages,
        claudeWith([{ type: 'tool_result', tool_use_id: 't', content: { type: 'text', text: SECRET } }]),
      ],
    ],
    [
      'read',
      'a description in a list',
      [
        anthropicMessages,
        claudeWith('hi', { tools: [{ name: 'f', description: [SECRET], input_schema: schema }] }),
      ],
    ],
    [
      'read',
      'what sums up',
      [
        anthropicMessages,
        claudeWith('hi', { context_management: { edits: [{ type: 'compact', instructions: SECRET }] } }),
      ],
    ],
    [
      'read',
      'an input beside arguments',
      [
        openaiResponses,
        {
          model: 'm',
          input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', input: SECRET }],
        },
      ],
    ],
  ])('%s: %s', (fate, _name, asked) => {
    expect(fateOf(asked)).toBe(fate);
  });
});

it('words are held and looked through in many labels of a part as well', () => {
  const label = SECRET.slice(0, 60);
  const body = chatWith({
    content: [{ type: 'x', image_url: 'https://a.example/b', of: Array(100).fill({ type: label }) }],
  });
  expect(sizeOf(openaiChat, body)).toBeGreaterThanOrEqual(100 * label.length);
  expect(charsOf(openaiChat, body)).toBeGreaterThanOrEqual(100 * label.length);
});

const OTHERS: readonly Json[] = [
  SECRET,
  { text: SECRET },
  { type: 'text', text: SECRET },
  [SECRET],
  [{ text: SECRET }],
  [[SECRET]],
  [[{ type: 'text', text: SECRET }]],
];

/** Copies of a body, each with another value in a field that its wire knows; where that is, and if its reader takes it. */
function* withOther(
  value: Json,
  { object, items }: Shape,
  lists: readonly string[],
  others: readonly Json[] = OTHERS,
  at = '',
): Generator<{ copy: Json; at: string; isTaken: boolean }> {
  if (Array.isArray(value)) {
    for (const [n, item] of items ? value.entries() : []) {
      for (const seen of withOther(item, items ?? {}, lists, others, at))
        yield { ...seen, copy: value.with(n, seen.copy) };
    }
    return;
  }
  const known = isObject(value) && object && readsIn(value as JsonObject, object);
  if (!known) return;
  const holder = value as JsonObject;
  for (const [name, shape] of known.fields) {
    const place = at === '' ? name : `${at}.${name}`;
    const isListed = lists.includes(camelOf(name));
    for (const other of others) {
      yield {
        copy: { ...holder, [name]: other },
        at: place,
        isTaken: takes(shape, isListed ? [other].flat() : other),
      };
    }
    for (const seen of withOther(holder[name] ?? null, shape, lists, others, place)) {
      yield { ...seen, copy: { ...holder, [name]: seen.copy } };
    }
  }
}

const readsIn = (given: JsonObject, known: ReadsOf) => (typeof known === 'function' ? known(given) : known);

/** Whether a reader takes a value, and all that it holds. */
function takes(shape: Shape | undefined, value: Json): boolean {
  if (typeof value === 'string') return shape?.text?.(value) ?? false;
  if (Array.isArray(value)) {
    return shape?.isWhole || (shape?.items !== undefined && value.every((item) => takes(shape.items, item)));
  }
  if (!isObject(value)) return true;
  if (!shape?.object) return false;
  const known = readsIn(value as JsonObject, shape.object);
  return (
    !known || Object.entries(value).every(([name, inner]) => takes(known.fields.get(name), inner as Json))
  );
}

/** What no model reads where it stands in the shape that it has: settings, marks, and media, which are measured as such. */
const SILENT_FIELDS = [
  'action allowed_function_names anthropic_beta anthropic_version audio audio_url background',
  'betas cache_control cached_content citations clear_at_least clear_tool_inputs container',
  'context conversation data detail display effort embedding_type embedding_types',
  'encoding_format engine exclude_tools file_data file_id file_uri file_url format',
  'function_call generate_summary id image image_config image_url image_urls images include',
  'input_type keep labels language language_code lat_lng logit_bias logprobs mask',
  'media_resolution media_type metadata mime_type modalities mode models multi_images',
  'output_dimensionality output_dtype output_format pdf phase previous_response_id',
  'prompt_cache_key prompt_cache_retention provider quality rank_fields reasoning_effort',
  'reasoning_format request_id response_format response_mime_type response_modalities route',
  'safety_identifier safety_settings scheduling search_context_size service_tier session_id',
  'size skill_id speech_config speed status stop stop_sequences stream stream_format',
  'stream_options summary task task_type thinking_level tool_choice transforms trigger truncate',
  'truncation type url usage user user_id verbosity version video video_url voice',
].join(' ');

describe('a field that is known', () => {
  const silent = new Set<string>();

  it.each(Object.entries(REQUESTS))(
    'is read in every shape, or is a setting, in a request of %s',
    (_, [dialect, body, path]) => {
      const unread = new Set<string>();
      for (const { copy, at, isTaken } of withOther(
        body,
        { object: dialect.reads },
        dialect.rules.lists ?? [],
      )) {
        if (fateOf([dialect, copy as JsonObject, path]) !== 'unread') continue;
        if (isTaken) silent.add(snakeOf(at.replace(/.*\./, '')));
        else unread.add(at);
      }
      expect([...unread]).toEqual([]);
    },
  );

  it('says nothing to a model in the shape that it has, where it is one of these', () => {
    expect([...silent].sort().join(' ')).toBe(SILENT_FIELDS);
  });
});

/** Lists of parts, each no longer than one may be. */
const lists = (parts: number, part: Json): Json[] =>
  Array.from({ length: Math.ceil(parts / limits.partsMax) }, (_, n) =>
    Array.from({ length: Math.min(limits.partsMax, parts - n * limits.partsMax) }, () => part),
  );
const capped = { model: 'm', max_tokens: 1 };

/** A request of so many parts, where that wire has them. */
const PARTED: Record<string, [dialect: CallersDialect, body: (parts: number) => JsonObject, field: string]> =
  {
    'messages of a chat': [
      openaiChat,
      (parts) => ({
        model: 'm',
        messages: lists(parts, { type: 'text', text: 'x' }).map((content) => ({ role: 'user', content })),
      }),
      'messages',
    ],
    'calls of a chat': [
      openaiChat,
      (parts) => ({
        model: 'm',
        messages: lists(parts, { id: 'c', type: 'function', function: { name: 'f', arguments: '' } }).map(
          (tool_calls) => ({ role: 'assistant', tool_calls }),
        ),
      }),
      'messages',
    ],
    'details of reasoning': [
      openaiChat,
      (parts) => ({
        model: 'm',
        messages: lists(parts, { type: 'x' }).map((reasoning_details) => ({
          role: 'assistant',
          content: 'x',
          reasoning_details,
        })),
      }),
      'messages',
    ],
    'annotations of a chat': [
      openaiChat,
      (parts) => ({
        model: 'm',
        messages: lists(parts, { type: 'x' }).map((annotations) => ({
          role: 'assistant',
          content: 'x',
          annotations,
        })),
      }),
      'messages',
    ],
    'what is foretold of a chat': [
      openaiChat,
      (parts) => ({
        model: 'm',
        messages: [{ role: 'user', content: 'x' }],
        prediction: { type: 'content', content: lists(parts, { type: 'text', text: 'x' }).flat() },
      }),
      'prediction',
    ],
    "servers of Messages' caller": [
      anthropicMessages,
      (parts) => ({
        ...capped,
        messages: [{ role: 'user', content: 'x' }],
        mcp_servers: lists(parts, { type: 'url' }).flat(),
      }),
      'mcp_servers',
    ],
    Messages: [
      anthropicMessages,
      (parts) => ({
        ...capped,
        messages: lists(parts, { type: 'x' }).map((content) => ({ role: 'user', content })),
      }),
      'messages',
    ],
    'a result in Messages': [
      anthropicMessages,
      (parts) => ({
        ...capped,
        messages: [
          {
            role: 'user',
            content: lists(parts, { type: 'x' }).map((content) => ({
              type: 'tool_result',
              tool_use_id: 't',
              content,
            })),
          },
        ],
      }),
      'messages',
    ],
    'items of Responses': [
      openaiResponses,
      (parts) => ({
        model: 'm',
        input: lists(parts, { type: 'x' }).map((content) => ({ role: 'user', content })),
      }),
      'input',
    ],
    'outputs in Responses': [
      openaiResponses,
      (parts) => ({
        model: 'm',
        input: lists(parts, { type: 'x' }).map((output) => ({
          type: 'function_call_output',
          call_id: 'c',
          output,
        })),
      }),
      'input',
    ],
    'contents of Gemini': [
      gemini,
      (parts) => ({
        model: 'm',
        contents: lists(parts, { text: 'x' }).map((inner) => ({ role: 'user', parts: inner })),
      }),
      'contents',
    ],
    'a response to Gemini': [
      gemini,
      (parts) => ({
        model: 'm',
        contents: [
          {
            role: 'user',
            parts: lists(parts, { text: 'x' }).map((inner) => ({
              functionResponse: { name: 'f', response: {}, parts: inner },
            })),
          },
        ],
      }),
      'contents',
    ],
    'tools of Gemini': [
      gemini,
      (parts) => ({
        model: 'm',
        contents: [{ role: 'user', parts: [{ text: 'x' }] }],
        tools: lists(parts, { name: 'f' }).map((functionDeclarations) => ({ functionDeclarations })),
      }),
      'tools',
    ],
    'a question of Gemini': [
      geminiCount,
      (parts) => ({
        generateContentRequest: {
          model: 'm',
          contents: lists(parts, { text: 'x' }).map((inner) => ({ role: 'user', parts: inner })),
        },
      }),
      'generateContentRequest',
    ],
    'texts of a batch': [
      geminiBatchEmbed,
      (parts) => ({
        model: 'm',
        requests: lists(parts, { text: 'x' }).map((inner) => ({ content: { parts: inner } })),
      }),
      'requests',
    ],
  };

it.each(Object.entries(PARTED))('parts are read up to a number of them: %s', (_, [dialect, body, field]) => {
  // Beside the parts stand the messages that hold them, or whatever does.
  const holders = 2 * Math.ceil(limits.allPartsMax / limits.partsMax) + 2;
  expect(() => requestFacts(dialect, body(limits.allPartsMax - holders), { model: 'm' })).not.toThrow();
  expect(() => requestFacts(dialect, body(limits.allPartsMax + 1), { model: 'm' })).toThrow(
    expect.objectContaining({ code: 'invalid_request', detail: expect.objectContaining({ field }) }),
  );
});

it('numbers in a list are no parts', () => {
  const input = [Array.from({ length: 2 * limits.allPartsMax }, () => 1)];
  expect(() => requestFacts(openaiEmbeddings, { model: 'm', input }, {})).not.toThrow();
});

it.each<[more: JsonObject, part: JsonObject, life: PromptSize['cacheMarks']]>([
  [{ prompt_cache_options: { mode: 'explicit', ttl: '12h' } }, {}, 'hour'],
  [{}, { prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } }, 'hour'],
  [{ prompt_cache_options: { ttl: '1h' } }, {}, 'hour'],
  [{ prompt_cache_options: { ttl: 'of the future' } }, {}, 'hour'],
  [{}, { cache_control: { type: 'ephemeral', ttl: '3600s' } }, 'hour'],
  [{}, { cache_control: { type: 'ephemeral', ttl: 7200 } }, 'hour'],
  [{}, { cache_control: { type: 'ephemeral', ttl: '5m' } }, 'minutes'],
  [{ prompt_cache_options: { ttl: '5m' } }, {}, undefined],
  [{ prompt_cache_options: { ttl: '30m' } }, { prompt_cache_breakpoint: { mode: 'explicit' } }, undefined],
])('what a cache keeps longer than usual is held as what is kept longest: %j with %j', (more, part, life) => {
  const content = (type: string) => [{ role: 'user', content: [{ type, text: 'x', ...part }] }];
  const chat = requestFacts(openaiChat, { model: 'm', messages: content('text'), ...more }, {});
  const responses = requestFacts(openaiResponses, { model: 'm', input: content('input_text'), ...more }, {});
  expect([chat.prompt.cacheMarks, responses.prompt.cacheMarks]).toEqual([life, life]);
});

it.each(Object.entries(REQUESTS))(
  'a mark is held as one wherever it stands in a request of %s',
  (_, [dialect, body, path = {}]) => {
    const lifeIn = (given: Json) => requestFacts(dialect, given as JsonObject, path).prompt.cacheMarks;
    const before = lifeIn(body);
    for (const [ttl, life] of [
      ['1h', 'hour'],
      ['5m', 'minutes'],
    ] as const) {
      for (const [at, copy] of withField(body, 'cache_control', { type: 'ephemeral', ttl })) {
        expect([at, lifeIn(copy)]).toEqual([at, life]);
      }
    }
    for (const [at, copy] of withField(body, 'prompt_cache_breakpoint', { ttl: '12h' })) {
      expect([at, lifeIn(copy)]).toEqual([at, 'hour']);
    }
    for (const [at, copy] of withField(body, 'prompt_cache_breakpoint', { mode: 'explicit' })) {
      expect([at, lifeIn(copy)]).toEqual([at, before]);
    }
  },
);

/** Whether what a caller asks for, as other wires are told of it, has a medium at that address. */
const hasSource = (value: unknown, url: string): boolean =>
  Array.isArray(value)
    ? value.some((item) => hasSource(item, url))
    : isObject(value) &&
      ((value.kind === 'url' && value.url === url) ||
        Object.values(value).some((inner) => hasSource(inner, url)));

it.each(chatDialects.map(({ dialect, codec }) => [dialect.id, dialect, codec] as const))(
  'an address is looked at as one of the account in every field from which a medium is read: %s',
  (id, dialect, codec) => {
    const bucket = 'gs://bucket/secret.png';
    const asked = Object.values(REQUESTS).find(([its]) => its.id === id)?.[1];
    // Without what names something else that the account keeps.
    const bare: Json = JSON.parse(JSON.stringify(asked), (name, value) =>
      ['file_id', 'container', 'prompt'].includes(name) ? undefined : value,
    );
    const fields = new Set<string>();
    const unasked = new Set<string>();
    for (const { copy, at } of withOther(bare, { object: dialect.reads }, [], [bucket, { url: bucket }])) {
      const { body, kept } = ruled(copy as JsonObject, dialect.rules);
      if (!isRead(() => hasSource(codec.readRequest(body, {}), bucket))) continue;
      fields.add(at);
      if (kept === undefined) unasked.add(at);
    }
    expect([...unasked]).toEqual([]);
    expect(fields.size).toBeGreaterThan(1);
  },
);

function isRead(read: () => boolean): boolean {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
