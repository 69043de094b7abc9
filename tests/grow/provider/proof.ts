/** A channel of the new type is offered, made and called. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

let relay: TestRelay;
beforeAll(async () => {
  relay = await openTestRelay();
});
afterAll(() => relay.close());

it('is offered by the form, with its models', async () => {
  const types = (await relay.root.get('/api/channel/types')).data;
  const acme = types.find(({ label }: { label: string }) => label === 'Acme');
  expect(acme).toMatchObject({ type: 990 });
  expect((await relay.root.get('/api/models')).data[990]).toEqual(['acme-large', 'acme-small']);
});

it('is called as OpenAI is, and charged', async () => {
  await relay.set({ ModelRatio: { 'acme-large': 1 }, CompletionRatio: { 'acme-large': 1 } });
  await relay.addChannel({ type: 990, key: 'sk-acme-key', models: 'acme-large' });
  const answer = await relay.chat({ model: 'acme-large' });
  expect(answer.status).toBe(200);
  await answer.text();
  expect(relay.upstream.chats.at(-1)).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer sk-acme-key' },
  });
  expect((await relay.settled(1)).at(-1)).toMatchObject({ quota: 37, model_name: 'acme-large' });
});
