import { afterAll, beforeAll, expect, it } from 'bun:test';
import { eq } from 'drizzle-orm';
import { makeUser } from '../../../tests/support/accounts.ts';
import { freshDatabase } from '../../../tests/support/database.ts';
import { openChanges } from '../../db/changes.ts';
import type { Database } from '../../db/client.ts';
import { sessions } from '../../db/schema/index.ts';
import { createLogger } from '../../platform/logger.ts';
import { memoryLimiter } from '../../platform/memory-limiter.ts';
import { createSessionService } from './service.ts';

let db: Database;
beforeAll(async () => {
  db = await freshDatabase('pglite');
}, 60_000);
afterAll(() => db.close());

it('does not remember a session that was read while it ended', async () => {
  const changes = await openChanges(db, createLogger('error'));
  const listeners: (() => void)[] = [];
  const service = createSessionService({
    db,
    limiter: memoryLimiter(),
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
