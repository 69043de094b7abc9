/**
 * Talks of Claude Code, which sends thoughts back as they came, and with the proof `""` where none came. Makers that want
 * thoughts back refuse a turn without them; Claude refuses a turn with the proof of anybody else.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { objectOf, objectsOf, textOf } from '../../src/dialects/fields.ts';
import { eventStream, type OperationSeen, type Operations, openOperations } from '../support/operations.ts';
import { eventsOf } from '../support/surfaces.ts';

let t: Operations;
/** With which proof Messages are answered; none for a gateway that converts, and signs nothing. */
let proof: string | undefined;
/** The key of an account that has reached its limit. */
let exhausted = '';

beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ SelfUseModeEnabled: true, RetryTimes: 1 });
  const base_url = t.base;
  const channels: [type: number, models: string, more?: JsonObject][] = [
    [1, 'deepseek-v4-pro'],
    [14, 'deepseek-v4-flash,kimi-k2.5,zai-org/GLM-5.2,claude-opus-4-8,claude-sonnet-4-5'],
    [43, 'deepseek-chat'],
    [25, 'kimi-latest'],
    [26, 'glm-5.2'],
    [35, 'MiniMax-M3'],
    [17, 'qwen3-max'],
    [33, 'claude-haiku-4-5', { key: 'key|eu-west-1' }],
    [1, 'deepseek-reasoner', { key: 'of-chat', priority: 1 }],
    [43, 'deepseek-reasoner', { key: 'of-messages' }],
  ];
  for (const [type, models, more] of channels) await t.relay.addChannel({ type, base_url, models, ...more });
  await t.relay.setBalance(9_000_000_000);
  t.answers(answer);
});
afterAll(() => t.close());

// ---- The upstreams ---------------------------------------------------------------------------------------------------

/** Of Anthropic's form, as far as anybody can see who cannot open it. */
const CLAUDES = Buffer.from([0x12, 4, ...Buffer.from('seal'), 0x18, 1]).toString('base64');

const isAnswer = ({ role }: JsonObject) => role === 'assistant';
const blocksOf = ({ messages }: JsonObject): JsonObject[] =>
  objectsOf(messages)
    .filter(isAnswer)
    .flatMap(({ content }) => objectsOf(content));
const thoughtsIn = (body: JsonObject): JsonObject[] =>
  blocksOf(body).filter(({ type }) => type === 'thinking');

const refused = (message: string) =>
  Response.json({ type: 'error', error: { type: 'invalid_request_error', message } }, { status: 400 });

function answer({ path, body, headers }: OperationSeen): Response {
  const isMessages = !path.endsWith('/chat/completions');
  if (exhausted !== '' && headers.get('authorization')?.endsWith(exhausted))
    return Response.json({ error: { message: 'Rate limit' } }, { status: 429 });
  const fault = isMessages ? faultOfMessages(body) : faultOfChat(body);
  return fault === null ? (isMessages ? messages() : chat()) : refused(fault);
}

function faultOfMessages(body: JsonObject): string | null {
  if (textOf(body.model)?.startsWith('claude')) {
    const isStrange = thoughtsIn(body).some(({ signature }) => signature !== CLAUDES);
    return isStrange ? 'messages.1.content.0: Invalid `signature` in `thinking` block' : null;
  }
  const lacks = objectsOf(body.messages)
    .filter(isAnswer)
    .some(({ content }) => !objectsOf(content).some(({ type }) => type === 'thinking'));
  return lacks ? 'The `content[].thinking` in the thinking mode must be passed back to the API.' : null;
}

const faultOfChat = ({ messages }: JsonObject): string | null =>
  objectsOf(messages).some((said) => isAnswer(said) && !said.reasoning_content)
    ? 'The `reasoning_content` in the thinking mode must be passed back to the API.'
    : null;

const chunk = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
  id: 'c',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
});

const chat = () =>
  eventStream([
    chunk({ role: 'assistant', reasoning_content: 'hm' }),
    chunk({
      tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
    }),
    chunk({}, 'tool_calls'),
    { id: 'c', choices: [], usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 } },
    '[DONE]',
  ]);

const piece = (index: number, delta: JsonObject): JsonObject => ({
  type: 'content_block_delta',
  index,
  delta,
});
const start = (index: number, content_block: JsonObject): JsonObject => ({
  type: 'content_block_start',
  index,
  content_block,
});

const messages = () =>
  eventStream([
    { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: USAGE } },
    start(0, { type: 'thinking', thinking: '' }),
    piece(0, { type: 'thinking_delta', thinking: 'hm' }),
    ...(proof === undefined ? [] : [piece(0, { type: 'signature_delta', signature: proof })]),
    { type: 'content_block_stop', index: 0 },
    start(1, { type: 'tool_use', id: 'call_1', name: 'f', input: {} }),
    piece(1, { type: 'input_json_delta', partial_json: '{}' }),
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: USAGE },
    { type: 'message_stop' },
  ]);
const USAGE = { input_tokens: 9, output_tokens: 9 };

// ---- The client ------------------------------------------------------------------------------------------------------

/** What was said so far. */
type Talk = JsonObject[];
const begun = (): Talk => [{ role: 'user', content: 'hi' }];

/** A turn, and the result of the tool that it called; the status, and what was refused. */
async function turn(talk: Talk, model: string): Promise<string> {
  const body = { model, stream: true, max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 2000 } };
  const tools = [{ name: 'f', input_schema: { type: 'object', properties: {} } }];
  const response = await t.post('/v1/messages', { ...body, tools, messages: talk });
  const text = await response.text();
  if (!response.ok) return `${response.status} ${text}`;
  const result = { type: 'tool_result', tool_use_id: 'call_1', content: 'ok' };
  talk.push({ role: 'assistant', content: blocksIn(eventsOf(text)) }, { role: 'user', content: [result] });
  return '200';
}

/** As it keeps them: a thought has a proof from the first, which is `""` until one comes. */
function blocksIn(events: readonly JsonObject[]): JsonObject[] {
  const blocks: JsonObject[] = [];
  for (const { type, index, content_block, delta: given } of events) {
    const begins = objectOf(content_block);
    if (type === 'content_block_start' && begins)
      blocks.push(begins.type === 'thinking' ? { ...begins, thinking: '', signature: '' } : begins);
    const block = blocks[Number(index)];
    const delta = objectOf(given);
    if (!block || !delta) continue;
    if (delta.type === 'thinking_delta') block.thinking = `${block.thinking}${delta.thinking}`;
    if (delta.type === 'signature_delta') block.signature = delta.signature;
  }
  return blocks;
}

async function turns(talk: Talk, models: readonly string[]): Promise<string[]> {
  const said: string[] = [];
  for (const model of models) said.push(await turn(talk, model));
  return said;
}

const thrice = (model: string) => turns(begun(), [model, model, model]);
const WELL = ['200', '200', '200'];

// ---- What is told ----------------------------------------------------------------------------------------------------

describe('a maker that wants thoughts back has them back', () => {
  it.each([
    ['by Chat', 'deepseek-v4-pro'],
    ['by a gateway’s Messages', 'deepseek-v4-flash'],
    ['by a gateway’s Messages', 'kimi-k2.5'],
    ['by a gateway’s Messages', 'zai-org/GLM-5.2'],
    ['by his own Messages', 'deepseek-chat'],
    ['by his own Messages', 'kimi-latest'],
    ['by his own Messages', 'glm-5.2'],
    ['by his own Messages', 'MiniMax-M3'],
    ['by his own Messages', 'qwen3-max'],
  ])('%s, of %s, though nobody signs them', async (_, model) => {
    proof = undefined;
    expect(await thrice(model)).toEqual(WELL);
  });

  it('with his own proof, where he has given one', async () => {
    proof = '7c1f5a8e-5a0e-4d8b-9d55-3d1c1f6b8d9a';
    expect(await thrice('deepseek-chat')).toEqual(WELL);
    expect(thoughtsIn(t.lastSeen.body)).toEqual(
      Array(2).fill({ type: 'thinking', thinking: 'hm', signature: proof }),
    );
  });

  it('where a talk has begun on his other wire', async () => {
    proof = undefined;
    const talk = begun();
    expect(await turn(talk, 'deepseek-reasoner')).toBe('200');
    exhausted = 'of-chat';
    expect(await turns(talk, ['deepseek-reasoner', 'deepseek-reasoner'])).toEqual(['200', '200']);
    exhausted = '';
    expect(t.lastSeen.path).toBe('/anthropic/v1/messages');
  });

  it('whose client speaks another wire than his upstream', async () => {
    proof = undefined;
    const model = 'deepseek-v4-flash';
    const tool_calls = [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const said = { role: 'assistant', content: null, reasoning_content: 'hm', tool_calls };
    const result = { role: 'tool', tool_call_id: 'call_1', content: 'ok' };
    const body = { model, stream: true, messages: [{ role: 'user', content: 'hi' }, said, result] };
    expect((await t.post('/v1/chat/completions', body)).status).toBe(200);
    expect(thoughtsIn(t.lastSeen.body)).toEqual([{ type: 'thinking', thinking: 'hm', signature: '' }]);
  });
});

describe('a Claude has back what Anthropic has signed, and nothing else', () => {
  it.each([
    ['the id of an answer, as DeepSeek has it', 'deepseek-chat', '7c1f5a8e-5a0e-4d8b-9d55-3d1c1f6b8d9a'],
    ['a digest, as MiniMax has it', 'MiniMax-M3', 'c5a0'.repeat(16)],
    ['no proof', 'kimi-latest', undefined],
    ['what Chat has', 'deepseek-v4-pro', undefined],
  ])('who comes from another maker goes on: %s', async (_, model, signature) => {
    const talk = begun();
    proof = signature;
    expect(await turns(talk, [model, model])).toEqual(['200', '200']);
    proof = CLAUDES;
    expect(await turns(talk, ['claude-opus-4-8', 'claude-opus-4-8'])).toEqual(['200', '200']);
    expect(thoughtsIn(t.lastSeen.body)).toEqual([{ type: 'thinking', thinking: 'hm', signature: CLAUDES }]);
    expect(blocksOf(t.lastSeen.body).filter(({ type }) => type === 'tool_use')).toHaveLength(3);
  });

  it('so also at Bedrock', async () => {
    const talk = begun();
    proof = 'c5a0'.repeat(16);
    await turn(talk, 'MiniMax-M3');
    proof = CLAUDES;
    await turn(talk, 'claude-sonnet-4-5');
    t.answers(() => refused('told no'));
    await turn(talk, 'claude-haiku-4-5');
    t.answers(answer);
    expect(t.lastSeen.path).toContain('claude-haiku-4-5');
    expect(thoughtsIn(t.lastSeen.body)).toEqual([{ type: 'thinking', thinking: 'hm', signature: CLAUDES }]);
  });
});
