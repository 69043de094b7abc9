import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { makeUser } from '../../../tests/support/accounts.ts';
import { engines, freshDatabase } from '../../../tests/support/database.ts';
import { hexText, requestId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import type { Database } from '../../db/client.ts';
import { countAlone } from '../../db/count-alone.ts';
import { openTask } from './submission.ts';

describe.each(engines)('tasks that are submitted, on %s', (engine) => {
  let db: Database;
  beforeAll(async () => {
    db = await freshDatabase(engine);
  });
  afterAll(() => db.close());

  const open = (userId: number) =>
    openTask(db, {
      ...{ publicId: hexText(32), platform: 'suno', action: 'MUSIC', modelName: 'suno_music', userId },
      ...{ tokenId: 0, appId: null, requestId: requestId(), quota: 0, input: {}, hook: '' },
    });

  test('are as many as may be under way, however many come at once', async () => {
    const [one, other] = [await makeUser(db, 0), await makeUser(db, 0)];
    await db.query(
      `insert into tasks (public_id, platform, action, model_name, user_id, token_id, request_id, quota, submit_time,
         poll_at, upstream_id, status)
       select md5(i::text), 'suno', 'MUSIC', 'm', $1::bigint, 0, gen_random_uuid(), 0, 0, 9000000000, 'x', 'SUBMITTED'
       from generate_series(1, ${limits.tasksOpen - 3}) i`,
      [one],
    );
    const opened = await Promise.all(
      Array.from({ length: 60 }, (_, n) => open(n % 2 === 0 ? one : other).then((done) => [n % 2, done])),
    );
    expect(opened.filter(([of, done]) => of === 0 && done)).toHaveLength(3);
    expect(opened.filter(([of, done]) => of === 1 && done)).toHaveLength(30);
  });

  if (engine === 'postgres')
    test('keep nobody else from the database while one waits for another', async () => {
      const busy = await makeUser(db, 0);
      const held = Promise.withResolvers<void>();
      const counting = Promise.withResolvers<void>();
      const holder = db.orm.transaction(async (tx) => {
        await countAlone(tx, 'tasks', busy);
        counting.resolve();
        await held.promise;
      });
      await counting.promise;
      const opened = Array.from({ length: 20 }, () => open(busy));
      const asked = db.query('select 1');
      expect(await Promise.race([asked.then(() => 'answered'), Bun.sleep(10_000).then(() => 'waits')])).toBe(
        'answered',
      );
      held.resolve();
      await holder;
      expect(await Promise.all(opened)).toEqual(Array(20).fill(true));
    });
});
