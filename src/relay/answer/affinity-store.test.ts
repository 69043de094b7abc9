import { expect, it, spyOn } from 'bun:test';
import { memoryOneTimeStore } from '../../platform/memory-stores.ts';
import { recallAffinity, rememberAffinity } from './affinity-store.ts';

it('keeps an answer for its user and the application that asked, and for no other one', async () => {
  const deps = {
    answers: memoryOneTimeStore(),
    pieces: memoryOneTimeStore(),
    log: { warn: () => undefined },
  };
  const candidate = { channel: { id: 7 }, key: { id: 9 } };
  const asked = { userId: 1, appId: 5 };
  const size = {
    tokens: 40,
    least: 30,
    thought: 5,
    holds: 'media' as const,
    reader: 'house/qwen:7b',
    pictures: 2,
  };
  await rememberAffinity('answer', asked, candidate, { id: 'resp_1', ...size }, deps);
  expect(await recallAffinity('answer', asked, 'resp_1', deps)).toEqual({ channelId: 7, keyId: 9, ...size });
  for (const other of [
    { userId: 1, appId: 6 },
    { userId: 1, appId: null },
    { userId: 2, appId: 5 },
  ]) {
    expect(await recallAffinity('answer', other, 'resp_1', deps)).toBeNull();
  }
  expect(await recallAffinity('sound', asked, 'resp_1', deps)).toBeNull();
});

it('takes what was kept before readers were noted for read by nobody who is known', async () => {
  const answers = memoryOneTimeStore();
  await answers.put('answer:1:0:resp_1', '7:9:40:2', 60);
  expect(
    await recallAffinity('answer', { userId: 1, appId: null }, 'resp_1', { answers, pieces: answers }),
  ).toEqual({
    ...{ channelId: 7, keyId: 9, tokens: 40, pictures: 2 },
    ...{ holds: 'any', reader: '' },
  });
});

it('keeps sounds where none of them pushes out an answer', async () => {
  const [answers, pieces] = [memoryOneTimeStore(), memoryOneTimeStore()];
  const put = spyOn(answers, 'put');
  const asked = { userId: 1, appId: null };
  const candidate = { channel: { id: 7 }, key: { id: 9 } };
  const size = { tokens: 40, holds: 'any' as const, reader: 'm', pictures: 0 };
  const deps = { answers, pieces, log: { warn: () => undefined } };
  await rememberAffinity('sound', asked, candidate, { id: 'audio_1', ...size }, deps);
  expect(await recallAffinity('sound', asked, 'audio_1', deps)).toMatchObject(size);
  expect(put).not.toHaveBeenCalled();
});
