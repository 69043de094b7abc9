/** Callers of the new dialect are answered in it, whatever their channel speaks, and charged as all others. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

let relay: TestRelay;
let calls = 0;
beforeAll(async () => {
  relay = await openTestRelay();
});
afterAll(() => relay.close());

const talk = (body: JsonObject, key = relay.key) =>
  fetch(`${relay.base}/v1/talk`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o', say: 'hi', ...body }),
  });
const charged = async () => (await relay.settled(++calls)).at(-1)?.quota;

it('answers whole', async () => {
  const answer = await talk({ limit: 50 });
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { said: expect.stringMatching(/w0 w1/), why: 'done', units: { asked: 17, said: 20 } },
  ]);
  expect(relay.upstream.chats.at(-1)?.body).toMatchObject({
    max_tokens: 50,
    messages: [{ role: 'user', content: 'hi' }],
  });
  expect(await charged()).toBe(37);
});

it('answers as a stream', async () => {
  const answer = await talk({ stream: true });
  const frames = (await answer.text()).trim().split('\n\n');
  const said = frames.map((frame) => JSON.parse(frame.replace(/^data: /, '')));
  expect(
    said
      .slice(0, -1)
      .map((frame) => frame.said)
      .join(''),
  ).toMatch(/^w0 w1/);
  expect(said.at(-1)).toEqual({ why: 'done', units: { asked: 17, said: 20 } });
  expect(await charged()).toBe(37);
});

it('refuses in its own words', async () => {
  const strange = await talk({}, 'sk-nobody');
  expect([strange.status, await strange.json()]).toEqual([
    401,
    { fault: 'invalid_api_key', because: expect.any(String) },
  ]);
  const nameless = await talk({ model: 7 });
  expect([nameless.status, await nameless.json()]).toMatchObject([400, { fault: 'invalid_request' }]);
  const nowhere = await fetch(`${relay.base}/v1/talk/on`, { method: 'POST' });
  expect([nowhere.status, await nowhere.json()]).toMatchObject([404, { fault: 'unknown_operation' }]);
});
