/**
 * Requests between dialects: what one dialect asks, another asks too. A request is read from each dialect that a caller
 * may speak, written for each that an upstream may speak, and read again from there.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { innerObject } from '../../src/core/inner-json.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { argumentsOf } from '../../src/dialects/accumulate.ts';
import type { ChatExtension } from '../../src/dialects/chat-extension.ts';
import type { RequestTarget } from '../../src/dialects/codec.ts';
import type { ChatRequest, Message, Part, Tool } from '../../src/dialects/neutral.ts';
import { chatDialects } from './mapping.ts';

const EXTENSIONS: ReadonlySet<ChatExtension> = new Set<ChatExtension>(['top_k', 'custom_tools']);

const target = (): RequestTarget => ({
  model: 'some-model',
  stream: false,
  askUsage: false,
  defaultMaxTokens: 4096,
  extensions: EXTENSIONS,
  drop: () => undefined,
});

// ---- Requests that every dialect can say -------------------------------------------------------------------------

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const said = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((text) => text.trim() !== '');
const textPart = said.map((text): Part => ({ type: 'text', text }));
const imagePart = fc.uint8Array({ minLength: 3, maxLength: 12 }).map(
  (bytes): Part => ({
    type: 'image',
    source: { kind: 'data', mediaType: 'image/png', data: Buffer.from(bytes).toString('base64') },
  }),
);
const schema: JsonObject = {
  type: 'object',
  properties: { place: { type: 'string', description: 'where' } },
  required: ['place'],
};

/** A question, calls for tools with all their results, and one more question. */
const turn = fc
  .record({
    question: fc.array(fc.oneof(textPart, imagePart), { minLength: 1, maxLength: 3 }),
    words: said,
    calls: fc.array(fc.record({ name: word, place: said, result: said }), { maxLength: 3 }),
    next: said,
  })
  .map(({ question, words, calls, next }): Message[] => {
    const ids = calls.map((_, at) => `call_${at}`);
    return [
      { role: 'user', parts: question },
      {
        role: 'assistant',
        parts: [
          { type: 'text', text: words },
          ...calls.map(
            ({ name, place }, at): Part => ({
              type: 'tool-call',
              id: ids[at] ?? '',
              name,
              input: JSON.stringify({ place }),
              kind: 'function',
            }),
          ),
        ],
      },
      ...(calls.length === 0
        ? []
        : [
            {
              role: 'tool' as const,
              parts: calls.map(
                ({ name, result }, at): Part => ({
                  type: 'tool-result',
                  id: ids[at] ?? '',
                  name,
                  content: [{ type: 'text', text: result }],
                  kind: 'function',
                }),
              ),
            },
          ]),
      { role: 'user', parts: [{ type: 'text', text: next }] },
    ];
  });

const tools = fc
  .uniqueArray(word, { maxLength: 3 })
  .map((names): Tool[] =>
    names.map((name) => ({ type: 'function', name, description: `does ${name}`, parameters: schema })),
  );

const request: fc.Arbitrary<ChatRequest> = fc
  .record({
    system: fc.option(said),
    turn,
    tools,
    choice: fc.constantFrom('auto', 'none', 'required', 'named'),
    maxOutputTokens: fc.integer({ min: 16, max: 4000 }),
    temperature: fc.option(fc.constantFrom(0, 0.5, 1), { nil: undefined }),
  })
  .map(({ system, turn: messages, tools: offered, choice, maxOutputTokens, temperature }) => {
    const [first] = offered;
    return {
      dialect: 'cohere',
      model: 'some-model',
      stream: false,
      messages: [
        ...(system === null
          ? []
          : [{ role: 'system' as const, parts: [{ type: 'text' as const, text: system }] }]),
        ...messages,
      ],
      tools: offered,
      ...(first && {
        toolChoice:
          choice === 'named'
            ? { mode: 'named' as const, name: 'name' in first ? first.name : '', kind: 'function' as const }
            : { mode: choice as 'auto' | 'none' | 'required' },
      }),
      maxOutputTokens,
      ...(temperature !== undefined && { temperature }),
      extra: {},
    };
  });

// ---- What it asks, whichever dialect says it ---------------------------------------------------------------------

/** Messages as turns: neighbours of one side are one, ids are names of calls by their order. */
function meaning(given: ChatRequest) {
  const order = new Map<string, number>();
  const turns: { role: string; parts: unknown[] }[] = [];
  const add = (role: string, parts: unknown[]) => {
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) turns.push({ role, parts });
  };
  for (const message of given.messages) {
    const role = message.role === 'developer' ? 'system' : message.role;
    add(
      role,
      message.parts.map((part) => partMeaning(part, order)),
    );
  }
  const choice = given.toolChoice;
  return {
    turns: turns.map(({ role, parts }) => ({ role, parts: joinTexts(parts) })),
    tools: given.tools.map((tool) =>
      tool.type === 'function' ? [tool.name, tool.description, tool.parameters] : tool.type,
    ),
    choice: choice?.mode === 'named' ? choice.name : choice?.mode,
    maxOutputTokens: given.maxOutputTokens,
    temperature: given.temperature,
  };
}

function partMeaning(part: Part, order: Map<string, number>): unknown {
  const place = (id: string) => {
    if (!order.has(id)) order.set(id, order.size);
    return order.get(id);
  };
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
      return part.source;
    case 'tool-call':
      return { call: place(part.id), name: part.name, input: argumentsOf(part.input, innerObject) };
    case 'tool-result':
      return { result: place(part.id), content: part.content.map((inner) => partMeaning(inner, order)) };
    default:
      return part.type;
  }
}

/** Where one text ends and the next begins is the dialects' own business. */
function joinTexts(parts: unknown[]): unknown[] {
  const joined: unknown[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined;
}

const viaEach = chatDialects.map(({ id, codec }) => [id, codec] as const);

describe.each(viaEach)('a request in %s', (_id, codec) => {
  const send = (given: ChatRequest): ChatRequest => {
    const body = JSON.parse(JSON.stringify(codec.writeRequest(given, target()))) as JsonObject;
    return codec.readRequest(body, { model: 'some-model', stream: false });
  };

  test('asks what was asked', () => {
    fc.assert(
      fc.property(request, (given) => {
        expect(meaning(send(given))).toEqual(meaning(given));
      }),
    );
  });

  test.each(viaEach)('asks the same by way of %s', (_other, other) => {
    fc.assert(
      fc.property(request, (given) => {
        const body = codec.writeRequest(given, target());
        const read = codec.readRequest(JSON.parse(JSON.stringify(body)) as JsonObject, {
          model: 'some-model',
        });
        const there = other.writeRequest(read, target());
        const again = other.readRequest(JSON.parse(JSON.stringify(there)) as JsonObject, {
          model: 'some-model',
        });
        expect(meaning(again)).toEqual(meaning(given));
      }),
      { numRuns: 40 },
    );
  });
});
