/** OpenAI's containers, which it makes for whoever asks for one and bills, of several sizes, used or not. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack, released, storm } from '../support/attack.ts';
import { eventStream, type Operations } from '../support/operations.ts';
import { responsesAnswer } from '../support/short-answers.ts';

const PATH = '/v1/responses';
const USAGE = { input_tokens: 60, output_tokens: 20 };
/** Units of one of a gigabyte, at $0.03. */
const ONE = 15_000;
const SIZES = { '1g': 1, '4g': 4, '16g': 16, '64g': 64 };

let t: Operations;
/** At OpenAI's address, at Azure's, and at an operator's. */
const models = { openai: 'gpt-5-mini', azure: 'gpt-5', reseller: 'gpt-5-nano' };
beforeAll(async () => {
  ({ t } = await openAttack({ reseller: { type: 1, named: models.reseller } }));
  const setting = JSON.stringify({ proxy: t.base });
  const openai = { base_url: 'http://api.openai.com', setting };
  await t.model(1, { named: models.openai, ...openai });
  await t.model(3, { named: models.azure, base_url: 'http://x.openai.azure.com', setting });
  await t.price({ ModelRatio: Object.fromEntries(Object.values(models).map((name) => [name, 0])) });
});
afterAll(() => t.close());
beforeEach(() => t.relay.setBalance(50_000_000));

const interpreter = (memory_limit = '1g'): JsonObject => ({
  type: 'code_interpreter',
  container: { type: 'auto', memory_limit },
});
const shell = (memory_limit = '1g'): JsonObject => ({
  type: 'shell',
  environment: { type: 'container_auto', memory_limit },
});
const ran = (container_id: string): JsonObject => ({
  type: 'code_interpreter_call',
  id: `ci_${container_id}`,
  status: 'completed',
  container_id,
  code: '1',
  outputs: null,
});
const SAID = { role: 'user', content: 'And now?' };

let ids = 0;
const fresh = (): string => `cntr_${++ids}`;

interface Asked extends JsonObject {
  tools?: JsonObject[];
}
interface Turn {
  model?: keyof typeof models;
  /** Calls in the answer. */
  before?: JsonObject[];
  stream?: boolean;
}

const eventsOf = (answer: JsonObject, before: JsonObject[]): JsonObject[] => [
  { type: 'response.created', response: { id: answer.id ?? '', status: 'in_progress', output: [] } },
  ...before.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
  { type: 'response.output_text.delta', output_index: before.length, delta: 'ok' },
  { type: 'response.completed', response: answer },
];

/** One answer, which the upstream keeps by its id. */
async function turn(body: Asked, { model = 'openai', before = [], stream = false }: Turn = {}) {
  const id = `resp_${++ids}`;
  const answer = responsesAnswer(USAGE, { id, before });
  t.answers(() => (stream ? eventStream(eventsOf(answer, before)) : Response.json(answer)));
  const asked = { model: models[model], stream, input: [SAID], max_output_tokens: 64, ...body };
  const got = await t.post(PATH, asked);
  const text = await got.text();
  if (got.status !== 200) return { id, status: got.status, text, paid: 0, uses: undefined };
  const { quota, other } = await t.row();
  return { id, status: 200, text, paid: quota / ONE, uses: other.tool_uses };
}
const paidFor = async (body: Asked, more: Turn = {}): Promise<number> => (await turn(body, more)).paid;

describe('a container that is made for a request', () => {
  it.each(Object.entries(SIZES))(
    'is paid for, whether or not anything runs in it: %s',
    async (limit, size) => {
      for (const stream of [false, true]) {
        for (const tool of [interpreter(limit), shell(limit)])
          expect(await paidFor({ tools: [tool], tool_choice: 'none' }, { stream })).toBe(size);
        const before = [ran(fresh()), ran(`cntr_${ids}`)];
        expect(await paidFor({ tools: [interpreter(limit)] }, { stream, before })).toBe(size);
      }
    },
  );

  it('is told in the row as any use', async () => {
    const { uses } = await turn({ tools: [interpreter('4g')] });
    expect(uses).toEqual([{ tool: 'code_interpreter_4g', count: 1, price: 120 }]);
  });

  it('is paid for at Azure’s address, and as it is told at an operator’s', async () => {
    expect(await paidFor({ tools: [interpreter()] }, { model: 'azure' })).toBe(1);
    expect(await paidFor({ tools: [interpreter()] }, { model: 'reseller' })).toBe(0);
    const before = [ran(fresh())];
    for (let n = 0; n < 2; n++)
      expect(await paidFor({ tools: [interpreter()] }, { model: 'reseller', before })).toBe(1);
  });

  it.each<[string, JsonObject[], number]>([
    ['of each kind', [interpreter('4g'), shell('16g')], 20],
    ['of the largest of a kind', [interpreter('4g'), interpreter('64g')], 64],
    ['not of the caller’s own machine', [{ type: 'shell', environment: { type: 'local' } }], 0],
    ['not of who names none', [{ type: 'shell' }], 0],
  ])('is one %s', async (_what, tools, size) => {
    expect(await paidFor({ tools })).toBe(size);
  });

  it('costs nothing where its upstream failed', async () => {
    const held = await t.relay.account();
    for (const status of [400, 429, 500]) {
      t.answers(() => Response.json({ error: { message: 'no' } }, { status }));
      const got = await t.post(PATH, { model: models.openai, input: 'x', tools: [interpreter('64g')] });
      expect(got.status).not.toBe(200);
      await got.text();
    }
    await released(t);
    expect((await t.relay.account()).quota).toBe(held.quota);
  });

  it.each([false, true])('is paid for by who leaves, streamed %p', async (stream) => {
    const held = await t.relay.account();
    const gone = new AbortController();
    const answer = responsesAnswer(USAGE);
    t.answers(() => {
      gone.abort();
      return stream ? eventStream(eventsOf(answer, [])) : Response.json(answer);
    });
    const body = { model: models.openai, input: 'x', stream, tools: [interpreter('4g')] };
    const left = fetch(t.relay.base + PATH, {
      method: 'POST',
      headers: { authorization: `Bearer ${t.relay.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: gone.signal,
    });
    await left.then((got) => got.text()).catch(() => undefined);
    await released(t);
    expect(held.quota - (await t.relay.account()).quota).toBe(4 * ONE);
  });

  it('is held for beside every call that a limit allows', async () => {
    const body = {
      tools: [interpreter('4g'), shell(), { type: 'web_search' }],
      max_tool_calls: 1,
      input: 'x',
    };
    const before = [{ type: 'web_search_call', id: 'ws', status: 'completed', action: { type: 'search' } }];
    const answer = () => responsesAnswer(USAGE, { before });
    const due = 5 * ONE + 5_000;
    const writtenOff = await t.relay.writtenOff();
    await t.relay.setBalance(due - 1);
    expect(await storm(t, { model: models.openai, path: PATH, body, answer }, 2)).toBe(0);
    await t.relay.setBalance(3 * due - 1);
    expect(await storm(t, { model: models.openai, path: PATH, body, answer }, 6)).toBe(2);
    expect((await t.relay.account()).quota).toBe(due - 1);
    expect(await t.relay.writtenOff()).toBe(writtenOff);
    await t.relay.settled(1);
  });
});
