/** No text of a request is forgotten: wherever a field stands that nobody knows, what it says is held and counted. */
import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import type { Dialect, PathFacts } from './dialect.ts';
import { gemini } from './gemini/dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import { anthropicCount, geminiCount } from './plain/count-tokens.ts';
import { geminiBatchEmbed, geminiEmbed } from './plain/gemini-embeddings.ts';
import { openaiSpeech } from './plain/openai-audio.ts';
import { openaiCompletions } from './plain/openai-completions.ts';
import { openaiEmbeddings } from './plain/openai-embeddings.ts';
import { openaiImages } from './plain/openai-images.ts';
import { openaiModerations } from './plain/openai-moderations.ts';
import { openaiRerank } from './plain/openai-rerank.ts';
import { promptTexts, requestFacts } from './prompt.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAIAAAC6s0uzAAAAAElFTkSuQmCC';
const PDF = 'JVBERi0xLjc=';
const schema: JsonObject = { type: 'object', properties: { city: { type: 'string' } } };

/** Requests with everything that a wire has. */
const REQUESTS: Record<string, [dialect: Dialect, body: JsonObject, path?: PathFacts]> = {
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
            { type: 'video_url', video_url: { url: 'https://a.example/b.mp4' } },
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF } },
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
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
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
          parts: [{ functionResponse: { id: 'c', name: 'f', response: { result: 'sun' } } }],
        },
      ],
      system_instruction: { parts: [{ text: 'be brief' }] },
      tools: [{ functionDeclarations: [{ name: 'f', parameters: { type: 'OBJECT', properties: {} } }] }],
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
const SILENT = new Set(['cache_control', 'properties']);

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
      if (inner === undefined || SILENT.has(field)) continue;
      for (const [where, copy] of withField(inner, name, added, `${at}.${field}`)) {
        yield [where, { ...object, [field]: copy }];
      }
    }
  }
}

const sizeOf = (dialect: Dialect, body: JsonObject, path: PathFacts = {}): number => {
  const { textBytes, toolBytes, fileBytes } = requestFacts(dialect, body, path).prompt;
  return textBytes + toolBytes + fileBytes;
};
const charsOf = (dialect: Dialect, body: JsonObject): number => promptTexts(dialect, body).join('').length;

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
