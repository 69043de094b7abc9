import { afterEach, beforeEach, expect, it } from 'bun:test';
import { ApiError } from './api-error.ts';
import { drainNotices } from './notify.ts';
import { translatorFor } from './translator-for.ts';
import { inParts } from './use-many.ts';

const t = translatorFor('en');
const rows = Array.from({ length: 1_205 }, (_, at) => at);

let told: string[];
let stop: () => void;
beforeEach(() => {
  told = [];
  stop = drainNotices(({ text }) => told.push(text));
});
afterEach(() => stop());

const ending = (code: string, data?: unknown) =>
  new ApiError({ code, message: 'server', status: 403, requestId: 'r' }, data);

/** What a work of parts comes to, whose third part is `third`. */
function run(third: () => number): Promise<string> {
  let part = 0;
  const task = inParts(rows, async (some) => (++part === 3 ? third() : some.length), { t });
  return task(() => {}, new AbortController().signal);
}

it('takes what an ended part has done into account, and tells the number of all that were chosen', async () => {
  const lost = run(() => {
    throw ending('BATCH_STOPPED', 5);
  });
  await expect(lost).rejects.toMatchObject({
    message: 'Your sign-in or your rights have changed, so this has stopped: 205 of 1,205 are done',
    requestId: 'r',
  });
  expect(told).toEqual([]);
});

it('tells how far it came beside any other failure', async () => {
  const failed = run(() => {
    throw ending('OTHER', 7);
  });
  await expect(failed).rejects.toMatchObject({ message: 'server' });
  expect(told).toEqual(['Stopped: 207 of 1,205 done']);
});

it('tells what was left as whoever asks for it says it', async () => {
  expect(await run(() => 98)).toBe('Operation completed: 1203 rows');
  expect(told).toEqual(['2 rows not changed: they are gone, or their rules refuse it']);
  const task = inParts(rows, async (some) => some.length - 1, { t, unchanged: () => 'ada, neo' });
  await task(() => {}, new AbortController().signal);
  expect(told.at(-1)).toBe('ada, neo');
});
