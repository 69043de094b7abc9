import { afterAll, beforeAll, describe, expect, it, spyOn } from 'bun:test';
import { createLogger } from '../../platform/logger.ts';
import { memoryOneTimeStore } from '../../platform/memory-stores.ts';
import type { OneTimeStore } from '../../platform/one-time.ts';
import { openRedis } from '../../platform/redis.ts';
import { recallContainers, recallContexts, rememberContainer, rememberContext } from './container-store.ts';
import { keep } from './kept-name.ts';

const asked = { userId: 1, appId: 5 };
const OTHERS = [
  { userId: 1, appId: 6 },
  { userId: 1, appId: null },
  { userId: 2, appId: 5 },
];
const kept = {
  channelId: -7,
  keyId: -9,
  kind: 'shell',
  gigabytes: 64,
  paidSec: 1_000,
  usedSec: 2_000,
  lastSec: 3_000,
};
const log = { warn: () => undefined };

interface Store {
  oneTime: OneTimeStore;
  close(): Promise<void>;
}
const quiet = createLogger('error', () => undefined);
const STORES: [where: string, open: () => Promise<Store>][] = [
  ['in this process', async () => ({ oneTime: memoryOneTimeStore(), close: async () => undefined })],
  ['in Redis', async () => openRedis(process.env.TEST_REDIS_URL ?? '', quiet)],
];

describe.each(STORES)('what is remembered %s', (_where, open) => {
  let store: Store;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  it('of a container is for who made it and his application, and for no other one', async () => {
    const deps = { answers: store.oneTime, pieces: store.oneTime, log };
    await rememberContainer(asked, 'cntr:1', kept, deps);
    const get = spyOn(store.oneTime, 'get');
    const named = ['cntr:2', 'cntr:1', 'x'.repeat(2_000), 'cntr:1'];
    const own = await recallContainers(asked, named, deps);
    expect(named.map((id) => own.get(id))).toEqual([undefined, kept, undefined, kept]);
    expect(get).not.toHaveBeenCalled();
    get.mockRestore();
    for (const other of OTHERS)
      expect((await recallContainers(other, named, deps)).get('cntr:1')).toBeUndefined();
    expect((await recallContainers(asked, [], deps)).get('cntr:1')).toBeUndefined();
    expect((await recallContexts(asked, ['cntr:1'], deps)).get('cntr:1')).toBeUndefined();
  });

  it('of an answer are the containers of its context, by names of any letters', async () => {
    const deps = { answers: store.oneTime, pieces: store.oneTime, log };
    const context = ['cntr:1', '"', '\n'].map((id, at) => ({ id, isRead: at > 0 }));
    await rememberContext(asked, 'resp_1', context, deps);
    expect((await recallContexts(asked, ['resp_1'], deps)).get('resp_1')).toEqual(context);
    for (const other of OTHERS)
      expect((await recallContexts(other, ['resp_1'], deps)).get('resp_1')).toBeUndefined();
  });
});

it.each([
  'away',
  '7:9:shell',
  JSON.stringify({ ...kept, gigabytes: 0 }),
  JSON.stringify({ ...kept, gigabytes: 2 }),
  JSON.stringify({ ...kept, paidSec: Number.NaN }),
  JSON.stringify({ ...kept, keyId: undefined }),
  JSON.stringify([{ id: 1, isRead: true }]),
  JSON.stringify([{ id: 'cntr_1' }]),
  JSON.stringify([{ id: 'cntr_1', isRead: true }, { id: 'cntr_2' }]),
])('nothing is known of one of which nothing can be read: %p', async (text) => {
  const deps = { answers: memoryOneTimeStore(), pieces: memoryOneTimeStore(), log };
  await keep('container', asked, ['cntr_1', text], deps);
  await keep('context', asked, ['resp_1', text], deps);
  expect((await recallContainers(asked, ['cntr_1'], deps)).get('cntr_1')).toBeUndefined();
  expect((await recallContexts(asked, ['resp_1'], deps)).get('resp_1')).toBeUndefined();
});

it('an answer is given though nothing of it can be remembered', async () => {
  const warned: string[] = [];
  const put = () => Promise.reject(new Error('away'));
  const deps = {
    answers: { ...memoryOneTimeStore(), put },
    pieces: memoryOneTimeStore(),
    log: { warn: (event: string) => warned.push(event) },
  };
  await rememberContainer(asked, 'cntr_1', kept, deps);
  await rememberContext(asked, 'resp_1', [{ id: 'cntr_1', isRead: true }], deps);
  await rememberContainer(asked, 'x'.repeat(2_000), kept, deps);
  expect(warned).toEqual(['relay.keep_container', 'relay.keep_container']);
});
