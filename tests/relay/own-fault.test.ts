/** A fault of our own in the middle of a call: it is masked, and nothing stays held. */
import { afterAll, beforeAll, expect, it, spyOn } from 'bun:test';
import { fail } from '../../src/core/errors.ts';
import { relayRoutes } from '../../src/relay/entry/routes.ts';
import { handle } from '../../src/relay/handle.ts';
import { BALANCE, openTestRelay, type TestRelay } from '../support/relay.ts';

let relay: TestRelay;
beforeAll(async () => {
  relay = await openTestRelay('postgres');
});
afterAll(() => relay.close());

it.each([false, true])('leaves nothing held when the code of a call throws (stream: %p)', async (stream) => {
  const { relay: deps } = relay.api.deps;
  const lines: string[] = [];
  const broken = relayRoutes(
    {
      ...deps,
      log: { ...deps.log, error: (event) => void lines.push(event) },
      options: {
        ...deps.options,
        get: (key) => {
          if (key === 'RelayTotalTimeout') throw new Error('a bug with sk-upstream-secret in its text');
          return deps.options.get(key);
        },
      },
    },
    handle,
  );
  const answer = await broken.fetch(relay.chatRequest({ stream }));
  const text = await answer.text();
  expect([answer.status, JSON.parse(text).error.code]).toEqual([500, 'internal']);
  expect(text).not.toContain('bug');
  expect(lines).toEqual(['relay.failed']);
  const rows = await relay.settled(stream ? 2 : 1);
  expect(rows.at(-1)).toMatchObject({
    type: 6,
    quota: 0,
    // The log says it to its reader in his language.
    other: {
      error: 'internal',
      text: { zh: '服务器内部错误，请联系管理员', en: 'Internal server error' },
    },
  });
  expect(await relay.account()).toMatchObject({ quota: BALANCE, reserved: 0 });
});

it('tells a bug on the way up from an upstream that is away', async () => {
  const { relay: deps } = relay.api.deps;
  const lines: string[] = [];
  const rows = (await relay.logs()).length;
  const broken = relayRoutes(
    {
      ...deps,
      log: { ...deps.log, error: (event) => void lines.push(event) },
      dialer: { ...deps.dialer, open: () => Promise.reject(new TypeError('a bug')) },
    },
    handle,
  );
  for (const stream of [false, true]) {
    const answer = await broken.fetch(relay.chatRequest({ stream }));
    expect([answer.status, (await answer.json()).error.code]).toEqual([500, 'internal']);
  }
  expect(lines).toEqual(['relay.failed', 'relay.failed']);
  await relay.settled(rows + 2);
  expect(await relay.account()).toMatchObject({ quota: BALANCE, reserved: 0 });
});

it('refuses a data URL that is not well encoded, on whichever channel', async () => {
  const models = { 'gpt-4o': 1, claude: 1 };
  await relay.set({ ModelRatio: models, CompletionRatio: models });
  await relay.addChannel({ models: 'claude', type: 14 });
  const url = 'data:text/plain,%E0%A4%A';
  const content = [{ type: 'image_url', image_url: { url } }];
  const chat = await relay.chat({ model: 'claude', messages: [{ role: 'user', content }] });
  expect([chat.status, (await chat.json()).error.code]).toEqual([400, 'invalid_request']);
  const answer = await fetch(`${relay.base}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${relay.key}` },
    body: JSON.stringify({
      model: 'gpt-4o',
      input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }],
    }),
  });
  expect([answer.status, (await answer.json()).error.code]).toEqual([400, 'invalid_request']);
});

it('ends a stream whose settlement neither database nor disk takes, and gives the body’s memory back', async () => {
  const { relay: deps } = relay.api.deps;
  const { settle } = deps.billing;
  const rows = (await relay.logs()).length;
  const told = spyOn(deps.log, 'request');
  const lost = spyOn(deps.billing, 'settle').mockImplementation(async (settlement) => {
    await settle({ ...settlement, type: 2, charge: 0 });
    throw fail('unavailable');
  });
  const text = await (await relay.chat({ stream: true })).text();
  lost.mockRestore();
  expect(text).toContain('"code":"unavailable"');
  expect(text).not.toContain('[DONE]');
  expect(deps.bodies.bytes).toBe(0);
  expect(told.mock.calls.at(-1)?.[0]).toMatchObject({ status: 503, code: 'unavailable', stream_end: 'done' });
  told.mockRestore();
  await relay.settled(rows + 1);
});
