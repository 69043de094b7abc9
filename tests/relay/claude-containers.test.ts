/** The container in which Claude's code has run: its caller goes on in it, at the key that has it, and nobody else does. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';

const PATH = '/v1/messages';
const MODEL = 'claude-opus-4-6';
const USAGE = { input_tokens: 60, output_tokens: 20 };
/** A unit for each token of a prompt, two for one of an answer. */
const COST = 100;

let t: Operations;
let stranger: string;
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ RetryTimes: 0 });
  const anthropic = { base_url: 'http://api.anthropic.com', setting: JSON.stringify({ proxy: t.base }) };
  await t.model(14, { named: MODEL, key: 'sk-a\nsk-b\nsk-c', multi_key_mode: 'random', ...anthropic });
  await t.model(14, { named: 'claude-opus-4-5', key: 'sk-d', ...anthropic });
  stranger = await t.relay.addToken({}, await t.relay.api.createUser({ quota: 50_000_000 }));
  await t.relay.setBalance(50_000_000);
});
afterAll(() => t.close());

const TOOLS: JsonObject[] = [
  { type: 'code_execution_20250825', name: 'code_execution' },
  {
    name: 'weather',
    input_schema: { type: 'object' },
    allowed_callers: ['code_execution_20250825'],
  },
];
/** A tool of the caller's that code has called waits for what that gives. */
const CONTENT: JsonObject[] = [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: { code: 'await weather()' } },
  {
    type: 'tool_use',
    id: 'toolu_1',
    name: 'weather',
    input: {},
    caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' },
  },
];

const answerIn = (container: JsonObject | null): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: MODEL,
  container,
  content: CONTENT,
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: USAGE,
});
const inside = (id: string) => ({ id, expires_at: '2026-12-30T16:00:00Z' });
/** Told at the beginning of a stream, or at its end. */
const streamIn = (begins: JsonObject | null, ends: JsonObject | null) =>
  eventStream([
    {
      type: 'message_start',
      message: { ...answerIn(begins), content: [], stop_reason: null, usage: { ...USAGE, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: CONTENT[1] ?? null },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null, container: ends },
      usage: USAGE,
    },
    { type: 'message_stop' },
  ]);

/** The next step of such a talk. */
const step = (more: JsonObject, headers?: Record<string, string>) =>
  t.post(PATH, { model: MODEL, max_tokens: 100, messages: MESSAGES, tools: TOOLS, ...more }, headers);
const MESSAGES: JsonObject[] = [
  { role: 'user', content: 'Weather?' },
  { role: 'assistant', content: CONTENT },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'sunny' }] },
];
const keyUsed = () => t.lastSeen.headers.get('x-api-key');

/** Has code run in a container of this name, and returns the key that has it. */
async function run(answer: (id: string) => Response, id: string, stream: boolean): Promise<string | null> {
  t.answers(() => answer(id));
  const got = await step({ stream, messages: MESSAGES.slice(0, 1) });
  expect(got.status).toBe(200);
  await got.text();
  expect((await t.row()).quota).toBe(COST);
  return keyUsed();
}

/** What is held for such a step while it is asked, which is charged what its tokens cost. */
async function heldFor(more: JsonObject) {
  const { promise: held, resolve } =
    Promise.withResolvers<Awaited<ReturnType<typeof t.relay.reservations>>>();
  t.answers(async () => {
    resolve(await t.relay.reservations());
    return Response.json(answerIn(inside('container_next')));
  });
  expect((await step(more)).status).toBe(200);
  expect((await t.row()).quota).toBe(COST);
  return (await held).map(({ amount }) => amount);
}

const refusal = async (got: Response) => [got.status, JSON.stringify(await got.json())] as const;

describe('the container of an answer', () => {
  it.each<[how: string, id: string, answer: (id: string) => Response, stream: boolean]>([
    ['whole', 'container_whole', (id) => Response.json(answerIn(inside(id))), false],
    ['at the beginning of a stream', 'container_begins', (id) => streamIn(inside(id), null), true],
    ['at the end of a stream', 'container_ends', (id) => streamIn(null, inside(id)), true],
  ])('is gone on in at the key that has it: told %s', async (_how, id, answer, stream) => {
    const keeper = await run(answer, id, stream);
    const usual = await heldFor({});
    for (const container of [id, { id }, { id, skills: [{ type: 'anthropic', skill_id: 'pptx' }] }, id, id]) {
      // Nothing is due but tokens.
      expect(await heldFor({ container })).toEqual(usual);
      expect([t.lastSeen.body.container, keyUsed()]).toEqual([container, keeper]);
    }
  });

  it('is a stranger’s for whoever did not have it made, where no other channel has it', async () => {
    await run((id) => Response.json(answerIn(inside(id))), 'container_own', false);
    const before = t.seen.length;
    for (const got of [
      await step({ container: 'container_own' }, { authorization: `Bearer ${stranger}` }),
      await step({ container: 'container_nobodys' }),
      await step({ container: { id: 'container_nobodys' } }),
      await step({ container: 'container_own', model: 'claude-opus-4-5' }),
    ]) {
      const [status, text] = await refusal(got);
      expect(status).toBe(400);
      expect(text).toContain("'container'");
    }
    expect([t.seen.length, await t.relay.reservations()]).toEqual([before, []]);
  });

  it('is named in one place and in no other', async () => {
    await run((id) => Response.json(answerIn(inside(id))), 'container_placed', false);
    const before = t.seen.length;
    const id = 'container_placed';
    for (const more of [
      { container: id, Container: 'container_nobodys' },
      { container: { id, Id: 'container_nobodys' } },
      { container_id: id },
      { tools: [{ ...TOOLS[0], container: id }] },
      { container: { id, skills: [{ type: 'custom', skill_id: 'skill_1' }] } },
    ] as JsonObject[]) {
      expect([JSON.stringify(more), (await step(more)).status]).toEqual([JSON.stringify(more), 400]);
    }
    const counted = await t.post(`${PATH}/count_tokens`, { model: MODEL, messages: MESSAGES, container: id });
    expect([counted.status, t.seen.length]).toEqual([400, before]);
  });
});
