/** What a caller says once is not said often in the words of another wire, or it is measured as often. */
import { describe, expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { vertexEmbeddings } from '../providers/vertex/embeddings.ts';
import { cohere } from './cohere/wire.ts';
import { gemini } from './gemini/dialect.ts';
import { openaiChatCodec } from './openai-chat/codec.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import { anthropicCount } from './plain/count-tokens.ts';
import { geminiBatchEmbed } from './plain/gemini-embeddings.ts';
import { withToldNames } from './tool-names.ts';

const TIMES = 50;
const times = (part: JsonObject): JsonObject[] => Array<JsonObject>(TIMES).fill(part);
const target = { model: 'm', stream: false, askUsage: false, defaultMaxTokens: 1, drop: () => undefined };

/** As the wire is told it that takes the fewest names. */
function toldName(name: string): string {
  const chat = { dialect: gemini.id, model: 'm', stream: false, messages: [], extra: {} };
  const names = { most: 64, letters: /^[a-z_][\w-]*$/i };
  const [tool] = withToldNames({ ...chat, tools: [{ type: 'function', name }] }, names).request.tools;
  return tool && 'name' in tool ? tool.name : '';
}

/** A chat with one call by this name, and many results of it. */
const asked: [string, { readRequest: typeof gemini.readRequest }, string, (name: string) => JsonObject][] = [
  [
    'Chat',
    openaiChat,
    'messages[0].tool_calls[0].function.name',
    (name) => ({
      model: 'm',
      messages: [
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', type: 'function', function: { name, arguments: '{}' } }],
        },
        ...times({ role: 'tool', tool_call_id: 'a', content: '' }),
      ],
    }),
  ],
  [
    'Responses',
    openaiResponses,
    'input',
    (name) => ({
      model: 'm',
      input: [
        { type: 'function_call', call_id: 'a', name, arguments: '{}' },
        ...times({ type: 'function_call_output', call_id: 'a', output: '' }),
      ],
    }),
  ],
  [
    'a count of Messages',
    anthropicCount,
    'messages',
    (name) => ({
      model: 'm',
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name, input: {} }] },
        { role: 'user', content: times({ type: 'tool_result', tool_use_id: 'a' }) },
      ],
    }),
  ],
  [
    'Gemini',
    gemini,
    'contents',
    (name) => ({
      contents: [
        { role: 'model', parts: [{ functionCall: { id: 'a', name, args: {} } }] },
        { role: 'user', parts: times({ functionResponse: { id: 'a', name, response: {} } }) },
      ],
    }),
  ],
];

describe.each(asked)('the name of a call in %s', (_wire, dialect, field, of) => {
  const textBytes = (name: string) => dialect.readRequest(of(name), { model: 'm' }).prompt.textBytes;

  it('is measured with each of its results', () => {
    expect(textBytes('n'.repeat(101)) - textBytes('n')).toBe((TIMES + 1) * 100);
  });

  it.each(['.', '1', '1.'])('is measured with each as long as others are told it: %s', (name) => {
    // Chat's calls stand in JSON, whose marks are more than that.
    expect(textBytes(name) - textBytes('')).toBeGreaterThanOrEqual(TIMES * toldName(name).length);
  });

  it('is not of any length', () => {
    expect(textBytes('n'.repeat(limits.callNameChars))).toBeGreaterThan(0);
    const refused = expect.objectContaining({ detail: expect.objectContaining({ field }) });
    expect(() => textBytes('n'.repeat(limits.callNameChars + 1))).toThrow(refused);
  });
});

it('the text that citations speak of goes up once', () => {
  const content = 'word '.repeat(1_000);
  const cited = times({ type: 'url_citation', url_citation: { url: 'https://a.example' } });
  const body = { messages: [{ role: 'assistant', content, annotations: [...cited, ...times({})] }] };
  const written = cohere.writeRequest(openaiChatCodec.readRequest(body, { model: 'm' }), target);
  expect(JSON.stringify(written.messages)).toContain(`"citations":[{"start":0,"end":${content.length},`);
  expect(JSON.stringify(written).length).toBeLessThan(2 * JSON.stringify(body).length);
});

describe.each(['title', 'taskType'])('the %s of texts to embed', (name) => {
  const read = (value: string, others: string) =>
    geminiBatchEmbed.embedding.readRequest(
      {
        requests: [value, ...Array<string>(TIMES).fill(others)].map((each) => ({
          content: { parts: [{ text: 'a' }] },
          [name]: each,
        })),
      },
      { model: 'm' },
    );
  const word = 'w'.repeat(20);

  it('of one of them is not that of all', () => {
    const request = read(word, '');
    expect(JSON.stringify(vertexEmbeddings.embedding.writeRequest(request))).not.toContain(word);
    expect(request.others).toContain(name);
  });

  it('is theirs where it is that of all', () => {
    const request = read(word, word);
    expect(JSON.stringify(vertexEmbeddings.embedding.writeRequest(request))).toContain(word);
    expect(request.others).not.toContain(name);
  });
});
