/** A proof of reasoning is no way past the measure: what stands in it does not go up, or is held and looked through. */
import { describe, expect, it } from 'bun:test';
import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../core/json.ts';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import { bedrockConverse } from './bedrock-converse/wire.ts';
import type { Dialect } from './dialect.ts';
import { gemini } from './gemini/dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import { promptTexts, requestFacts } from './prompt.ts';
import { chatDialects, upstreamDialects, wireOf } from './registry.ts';

const WORDS = 'and a secret word '.repeat(400);
const DIGITS = randomBytes(WORDS.length).toString('base64');
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

const MAKERS = [...chatDialects.map(({ dialect }) => dialect.id), 'bedrock-converse', 'ollama', 'cohere'];

/** Proofs with a text in them: as it is, and in whatever may be taken for what another maker's is carried in. */
const proofsWith = (text: string): string[] => [
  text,
  ...MAKERS.flatMap((origin) =>
    [
      { signature: text },
      { encrypted: text },
      { signature: 'c2ln', encrypted: text },
      { encrypted: 'c2ln', id: text },
      { signature: 'c2ln', summary: text },
      { signature: 'c2ln', text },
      ...[
        { type: 'reasoning.text', signature: 'c2ln', text },
        { type: 'reasoning.summary', data: 'c2ln', summary: text },
        { type: 'reasoning.text', signature: text },
        { type: 'reasoning.encrypted', data: text },
        { type: text, id: text, format: text, data: 'c2ln' },
        { type: 'reasoning.text', signature: 'c2ln', content: [{ text }] },
        { type: 'reasoning.text', signature: { text }, data: 'c2ln' },
      ].map((detail) => ({ signature: JSON.stringify(detail) })),
      { signature: `{"data":"${text.replaceAll('a', '\\u0061')}"}` },
    ].flatMap((proof) => [
      base64({ origin, ...proof }),
      // The order of the fields means nothing to any of them.
      ...(origin === MAKERS[0] ? [base64({ ...proof, origin })] : []),
    ]),
  ),
];

const said = { role: 'user', content: 'hi' };
const thought = (part: JsonObject): JsonObject => ({ contents: [{ role: 'model', parts: [part] }] });
const claude = (block: JsonObject): JsonObject => ({
  max_tokens: 9,
  messages: [said, { role: 'assistant', content: [block] }],
});
const chat = (detail: JsonObject): JsonObject => ({
  messages: [said, { role: 'assistant', content: 'so', reasoning: 'hm', reasoning_details: [detail] }],
});
const response = (item: JsonObject): JsonObject => ({
  input: [said, { type: 'reasoning', id: 'r', ...item }],
});

/** Every place for a proof on the wires of callers. */
const PLACES: Record<string, ((proof: string) => JsonObject)[]> = {
  'openai-chat': [
    (signature) => chat({ type: 'reasoning.text', signature, start: 0, length: 2 }),
    (signature) => chat({ type: 'reasoning.text', text: 'hm', signature }),
    (data) => chat({ type: 'reasoning.encrypted', data }),
    (data) => chat({ type: 'reasoning.encrypted', signature: 'c2ln', data }),
    (id) => chat({ type: id, id, format: id, data: 'c2ln' }),
  ],
  'openai-responses': [
    (encrypted_content) => response({ summary: [], encrypted_content }),
    (encrypted_content) => response({ summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content }),
  ],
  'anthropic-messages': [
    (signature) => claude({ type: 'thinking', thinking: 'hm', signature }),
    (data) => claude({ type: 'redacted_thinking', data }),
    (thought_signature) =>
      claude({
        type: 'tool_use',
        id: 't',
        name: 'f',
        input: {},
        extra_content: { google: { thought_signature } },
      }),
  ],
  gemini: [
    (thoughtSignature) => thought({ text: 'hm', thought: true, thoughtSignature }),
    (thought_signature) => thought({ text: 'hm', thought: true, thought_signature }),
    (thoughtSignature) => thought({ text: 'so', thoughtSignature }),
    (thoughtSignature) => thought({ functionCall: { name: 'f', args: {} }, thoughtSignature }),
  ],
};

const WIRES = [
  ...chatDialects.flatMap(({ dialect }) => wireOf(dialect.id) ?? []),
  ...upstreamDialects,
  bedrockConverse,
];
const set = { model: 'm', stream: false, askUsage: false, wantsThoughts: true };
const target = {
  ...set,
  defaultMaxTokens: 9,
  extensions: new Set(['reasoning_content', 'reasoning_details'] as const),
  drop: () => undefined,
};

const heldOf = (dialect: Dialect, body: JsonObject): number =>
  requestFacts(dialect, body, { model: 'm' }).prompt.textBytes;

const signedOf = (dialect: Dialect, body: JsonObject): number =>
  requestFacts(dialect, body, { model: 'm' }).prompt.signedBytes ?? 0;

/** The wires on which a proof goes up with the text, or as it came, of bodies that are less than they should be. */
function fallShort(
  { dialect, codec }: (typeof chatDialects)[number],
  { text, wires }: { text: string; wires: readonly (typeof WIRES)[number][] },
  isEnough: (body: JsonObject) => boolean,
): string[] {
  const bodies = (PLACES[dialect.id] ?? []).flatMap((bodyOf) =>
    proofsWith(text).map((proof) => ({ proof, body: { model: 'm', ...bodyOf(proof) } })),
  );
  return bodies.flatMap(({ proof, body }) => {
    if (isEnough(body)) return [];
    const asked = codec.readRequest(body, {});
    return wires.flatMap((wire) => {
      const sent = JSON.stringify(
        wire.id === dialect.id ? dialect.forward(body, set) : wire.writeRequest(asked, target),
      );
      const goesUp = sent.includes(text) || (!text.includes(' ') && sent.includes(proof));
      return goesUp ? [`${wire.id}: ${JSON.stringify(body).slice(0, 200)}`] : [];
    });
  });
}

describe.each(chatDialects.map((each) => [each.dialect.id, each] as const))('from %s', (_, from) => {
  const { dialect } = from;

  it('words in one are held and looked through', () => {
    const unseen = fallShort(
      from,
      { text: WORDS, wires: WIRES },
      (body) =>
        heldOf(dialect, body) >= WORDS.length &&
        promptTexts(dialect, body).some((text) => text.includes(WORDS)),
    );
    expect(unseen).toEqual([]);
  });

  it('what looks sealed is held as what may be in it', () => {
    const unheld = fallShort(
      from,
      { text: DIGITS, wires: WIRES },
      (body) => heldOf(dialect, body) + signedOf(dialect, body) >= (DIGITS.length * 3) / 4,
    );
    expect(unheld).toEqual([]);
  });
});

/** As they are: of older models some hundred letters beside the thought, of newer ones the thought behind its summary. */
it.each([
  ['of an older model', 'thought '.repeat(200), 400, 0],
  ['of a newer model', 'in short '.repeat(100), 8_000, 6_000 - 900],
  ['of thinking that is not shown', '', 8_000, 6_000],
])(
  'a signature is held for what it may say beyond its text, and counted for nothing: %s',
  (_, thinking, chars, held) => {
    const bodyOf = (signature: string) => ({
      model: 'm',
      ...claude({ type: 'thinking', thinking, signature }),
    });
    const body = bodyOf(randomBytes(chars).toString('base64').slice(0, chars));
    expect(heldOf(anthropicMessages, body) - heldOf(anthropicMessages, bodyOf('AAAA'))).toBe(held);
    expect(promptTexts(anthropicMessages, body)).toEqual(promptTexts(anthropicMessages, bodyOf('AAAA')));
  },
);

it.each([
  ['google-gemini-v1', 0, 6_000],
  ['anthropic-claude-v1', 6_000, 0],
])('one of the chat wire is held as its form says who sealed it: %s', (format, held, signed) => {
  const bodyOf = (data: string) => ({ model: 'm', ...chat({ type: 'reasoning.encrypted', format, data }) });
  const body = bodyOf(randomBytes(6_000).toString('base64'));
  expect(heldOf(openaiChat, body) - heldOf(openaiChat, bodyOf('AAAA'))).toBe(held);
  expect(signedOf(openaiChat, body)).toBe(signed);
});

describe('a signature of Google’s', () => {
  const signature = randomBytes(6_000).toString('base64');
  it.each<[string, JsonObject, signed: number]>([
    ['at a text', { text: 'so', thoughtSignature: signature }, 6_000],
    ['at a call', { functionCall: { name: 'f', args: {} }, thought_signature: signature }, 6_000],
    ['at a thought', { text: 'hm', thought: true, thoughtSignature: signature }, 6_000],
    ['at a picture', { inlineData: { mimeType: 'image/png', data: 'AAAA' }, thoughtSignature: signature }, 0],
    // No thought is as long.
    ['of megabytes', { text: 'so', thoughtSignature: randomBytes(600_000).toString('base64') }, 196_608],
  ])('is measured wherever a thought may be behind it: %s', (_, part, signed) => {
    expect(signedOf(gemini, thought(part))).toBe(signed);
    expect(signedOf(gemini, { contents: twice(part) })).toBe(2 * signed);
  });

  it('is measured as it comes back through other wires', () => {
    const google = { thought_signature: signature };
    const call = { type: 'tool_use', id: 't', name: 'f', input: {}, extra_content: { google } };
    expect(signedOf(anthropicMessages, { model: 'm', ...claude(call) })).toBe(6_000);
    const proof = base64({ origin: 'gemini', signature });
    const thinking = { type: 'thinking', thinking: 'hm', signature: proof };
    expect(signedOf(anthropicMessages, { model: 'm', ...claude(thinking) })).toBe(6_000);
    expect(
      signedOf(openaiResponses, { model: 'm', ...response({ summary: [], encrypted_content: proof }) }),
    ).toBe(6_000);
  });
});

const twice = (part: JsonObject): JsonObject[] => Array(2).fill({ role: 'model', parts: [part] });
