import { describe, expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { messagesCodec } from './anthropic-messages/codec.ts';
import { bedrockConverse } from './bedrock-converse/wire.ts';
import { geminiCodec } from './gemini/codec.ts';
import type { ChatRequest, RawPart, StreamEvent, ToolCallPart } from './neutral.ts';
import { openaiChatCodec } from './openai-chat/codec.ts';
import { openaiResponsesCodec } from './openai-responses/codec.ts';
import { anthropicCount, geminiCount } from './plain/count-tokens.ts';
import { plainPassage } from './plain/passage.ts';
import { withToldNames } from './tool-names.ts';

const requestOf = (names: readonly string[], more: Partial<ChatRequest> = {}): ChatRequest => ({
  dialect: 'openai-chat',
  model: 'm',
  stream: false,
  messages: [],
  tools: names.map((name) => ({ type: 'function', name })),
  extra: {},
  ...more,
});

const SIXTY_FOUR = { most: 64, letters: /^[\w-]+$/ };
const told = (...names: string[]) =>
  withToldNames(requestOf(names), SIXTY_FOUR).request.tools.map((tool) => ('name' in tool ? tool.name : ''));
const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 12);

const LONG = `mcp__${'a'.repeat(60)}`;
const DOTTED = 'github.create_issue';
const called = (name: string): ToolCallPart => ({
  type: 'tool-call',
  id: 'c',
  name,
  input: '{}',
  kind: 'function',
});

const found = (tool_name: string): RawPart => ({
  type: 'raw',
  dialect: 'anthropic-messages',
  value: { type: 'tool_reference', tool_name },
});

describe('a name that a wire does not take', () => {
  it.each([
    [LONG, `${LONG.slice(0, 51)}_`],
    [DOTTED, 'github_create_issue_'],
    ['1st', '1st'],
    ['天気', '___'],
    [`${'a.'.repeat(9_999)}`, `${'a_'.repeat(25)}a_`],
    ['', ''],
  ])('%# is its beginning and a digest', (name, beginning) => {
    const [other = ''] = told(name);
    expect(other).toBe(beginning.endsWith('_') ? beginning + sha256(name) : name);
    expect(other.length).toBeLessThanOrEqual(64);
  });

  it('begins with no digit where it is told otherwise', () => {
    expect(told('1.st')).toEqual([`_1_st_${sha256('1.st')}`]);
  });

  it('is refused where the request names what it would be told as', () => {
    const [other = ''] = told(DOTTED);
    expect(() => told(DOTTED, other)).toThrow('invalid_request');
    const [third, fourth] = told(DOTTED, 'github:create_issue');
    expect([third, fourth]).toEqual([other, `github_create_issue_${sha256('github:create_issue')}`]);
  });

  it('is told alike wherever it stands, and no other', () => {
    const { request } = withToldNames(
      requestOf([DOTTED, 'ok'], {
        tools: [
          { type: 'function', name: DOTTED, description: DOTTED },
          { type: 'custom', name: LONG },
          { type: 'raw', dialect: 'openai-chat', value: { type: 'other.tool', name: DOTTED } },
        ],
        toolChoice: { mode: 'allowed', names: ['ok', LONG], required: true },
        messages: [
          { role: 'user', name: DOTTED, parts: [{ type: 'text', text: DOTTED }] },
          { role: 'assistant', parts: [called(DOTTED), called('gone.tool')] },
          {
            role: 'tool',
            parts: [
              {
                type: 'tool-result',
                id: 'c',
                name: DOTTED,
                content: [LONG, 'ok', 'not among them'].map(found),
                kind: 'function',
              },
            ],
          },
        ],
      }),
      SIXTY_FOUR,
    );
    const [dotted, long, gone] = told(DOTTED, LONG, 'gone.tool');
    expect(request).toMatchObject({
      tools: [{ name: dotted, description: DOTTED }, { name: long }, { value: { name: DOTTED } }],
      toolChoice: { mode: 'allowed', names: ['ok', long] },
      messages: [
        { name: DOTTED, parts: [{ text: DOTTED }] },
        { parts: [{ name: dotted }, { name: gone }] },
        {
          parts: [{ name: dotted, content: [long, 'ok', 'not among them'].map((name) => found(name ?? '')) }],
        },
      ],
    });
  });

  it('is turned back in the answer, whole and streamed', () => {
    const names = withToldNames(requestOf([DOTTED]), SIXTY_FOUR);
    const [dotted = ''] = told(DOTTED);
    const parts = [called(dotted), called('another'), { type: 'text' as const, text: dotted }];
    const reply = { id: '', model: '', created: 0, usage: null, extra: {} };
    const meant = names.meant({ ...reply, choices: [{ index: 0, parts, stop: 'tool-calls' }] });
    expect(meant.choices[0]?.parts).toMatchObject([{ name: DOTTED }, { name: 'another' }, { text: dotted }]);

    const written: StreamEvent[] = [];
    const writer = names.writer({ heldBytes: 7, write: (event) => String(written.push(event)) });
    for (const [index, part] of parts.entries()) {
      const begun = writer.write({ type: 'part-start', choice: 0, index, part });
      expect([begun, writer.heldBytes]).toEqual([String(index + 1), 7]);
    }
    expect(written).toMatchObject(meant.choices[0]?.parts.map((part) => ({ part })) ?? []);
  });
});

it('a request without such a name is told as it is', () => {
  const request = requestOf(['a-b_c', '-', '9', 'a'.repeat(64)]);
  expect(withToldNames(request, SIXTY_FOUR).request).toBe(request);
  expect(withToldNames(requestOf([LONG]), undefined).request.tools).toMatchObject([{ name: LONG }]);
});

it.each([
  ['Chat', openaiChatCodec, [DOTTED, LONG]],
  ['Responses', openaiResponsesCodec, [DOTTED, LONG]],
  ['Messages', messagesCodec, [DOTTED]],
  ['Gemini', geminiCodec, [LONG, '1st']],
  ['Converse', bedrockConverse, [DOTTED, LONG]],
])('%s takes its own letters, and so many', (_wire, { toolNames }, others) => {
  const { request } = withToldNames(requestOf([DOTTED, LONG, '1st']), toolNames);
  const same = request.tools.flatMap((tool) => ('name' in tool ? tool.name : []));
  expect([DOTTED, LONG, '1st'].filter((name) => !same.includes(name)).sort()).toEqual([...others].sort());
});

it.each([
  ['Messages', anthropicCount, geminiCount, { tools: [{ name: LONG, input_schema: {} }] }],
  ['Gemini', geminiCount, anthropicCount, { tools: [{ functionDeclarations: [{ name: DOTTED }] }] }],
])('a count of %s names tools as they are told', (_of, caller, upstream, more: JsonObject) => {
  const said = { messages: [{ role: 'user', content: 'x' }], contents: [{ parts: [{ text: 'x' }] }] };
  const passage = plainPassage(caller, [upstream], { path: { model: 'm' }, filter: null });
  const body = passage?.request(
    { model: 'm', ...said, ...more },
    { model: 'm', stream: false, askUsage: false },
  );
  expect(JSON.stringify(body)).toMatch(/"name":"(mcp__a+|github_create_issue)_[0-9a-f]{12}"/);
});
