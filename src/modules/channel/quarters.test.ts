import { expect, test } from 'bun:test';
import { makeChannel } from '../../../tests/support/accounts.ts';
import { freshDatabase } from '../../../tests/support/database.ts';
import { createLogger } from '../../platform/logger.ts';
import { ChannelQuarters } from './quarters.ts';

test('what was counted while the database took nothing is written afterwards', async () => {
  const db = await freshDatabase('postgres');
  const channel = await makeChannel(db);
  const quarters = new ChannelQuarters({ db, log: createLogger('error', () => undefined) });
  await db.query('alter table channel_quarters add constraint refused check (false) not valid');
  quarters.add(channel, 'ok', 100);
  await quarters.write();
  await db.query('alter table channel_quarters drop constraint refused');
  quarters.add(channel, 'failed', 0);
  await quarters.write();
  const [sum] = await db.query(
    'select sum(ok)::int as ok, sum(failed)::int as failed, sum(answer_ms)::int as ms from channel_quarters',
  );
  expect(sum).toEqual({ ok: 1, failed: 1, ms: 100 });
  await db.close();
});
