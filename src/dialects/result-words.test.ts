/** What a client of Claude's says of the results of its tools, in the words of every other wire. */
import { expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { messagesCodec } from './anthropic-messages/codec.ts';
import { bedrockConverse } from './bedrock-converse/wire.ts';
import type { UpstreamCodec } from './codec.ts';
import { cohere } from './cohere/wire.ts';
import { geminiCodec } from './gemini/codec.ts';
import { ollama } from './ollama/wire.ts';
import { openaiChatCodec } from './openai-chat/codec.ts';
import { openaiResponsesCodec } from './openai-responses/codec.ts';

const PNG = 'iVBORw0KGgo=';
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
const reference = (tool_name: string) => ({ type: 'tool_reference', tool_name });

/** The results as they go up, and what was left out. */
function resultsOn({ writeRequest }: Pick<UpstreamCodec, 'writeRequest'>, ...results: JsonObject[]) {
  const calls = results.map((_, at) => ({ type: 'tool_use', id: `toolu_${at}`, name: 'f', input: {} }));
  const answers = results.map((more, at) => ({ type: 'tool_result', tool_use_id: `toolu_${at}`, ...more }));
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: calls },
    { role: 'user', content: answers },
  ];
  const dropped: string[] = [];
  const body = writeRequest(messagesCodec.readRequest({ model: 'm', max_tokens: 9, messages }, {}), {
    model: 'm',
    stream: false,
    askUsage: false,
    defaultMaxTokens: 9,
    drop: (what) => dropped.push(what),
  });
  return { told: JSON.stringify(body), dropped };
}

const FAILED = { is_error: true, content: 'no such file' };

it.each([
  ['OpenAI Chat', openaiChatCodec, '"content":"Error: no such file"'],
  ['Responses', openaiResponsesCodec, '"output":"Error: no such file"'],
  ['Cohere', cohere, '"content":"Error: no such file"'],
  ['Ollama', ollama, '"content":"Error: no such file"'],
  ['Gemini', geminiCodec, '"response":{"error":"no such file"}'],
  ['Converse', bedrockConverse, '"status":"error"'],
] as const)('%s says that a tool has failed', (_, wire, said) => {
  const { told, dropped } = resultsOn(wire, FAILED);
  expect(told).toContain(said);
  expect(dropped).toEqual([]);
  expect(resultsOn(wire, { ...FAILED, is_error: false }).told).not.toMatch(/error/i);
});

it.each([
  [[], '"output":"Error"'],
  [[image], '"output":[{"type":"input_text","text":"Error"},{"type":"input_image"'],
])('also of a failure without words: %j', (content, said) => {
  expect(resultsOn(openaiResponsesCodec, { is_error: true, content }).told).toContain(said);
});

it.each(['Error: no such file', 'error: no such file'])('but not twice: %s', (content) => {
  expect(resultsOn(openaiChatCodec, { is_error: true, content }).told).toContain(`"content":"${content}"`);
});

it('and of one that is told as an object', () => {
  const { told } = resultsOn(
    geminiCodec,
    { ...FAILED, content: '{"code":2}' },
    { ...FAILED, content: '{"error":3}' },
  );
  expect(told).toContain('"response":{"error":{"code":2}}');
  expect(told).toContain('"response":{"error":3}');
});

it.each([
  ['OpenAI Chat', openaiChatCodec, '"content":"Tools found: f, g"'],
  ['Responses', openaiResponsesCodec, '"output":"Tools found: f, g"'],
  ['Cohere', cohere, '"content":"Tools found: f, g"'],
  ['Ollama', ollama, '"content":"Tools found: f, g"'],
  ['Gemini', geminiCodec, '"response":{"result":"Tools found: f, g"}'],
  ['Converse', bedrockConverse, '[{"text":"Tools found: f, g"}]'],
] as const)('%s names the tools that were found', (_, wire, said) => {
  const { told, dropped } = resultsOn(wire, { content: [reference('f'), reference('g')] });
  expect(told).toContain(said);
  expect(dropped).toEqual([]);
});

it('its own wire says both as they came', () => {
  const results = [FAILED, { content: [reference('f')] }];
  const { told } = resultsOn(messagesCodec, ...results);
  expect(told).toContain('"content":"no such file","is_error":true');
  expect(told).toContain('"content":[{"type":"tool_reference","tool_name":"f"}]');
});
