/** Whether a whole answer, or a stream, holds anything, whether or not it is known what that is. */
import { expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import type { Dialect } from './dialect.ts';
import { gemini } from './gemini/dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import { openaiEmbeddings } from './plain/openai-embeddings.ts';
import { openaiImages } from './plain/openai-images.ts';
import { openaiRerank } from './plain/openai-rerank.ts';

const chat = (message: JsonObject): JsonObject => ({
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
});
const messages = (block: JsonObject): JsonObject => ({ content: [block], stop_reason: 'end_turn' });
const responses = (item: JsonObject): JsonObject => ({ output: [item], status: 'completed' });
const parts = (part: JsonObject): JsonObject => ({ candidates: [{ content: { parts: [part] } }] });

it.each<[Dialect, JsonObject, boolean]>([
  [openaiChat, chat({ content: 'a' }), true],
  [openaiChat, chat({ content: [{ type: 'film', at: 'a' }] }), true],
  [openaiChat, chat({ content: null, reasoning_content: '', tool_calls: [], audio: null }), false],
  [openaiChat, chat({ content: [{ type: 'text', text: '' }], own: { refusal: null, n: 1 } }), false],
  [anthropicMessages, messages({ type: 'text', text: 'a' }), true],
  [anthropicMessages, messages({ type: 'own' }), true],
  [anthropicMessages, messages({ type: 'thinking', thinking: '', signature: 'a' }), true],
  [anthropicMessages, messages({ type: 'text', text: '' }), false],
  [openaiResponses, responses({ type: 'own_call' }), true],
  [openaiResponses, responses({ type: 'message', content: [{ type: 'own' }] }), true],
  [openaiResponses, responses({ type: 'message', content: [{ type: 'output_text', text: '' }] }), false],
  [openaiResponses, responses({ type: 'reasoning', summary: [], encrypted_content: 'a' }), true],
  [openaiResponses, responses({ type: 'reasoning', summary: [], encrypted_content: '' }), false],
  [gemini, parts({ own: { at: 'a' } }), true],
  [gemini, parts({ text: '', thoughtSignature: 'a' }), true],
  [gemini, parts({ text: '', thoughtSignature: '' }), false],
  [openaiEmbeddings, { data: [{ embedding: [] }] }, true],
  [openaiEmbeddings, { data: [] }, false],
  [openaiRerank, { results: [{ index: 0 }] }, true],
  [openaiRerank, { results: [] }, false],
])('of a whole answer: %# %p', (dialect, answer, came) => {
  expect(dialect.readReply(answer).due()).toBe(came ? 1 : 0);
});

it.each<[Dialect, JsonObject, boolean]>([
  [openaiChat, chat({ content: 'a', reasoning_content: 'hm' }), true],
  [openaiChat, chat({ content: 'a', reasoning: 'hm' }), true],
  [openaiChat, chat({ content: 'a', reasoning_content: '' }), false],
  [anthropicMessages, messages({ type: 'thinking', thinking: 'hm' }), true],
  [anthropicMessages, messages({ type: 'text', text: 'a' }), false],
  [openaiResponses, responses({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] }), true],
  [openaiResponses, responses({ type: 'message', content: [{ type: 'output_text', text: 'a' }] }), false],
  [gemini, parts({ text: 'hm', thought: true }), true],
  [gemini, parts({ text: 'a' }), false],
])('thoughts that are shown are seen: %# %p', (dialect, answer, thinks) => {
  expect(dialect.readReply(answer).produced().thinks).toBe(thinks || undefined);
});

it.each<[Dialect, JsonObject, boolean]>([
  [openaiChat, { choices: [{ finish_reason: 'content_filter' }] }, true],
  [openaiChat, { choices: [{ finish_reason: 'content_filter' }, { finish_reason: 'stop' }] }, false],
  [anthropicMessages, { content: [], stop_reason: 'refusal' }, true],
  [anthropicMessages, { content: [], stop_reason: 'max_tokens' }, false],
  [openaiResponses, { output: [], incomplete_details: { reason: 'content_filter' } }, true],
  [openaiResponses, { output: [], incomplete_details: { reason: 'max_output_tokens' } }, false],
  [gemini, { candidates: [{ finishReason: 'IMAGE_SAFETY' }] }, true],
  [gemini, { promptFeedback: { blockReason: 'SAFETY' } }, true],
  [gemini, { candidates: [{ finishReason: 'NO_IMAGE' }] }, false],
])('what was filtered is known: %# %p', (dialect, answer, is) => {
  expect(dialect.readReply(answer).isFiltered).toBe(is);
});

it.each<[Dialect, JsonObject, endsOnly: boolean]>([
  [openaiChat, { choices: [{ delta: { content: '' }, finish_reason: 'stop' }] }, true],
  [openaiChat, { choices: [{ delta: { content: 'a' }, finish_reason: 'stop' }] }, false],
  [openaiResponses, { type: 'response.completed', response: { output: [] } }, true],
  [openaiResponses, { type: 'response.completed', response: responses({ type: 'own_call' }) }, false],
  [openaiImages, { type: 'image_generation.completed', usage: {} }, true],
  [openaiImages, { type: 'image_generation.completed', b64_json: 'aaaa' }, false],
])('an end of a stream may say nothing else: %# %p', (dialect, event, endsOnly) => {
  const frame = { event: '', data: JSON.stringify(event) };
  const facts = dialect.tap({ wantsUsage: false }).read(frame);
  expect([facts.content, facts.endsOnly]).toEqual([true, endsOnly]);
});

it.each<[Dialect, JsonObject, boolean]>([
  [openaiChat, { choices: [{ delta: { reasoning_content: 'hm' } }] }, true],
  [openaiChat, { choices: [{ delta: { content: 'a', reasoning_content: null } }] }, false],
  [
    anthropicMessages,
    { type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: 'hm' } },
    true,
  ],
  [anthropicMessages, { type: 'content_block_delta', delta: { type: 'text_delta', text: 'a' } }, false],
  [openaiResponses, { type: 'response.reasoning_summary_text.delta', delta: 'hm' }, true],
  [openaiResponses, { type: 'response.reasoning_text.delta', delta: 'hm' }, true],
  [openaiResponses, { type: 'response.output_text.delta', delta: 'a' }, false],
  [gemini, parts({ text: 'hm', thought: true }), true],
  [gemini, parts({ text: 'a' }), false],
])('and in frames of a stream: %# %p', (dialect, event, thinks) => {
  const frame = { event: '', data: JSON.stringify(event) };
  expect(dialect.tap({ wantsUsage: false }).produced(frame).thinks).toBe(thinks || undefined);
});

it.each<[JsonObject, came: boolean]>([
  [{ content: [{ type: 'video_url', video_url: { url: 'a' } }] }, true],
  [{ own: { at: 'a' } }, true],
  [{ audio: { id: 'a' } }, false],
  [{ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }] }, true],
  [{ role: 'assistant', name: 'someone' }, false],
  [{ role: 'assistant', content: '', tool_calls: [], own: { refusal: null, n: 1 } }, false],
  [{ content: [{ type: 'text', text: '' }] }, false],
])('a frame of a chat goes by the same as a whole one: %# %p', (delta, came) => {
  const frame = { event: '', data: JSON.stringify({ choices: [{ delta }] }) };
  expect(openaiChat.tap({ wantsUsage: false }).read(frame).content).toBe(came);
});

it('what nests without end is something, and breaks nothing', () => {
  const deep = (name: string): JsonObject =>
    JSON.parse(`{"choices":[{"message":{"${name}":${'['.repeat(60_000)}${']'.repeat(60_000)}}}]}`);
  expect(openaiChat.readReply(deep('own')).due()).toBe(1);
  const facts = openaiChat.readReply(deep('content'));
  expect([facts.due(), facts.produced().text]).toEqual([1, '']);
});

it('pictures of a chat count once, wherever they stand', () => {
  const picture = { type: 'image_url', image_url: { url: 'https://x.example/a.png' } };
  const drawn = (message: JsonObject) => openaiChat.readReply(chat(message)).produced().pictures;
  expect(
    drawn({ content: [{ type: 'text', text: 'a' }, picture, { image: 'https://x.example/b.png' }] }),
  ).toBe(2);
  expect(drawn({ content: [picture], images: [picture] })).toBe(1);
  expect(drawn({ image: { url: 'a' }, images: [] })).toBe(1);
  expect(drawn({ image: null, images: [], content: [{ type: 'image_url', image_url: { url: '' } }] })).toBe(
    0,
  );
});

const refusal = (more: JsonObject = {}): JsonObject => ({ content: [], stop_reason: 'refusal', ...more });
const ASKED_TWICE = { input_tokens: 1, iterations: [{ type: 'message' }, { type: 'fallback_message' }] };

it.each<[answer: JsonObject, why: string | null | undefined]>([
  [refusal({ stop_details: { type: 'refusal', category: 'cyber' } }), 'cyber'],
  [refusal({ stop_details: { type: 'refusal', category: null } }), null],
  [refusal(), null],
  [refusal({ stop_details: null }), null],
  [refusal({ stop_details: 'cyber' }), undefined],
  [refusal({ stop_details: { category: 5 } }), undefined],
  [refusal({ content: [{ type: 'text', text: '' }] }), null],
  [refusal({ content: [{ type: 'text', text: 'Sure' }] }), undefined],
  [refusal({ content: [{ type: 'web_search_tool_result', content: [] }] }), undefined],
  [refusal({ usage: ASKED_TWICE }), undefined],
  [refusal({ stop_reason: 'end_turn', stop_details: { category: 'cyber' } }), undefined],
])('why nothing came is known of a refusal: %# %j is %p', (answer, why) => {
  expect(anthropicMessages.readReply(answer).refusedFor).toBe(why);
});
