import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { eq } from 'drizzle-orm';
import { makeUser } from '../../../tests/support/accounts.ts';
import { engines, freshDatabase } from '../../../tests/support/database.ts';
import { limits } from '../../core/limits.ts';
import { nowSec } from '../../core/time.ts';
import { type Changes, openChanges } from '../../db/changes.ts';
import type { Database } from '../../db/client.ts';
import { sessions } from '../../db/schema/index.ts';
import { createLogger } from '../../platform/logger.ts';
import { memoryLimiter } from '../../platform/memory-limiter.ts';
import { createSecrets, sha256 } from '../../platform/secrets.ts';
import { createSessionService, deleteOutlived, type SessionService } from './service.ts';

let db: Database;
beforeAll(async () => {
  db = await freshDatabase('pglite');
});
afterAll(() => db.close());

it('does not remember a session that was read while it ended', async () => {
  const changes = await openChanges(db, createLogger('error'));
  const listeners: (() => void)[] = [];
  const service = createSessionService({
    db,
    limiter: memoryLimiter(),
    secrets: createSecrets('b3Vycw=='),
    changes: { ...changes, on: (_name, listener) => void listeners.push(() => listener(undefined)) },
  });
  const userId = await makeUser(db, 0);
  const cookie = await service.begin(userId, { ip: '', userAgent: '' });
  // The news of the end comes while the row is being read.
  const finding = service.find(cookie);
  for (const told of listeners) told();
  expect((await finding).kind).toBe('found');
  await db.orm.delete(sessions).where(eq(sessions.user_id, userId));
  expect((await service.find(cookie)).kind).toBe('none');
  await changes.close();
});

describe.each(engines)('sessions on %s', (engine) => {
  let db: Database;
  let changes: Changes;
  let service: SessionService;
  beforeAll(async () => {
    db = await freshDatabase(engine);
    changes = await openChanges(db, createLogger('error'));
    service = createSessionService({
      db,
      limiter: memoryLimiter(),
      secrets: createSecrets('b3Vycw=='),
      changes,
    });
  });
  afterAll(async () => {
    await changes.close();
    await db.close();
  });
  const from = { ip: '192.0.2.1', userAgent: '' };
  const idsOf = async (userId: number): Promise<string[]> =>
    (await db.query<{ id: string }>('select id from sessions where user_id = $1', [userId])).map(
      ({ id }) => id,
    );

  it('are a hundred of a user, of which the one that was used least lately ends', async () => {
    const [userId, other] = [await makeUser(db, 0), await makeUser(db, 0)];
    await service.begin(other, from);
    const cookies: string[] = [];
    for (let n = 0; n < 100; n++) {
      cookies.push(await service.begin(userId, from));
      await db.query('update sessions set seen_at = seen_at - $2::bigint where id = $1', [
        sha256(cookies[n] ?? ''),
        // The 38th was not used for the longest time, then the 39th.
        n === 37 ? 2_000 : n === 38 ? 1_500 : 1_000 - n,
      ]);
    }
    expect(await idsOf(userId)).toHaveLength(100);
    const [one, two] = [await service.begin(userId, from), await service.begin(userId, from)];
    const left = await idsOf(userId);
    expect(left).toHaveLength(100);
    const ended = cookies.filter((cookie) => !left.includes(sha256(cookie)));
    expect(ended).toEqual(cookies.slice(37, 39));
    for (const cookie of [one, two]) expect((await service.find(cookie)).kind).toBe('found');
    expect((await service.find(cookies[37] ?? '')).kind).toBe('none');
    expect(await idsOf(other)).toHaveLength(1);
  });

  it('begun at once leave no user more than a few, and those begun last are good', async () => {
    const userId = await makeUser(db, 0);
    for (let n = 0; n < 98; n++) await service.begin(userId, from);
    const begun = await Promise.all(Array.from({ length: 20 }, () => service.begin(userId, from)));
    expect((await idsOf(userId)).length).toBeWithin(95, 101);
    const last = await service.begin(userId, from);
    expect((await service.find(last)).kind).toBe('found');
    expect(begun).toHaveLength(20);
    expect((await idsOf(userId)).length).toBeWithin(95, 101);
  });

  it('that nobody can use any more are forgotten, however many, and no others', async () => {
    const userId = await makeUser(db, 0);
    await db.query('delete from sessions');
    const insert = (prefix: string, count: number, seen: number, created: number) =>
      db.query(
        `insert into sessions (id, user_id, ip, user_agent, seen_at, created_at)
         select $1::text || n, $2::bigint, '', '', $3::bigint, $4::bigint from generate_series(1, $5::int) n`,
        [prefix, userId, nowSec() - seen, nowSec() - created, count],
      );
    await insert('idle', limits.outlivedSessions + 10, limits.sessionIdleSec + 5, limits.sessionIdleSec + 9);
    await insert('old', 3, 10, limits.sessionAbsoluteSec + 5);
    await insert('good', 4, limits.sessionIdleSec - 500, limits.sessionAbsoluteSec - 500);
    await deleteOutlived(db, new AbortController().signal);
    expect((await idsOf(userId)).toSorted()).toEqual(['good1', 'good2', 'good3', 'good4']);
  });
});
