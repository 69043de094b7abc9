import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { openApi, type TestApi, type TestUser } from '../../../tests/support/api.ts';
import { bytesKeptBy } from '../../../tests/support/heap.ts';
import { limits } from '../../core/limits.ts';
import { LOG_TYPE } from '../../core/log-types.ts';
import { type FailedCall, FailureLog } from './failures.ts';
import { LUMPED } from './service.ts';

let api: TestApi;
let una: TestUser;
let otto: TestUser;
let failures: FailureLog;
beforeAll(async () => {
  api = await openApi('postgres');
});
afterAll(() => api.close());
beforeEach(async () => {
  [una, otto] = [await api.createUser(), await api.createUser()];
  failures = new FailureLog(api.deps);
});

const call = ({ id, username }: TestUser, tokenId = 1): FailedCall => ({
  requestId: crypto.randomUUID(),
  userId: id,
  username,
  tokenId,
  tokenName: 't',
  group: 'default',
  model: 'm',
  isKnownModel: true,
  channelId: 3,
  code: 'upstream_error',
  text: { zh: '失败', en: 'failed' },
  isStream: false,
  useTimeSec: 0,
  ip: '',
  other: {},
});
/** As a text is filled with what a caller or an upstream said. */
const quoting = (n: number): FailedCall['text'] => {
  const said = `失败 ${n}`.padEnd(200_000, 'x').replace('x', '-');
  return { zh: said, en: said };
};
const rowsOf = async ({ id }: TestUser) =>
  api.deps.db.query(`select 1 from logs where user_id = $1 and type = ${LOG_TYPE.refused}`, [id]);
const countsOf = ({ id }: TestUser) =>
  api.deps.db.query<{ token_id: number; model_name: string; calls: number }>(
    'select token_id, model_name, calls::int from failures_hourly where user_id = $1 order by token_id',
    [id],
  );

it('names that anybody may make up are cut to what a filter looks through at once', async () => {
  for (const isKnownModel of [false, true])
    failures.add({ ...call(una), model: 'n'.repeat(255), isKnownModel });
  await failures.idle();
  const rows = await api.deps.db.query<{ chars: number }>(
    'select length(model_name) as chars from logs where user_id = $1 order by chars',
    [una.id],
  );
  expect(rows.map(({ chars }) => chars)).toEqual([limits.madeUpNameChars, limits.failedNameChars]);
});

describe('a flood of failed calls', () => {
  it('leaves the others their rows', async () => {
    for (let n = 0; n < limits.failedRowsWaiting; n++) failures.add(call(una));
    failures.add(call(otto));
    await failures.idle();
    expect(await rowsOf(otto)).toHaveLength(1);
    expect(await rowsOf(una)).toHaveLength(60);
    expect((await countsOf(una)).map(({ calls }) => calls)).toEqual([limits.failedRowsWaiting]);
  });

  it('that the database is away for waits, and is counted and listed when it is back', async () => {
    const { db } = api.deps;
    let tries = 0;
    const query: typeof db.query = (text, params) => {
      if (++tries > 1) return db.query(text, params);
      return Promise.reject(Object.assign(new Error('closed'), { code: 'ERR_POSTGRES_CONNECTION_CLOSED' }));
    };
    failures = new FailureLog({ ...api.deps, db: { ...db, query } });
    failures.add(call(una));
    // It has failed by then, and more comes meanwhile.
    while (tries === 0) await Bun.sleep(1);
    failures.add(call(una));
    failures.add(call(otto));
    await failures.idle();
    const counted = [...(await countsOf(una)), ...(await countsOf(otto))];
    expect(counted.map(({ calls }) => calls)).toEqual([2, 1]);
    expect([await rowsOf(una), await rowsOf(otto)].map(({ length }) => length)).toEqual([2, 1]);
  });

  it('keeps nothing of what they quote but what is told of it', async () => {
    const kept = bytesKeptBy(() => {
      for (let n = 0; n < 20; n++) failures.add({ ...call(una), text: quoting(n) });
      return failures;
    });
    await failures.idle();
    expect(kept).toBeLessThan(20 * 100_000);
    expect(await rowsOf(una)).toHaveLength(20);
  });

  it('whose figures the database refuses has no rows that no figure has', async () => {
    const { db } = api.deps;
    await db.query('alter table failures_hourly rename to refused_hourly');
    failures.add(call(una));
    await failures.idle();
    await db.query('alter table refused_hourly rename to failures_hourly');
    failures.add(call(otto));
    await failures.idle();
    expect([await rowsOf(una), await rowsOf(otto)].map(({ length }) => length)).toEqual([0, 1]);
    expect([await countsOf(una), await countsOf(otto)].map(({ length }) => length)).toEqual([0, 1]);
  });

  it('by ever other tokens makes so many figures, which know all of them', async () => {
    for (let n = 1; n <= limits.failedWays + 50; n++) failures.add(call(una, n));
    failures.add(call(una, 1));
    await failures.idle();
    const counts = await countsOf(una);
    expect(counts).toHaveLength(limits.failedWays + 1);
    expect(counts[0]).toEqual({ token_id: LUMPED, model_name: '', calls: 50 });
    expect(counts[1]).toEqual({ token_id: 1, model_name: 'm', calls: 2 });
  });
});
