/** One price a call for many answers: `n`, many prompts at once, candidates, and pictures that a chat draws. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack } from '../support/attack.ts';
import { eventStream, type Operations } from '../support/operations.ts';
import { messagesAnswer } from '../support/short-answers.ts';

const PRICE = 5_000;

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    chat: { type: 1, named: 'gpt-5.1' },
    gemini: { type: 24, named: 'gemini-2.5-flash-image' },
    claude: { type: 14, named: 'claude-sonnet-4-5' },
  }));
  await t.price({ ModelPrice: Object.fromEntries(Object.values(models).map((name) => [name, 0.01])) });
});
afterAll(() => t.close());

const CHAT = '/v1/chat/completions';
const COMPLETIONS = '/v1/completions';
const GEMINI = '/v1beta/models/MODEL:generateContent';
const GEMINI_STREAM = '/v1beta/models/MODEL:streamGenerateContent?alt=sse';
const SAID: JsonObject = { messages: [{ role: 'user', content: 'an essay' }] };
const CONTENTS: JsonObject = { contents: [{ role: 'user', parts: [{ text: 'an essay' }] }] };
const several = (candidateCount: number) => ({ ...CONTENTS, generationConfig: { candidateCount } });

/** What is charged of a call, in prices, with so many of them in the balance. */
async function paid(
  model: string,
  path: string,
  { balance, ...body }: JsonObject & { balance: number },
  answer: JsonObject | (() => Response),
): Promise<number> {
  t.answers(answer);
  await t.relay.setBalance(balance * PRICE);
  const named = models[model] ?? '';
  const said = await t.post(
    path.replace('MODEL', named),
    path === CHAT || path === COMPLETIONS ? { model: named, ...body } : body,
  );
  await said.text();
  expect(said.status).toBe(200);
  const row = await t.row();
  expect(row.other.calls ?? 1).toBe(row.quota / PRICE);
  return row.quota / PRICE;
}

const usage = { prompt_tokens: 20, completion_tokens: 900, total_tokens: 920 };
const choicesOf = (texts: readonly string[]): JsonObject => ({
  choices: texts.map((content, index) => ({
    index,
    text: content,
    message: { role: 'assistant', content },
    finish_reason: 'stop',
  })),
  usage,
});
const streamOf =
  (texts: readonly string[], end: (JsonObject | string)[] = [{ choices: [], usage }, '[DONE]']) =>
  () =>
    eventStream([
      ...texts.map((content, index) => ({ choices: [{ index, delta: { content }, text: content }] })),
      ...texts.map((_, index) => ({ choices: [{ index, delta: {}, text: '', finish_reason: 'stop' }] })),
      ...end,
    ]);
const candidatesOf = (texts: readonly string[]): JsonObject => ({
  candidates: texts.map((text, index) => ({ index, content: { parts: [{ text }] }, finishReason: 'STOP' })),
  usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 900, totalTokenCount: 920 },
});
const A = ['a', 'b', 'c'];

describe('each answer that was asked for is a call', () => {
  it.each<[string, model: string, path: string, asked: JsonObject, answer: JsonObject | (() => Response)]>([
    ['a chat', 'chat', CHAT, { ...SAID, n: 3 }, choicesOf(A)],
    ['a chat streamed', 'chat', CHAT, { ...SAID, n: 3, stream: true }, streamOf(A)],
    ['prompts', 'chat', COMPLETIONS, { prompt: A }, choicesOf(A)],
    ['prompts streamed', 'chat', COMPLETIONS, { prompt: A, stream: true }, streamOf(A)],
    ['candidates', 'gemini', GEMINI, several(3), candidatesOf(A)],
    [
      'candidates streamed',
      'gemini',
      GEMINI_STREAM,
      several(3),
      () =>
        eventStream(
          A.map((text, index) => ({
            candidates: [{ index, content: { parts: [{ text }] }, finishReason: 'STOP' }],
          })),
        ),
    ],
    ['candidates for a chat', 'gemini', CHAT, { ...SAID, n: 3 }, candidatesOf(A)],
    ['those streamed', 'gemini', CHAT, { ...SAID, n: 3, stream: true }, () => eventStream([candidatesOf(A)])],
    ['a chat for candidates', 'chat', GEMINI, several(3), choicesOf(A)],
  ])('%s', async (_, model, path, asked, answer) => {
    expect(await paid(model, path, { ...asked, balance: 4 }, answer)).toBe(3);
  });
});

describe('what comes is charged of what is held', () => {
  it.each<[string, asked: JsonObject, answer: JsonObject | (() => Response), calls: number]>([
    ['fewer answers', { n: 3 }, choicesOf(['a']), 1],
    ['an empty one beside others', { n: 3 }, choicesOf(['a', '', 'c']), 2],
    ['none but what was thought', { n: 3 }, choicesOf(['', '', '']), 1],
    ['more than were asked for', { n: 2 }, choicesOf(A), 2],
    ['more than one', {}, choicesOf(A), 1],
    ['a stream of fewer', { n: 3, stream: true }, streamOf(['a']), 1],
    ['a stream with an empty one', { n: 3, stream: true }, streamOf(['a', '', 'c']), 2],
    ['a stream of more', { n: 2, stream: true }, streamOf(A), 2],
    [
      'a stream that broke off',
      { n: 4, stream: true },
      () => eventStream([{ choices: [{ index: 3, delta: { content: 'a' } }] }]),
      1,
    ],
  ])('%s', async (_, asked, answer, calls) => {
    expect(await paid('chat', CHAT, { ...SAID, ...asked, balance: 9 }, answer)).toBe(calls);
  });

  it('answers among which the best are chosen are not', async () => {
    const asked = { prompt: 'a', n: 2, best_of: 5 };
    expect(await paid('chat', COMPLETIONS, { ...asked, balance: 2 }, choicesOf(['a', 'b']))).toBe(2);
  });

  it.each<[string, model: string, path: string, asked: JsonObject, answer: JsonObject | (() => Response)]>([
    ['a field beside candidates', 'chat', GEMINI, { ...several(3), n: 1 }, choicesOf(A)],
    ['one at their own wire', 'gemini', GEMINI, { ...several(3), n: 1 }, candidatesOf(A)],
    ['the type of a tool', 'chat', CHAT, { ...SAID, n: 3, tools: [{ type: 'n' }] }, choicesOf(A)],
    ['of a stream', 'chat', CHAT, { ...SAID, n: 3, stream: true, tools: [{ type: 'n' }] }, streamOf(A)],
    ['of a chat before Gemini', 'gemini', CHAT, { ...SAID, n: 3, tools: [{ type: 'n' }] }, candidatesOf(A)],
  ])(
    'a name that is left out says nothing of how many were asked for: %s',
    async (_, model, path, asked, answer) => {
      expect(await paid(model, path, { ...asked, balance: 9 }, answer)).toBe(3);
    },
  );

  it('a wire without a word for several is asked for one', async () => {
    const answer = messagesAnswer({ input_tokens: 20, output_tokens: 900 });
    expect(await paid('claude', CHAT, { ...SAID, n: 3, balance: 9 }, answer)).toBe(1);
  });
});

describe('each picture is a call where a chat draws more of them', () => {
  const PNG = 'iVBORw0KGgo=';
  const pictures = (thought?: true): JsonObject => ({
    candidates: [
      {
        content: {
          parts: A.flatMap((text) => [
            { text },
            { inlineData: { mimeType: 'image/png', data: PNG }, thought },
          ]),
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 3_870, totalTokenCount: 3_890 },
  });
  const images = A.map(() => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }));
  const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  it.each<[string, model: string, path: string, asked: JsonObject, answer: JsonObject | (() => Response)]>([
    ['in Gemini', 'gemini', GEMINI, CONTENTS, pictures()],
    ['streamed', 'gemini', GEMINI_STREAM, CONTENTS, () => eventStream([pictures()])],
    ['as a chat', 'gemini', CHAT, SAID, pictures()],
    ['as a chat streamed', 'gemini', CHAT, { ...SAID, stream: true }, () => eventStream([pictures()])],
    ['beside a text', 'chat', CHAT, SAID, { choices: [{ message: { content: 'a', images } }], usage }],
    [
      'beside one streamed',
      'chat',
      CHAT,
      { ...SAID, stream: true },
      () => eventStream([{ choices: [{ index: 0, delta: { images } }] }, stop, '[DONE]']),
    ],
  ])('%s', async (_, model, path, asked, answer) => {
    expect(await paid(model, path, { ...asked, balance: 9 }, answer)).toBe(3);
  });

  const plot = { inlineData: { mimeType: 'image/png', data: PNG } };
  const plots = [
    { text: 'here' },
    { executableCode: { language: 'PYTHON', code: 'plt.show()' } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '' } },
    plot,
    plot,
    { text: 'two plots' },
  ];
  const plotted = (parts: JsonObject[], more: JsonObject = {}): JsonObject => ({
    candidates: [{ index: 0, content: { parts }, ...more }],
  });
  const inOne = plotted(plots, { finishReason: 'STOP' });
  const inPieces = () =>
    eventStream([...plots.map((part) => plotted([part])), plotted([], { finishReason: 'STOP' })]);
  it.each<[string, path: string, asked: JsonObject, answer: JsonObject | (() => Response)]>([
    ['in Gemini', GEMINI, CONTENTS, inOne],
    ['streamed', GEMINI_STREAM, CONTENTS, inPieces],
    ['as a chat', CHAT, SAID, inOne],
    ['as a chat streamed', CHAT, { ...SAID, stream: true }, inPieces],
  ])('but not what code has plotted: %s', async (_, path, asked, answer) => {
    expect(await paid('gemini', path, { ...asked, balance: 9 }, answer)).toBe(1);
  });

  it('but not what it sketched while it thought', async () => {
    expect(await paid('gemini', GEMINI, { ...CONTENTS, balance: 9 }, pictures(true))).toBe(1);
  });
});

it.each<[string, path: string, asked: JsonObject]>([
  ['a chat', CHAT, { ...SAID, n: 3 }],
  ['prompts', COMPLETIONS, { prompt: A }],
])('so many are held for: %s', async (_, path, asked) => {
  await t.relay.setBalance(2 * PRICE);
  const said = await t.post(path, { model: models.chat ?? '', ...asked });
  await said.text();
  expect(said.status).toBe(403);
});
