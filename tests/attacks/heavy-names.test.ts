/**
 * Bodies that are small to send and long to read, of nothing but names, short values or messages, many at once: nobody else's call waits
 * for all of them, and nothing is counted that a clock tells.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { limits } from '../../src/core/limits.ts';
import { BodyTurns } from '../../src/relay/entry/body-turns.ts';
import { callEngines } from '../support/database.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

const names = (count: number): string =>
  Array.from({ length: count }, (_, n) => `"k${n.toString(36)}":1`).join(',');
const values = (count: number): string => `"z":[${Array(count).fill(1).join(',')}]`;
/** What an agent has called, as much of it as its input takes. */
const calls = (count: number): string =>
  `"messages":[${Array.from(
    { length: count },
    (_, n) =>
      `{"role":"assistant","content":null,"tool_calls":[{"id":"c${n}","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c${n}","content":"x"}`,
  ).join(',')}]`;
/** Just so that it is heavy. */
const JUST_HEAVY = `"z":"${'x'.repeat(limits.shortBodyChars)}"`;

const CHAT = '"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]';
/** As large as it may be. */
const HEAVY: Record<string, string> = {
  'of 45,000 names': `${CHAT},${names(45_000)}`,
  'of 480,000 values': `${CHAT},${values(480_000)}`,
  'of 4,000 messages': `"model":"gpt-4o",${calls(2_000)}`,
};
const SURFACES: Record<string, string> = {
  '/v1/chat/completions': CHAT,
  '/v1/responses': '"model":"gpt-4o","input":"hi"',
  '/v1/messages': `"max_tokens":5,${CHAT}`,
  '/v1/messages/count_tokens': CHAT,
  '/v1beta/models/gpt-4o:generateContent': '"contents":[{"parts":[{"text":"hi"}]}]',
  '/v1/completions': '"model":"gpt-4o","prompt":"hi"',
  '/v1/embeddings': '"model":"gpt-4o","input":"hi"',
  '/v1/moderations': '"model":"gpt-4o","input":"hi"',
  '/v1/rerank': '"model":"gpt-4o","query":"hi","documents":["a"]',
  '/v1/images/generations': '"model":"gpt-4o","prompt":"hi"',
  '/v1/audio/speech': '"model":"gpt-4o","input":"hi","voice":"alloy"',
};

interface Sent {
  path?: string;
  signal?: AbortSignal;
}

describe.each(callEngines)('heavy bodies, on %s', (engine) => {
  let relay: TestRelay;
  let poor: string;
  beforeAll(async () => {
    relay = await openTestRelay(engine);
    await relay.addChannel();
    poor = await relay.addToken({}, await relay.api.createUser({ quota: 1 }));
  });
  afterAll(() => relay.close());

  const edit = (body: FormData) =>
    new Request(`${relay.base}/v1/images/edits`, {
      ...{ method: 'POST', body },
      headers: { authorization: `Bearer ${poor}` },
    });
  const post = (fields: string, { path = '/v1/chat/completions', signal }: Sent = {}) =>
    relay.handle(
      new Request(relay.base + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${poor}` },
        body: `{${fields}}`,
        signal,
      }),
    );
  it.each(Object.entries(HEAVY))(
    'of somebody without balance leave others their turns, %s',
    async (_what, rest) => {
      const order: string[] = [];
      const noted = async (who: string, answer: Promise<Response>) => {
        const { status } = await answer;
        order.push(`${who} ${status}`);
      };
      const heavy = Array.from({ length: 12 }, () => noted('heavy', post(rest)));
      await Promise.all([...heavy, noted('honest', relay.chat({}))]);
      expect(order.filter((each) => each === 'heavy 403')).toHaveLength(12);
      expect(order.indexOf('honest 200')).toBeLessThan(6);
      expect(order).toContain('honest 200');
    },
  );

  it.each(['json', 'form'])('short ones of one user wait in their places, too: %s', async (kind) => {
    const ofOneWaitingMax = 8;
    relay.api.deps.relay.bodyTurns = new BodyTurns({ short: { ...limits.longBodies, ofOneWaitingMax } });
    const form = new FormData();
    for (const [name, value] of Object.entries({ model: 'gpt-4o', prompt: 'hi' })) form.set(name, value);
    const sent = Array.from({ length: 1 + ofOneWaitingMax + 3 }, () =>
      kind === 'json' ? post(CHAT) : relay.handle(edit(form)),
    );
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    relay.api.deps.relay.bodyTurns = new BodyTurns();
    expect(statuses.filter((status) => status === 429)).toHaveLength(3);
  });

  it.each(Object.entries(SURFACES))(
    'of one user wait in no more than their places, on %s',
    async (path, head) => {
      const ofOneWaitingMax = 8;
      relay.api.deps.relay.bodyTurns = new BodyTurns({ long: { ...limits.longBodies, ofOneWaitingMax } });
      let read = 0;
      // One is read, or leaves the others as long as that took.
      const sent = Array.from({ length: 1 + ofOneWaitingMax + 3 }, async () => {
        const answer = await post(`${head},${JUST_HEAVY}`, { path });
        if (answer.status !== 429) read++;
        return answer;
      });
      // Of his own, which is light: it waits for none of them.
      expect((await post(CHAT)).status).toBe(403);
      expect(read).toBeLessThan(ofOneWaitingMax);
      const refused = (await Promise.all(sent)).filter(({ status }) => status === 429);
      expect(refused).toHaveLength(3);
      for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    },
  );

  it('have their turn whoever leaves before', async () => {
    const leaving = new AbortController();
    const gone = Array.from({ length: 5 }, () => post(`${CHAT},${JUST_HEAVY}`, { signal: leaving.signal }));
    const stays = post(`${CHAT},${JUST_HEAVY}`);
    leaving.abort();
    await Promise.all(gone);
    expect((await stays).status).toBe(403);
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(`${CHAT},${JUST_HEAVY}`)));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(403));
  });
});
