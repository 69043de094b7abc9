/** The books are proven by themselves; administrators see it, and root is told when they do not balance. */

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { auditInTurns } from '../../../src/billing/audit.ts';
import { takeTime } from '../../../src/db/brief.ts';
import type { Alert } from '../../../src/modules/alert/service.ts';
import { keepAudit } from '../../../src/modules/audit/service.ts';
import { startAuditWatch } from '../../../src/modules/audit/watch.ts';
import { Metrics, prometheusText } from '../../../src/platform/metrics.ts';
import { openApi, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

describe.each(callEngines)('the audit by itself, on %s', (engine) => {
  let api: TestApi;
  let una: TestUser;
  beforeAll(async () => {
    api = await openApi(engine);
    una = await api.createUser({ quota: 700 });
  });
  afterAll(() => api.close());

  /** A process of its own. */
  const makeProcess = (pauseMs = 0) => {
    const told: Alert[] = [];
    const metrics = new Metrics();
    const { db, log } = api.deps;
    const rounds = startAuditWatch(
      { db, log, metrics, alerts: { send: (alert) => void told.push(alert) } },
      pauseMs,
    );
    const figure = (name: string) =>
      Number(
        new RegExp(`^tollgate_audit_${name} (\\S+)$`, 'm').exec(prometheusText([metrics.snapshot()]))?.[1],
      );
    return { ...rounds, told, figure };
  };
  const anHourPasses = () => api.deps.db.query("delete from leases where name = 'audit'");

  it('is made by one of several processes an hour, and known to all', async () => {
    const processes = [makeProcess(), makeProcess(), makeProcess()];
    expect(processes.map(({ figure }) => figure('findings'))).toEqual([-1, -1, -1]);
    const made = () => Promise.all(processes.map(({ round }) => round()));
    expect((await made()).toSorted()).toEqual([0, 0, 1]);
    expect(await made()).toEqual([0, 0, 0]);
    for (const { figure, told } of processes) {
      expect(figure('findings')).toBe(0);
      expect(figure('timestamp_seconds')).toBeGreaterThan(1_700_000_000);
      expect(told).toEqual([]);
    }
    const answer = await (await api.as(await api.createUser({ role: 10 }))).get('/api/audit/');
    expect(answer.data).toMatchObject({ found: 0, findings: [], unfinished: [] });
    expect(answer.data.checks).toBeGreaterThan(10);
    await anHourPasses();
    expect((await made()).toSorted()).toEqual([0, 0, 1]);
    for (const { stop } of processes) await stop();
  });

  it('tells root what does not hold, and administrators how much', async () => {
    await anHourPasses();
    await api.deps.db.query('update users set quota = quota + 3 where id = $1', [una.id]);
    const watch = makeProcess();
    expect(await watch.round()).toBe(1);
    await api.deps.db.query('update users set quota = quota - 3 where id = $1', [una.id]);
    expect(watch.told).toEqual([
      {
        type: 'audit_failed',
        subject: 'findings',
        title: { zh: '账目核对未通过：1 处不符', en: 'The books do not balance: 1 sum does not hold' },
        content: {
          zh: `quota + reserved = ledger: ${una.id} has 703, expected 700`,
          en: `quota + reserved = ledger: ${una.id} has 703, expected 700`,
        },
      },
    ]);
    expect(watch.figure('findings')).toBe(1);
    const seen = async (role: number) =>
      (
        await (role === 100 ? await api.root() : await api.as(await api.createUser({ role }))).get(
          '/api/audit/',
        )
      ).data;
    expect(await seen(100)).toMatchObject({
      found: 1,
      findings: [{ id: String(una.id), expected: 700, found: 703 }],
    });
    expect(await seen(10)).toMatchObject({ found: 1, findings: [] });
    await watch.stop();
  });

  it('is due at once when it was cut short', async () => {
    await anHourPasses();
    const watch = makeProcess(100);
    const round = watch.round();
    round.catch(() => undefined);
    const isUnderWay = async () =>
      (await api.deps.db.query("select 1 from leases where name = 'audit'")).length > 0;
    while (!(await isUnderWay())) await Bun.sleep(5);
    await watch.stop();
    await expect(round).rejects.toThrow();
    const next = makeProcess();
    expect(await next.round()).toBe(1);
    await next.stop();
  });

  it('answers nothing before the first one', async () => {
    await api.deps.db.query("delete from meta where name = 'audit'");
    expect((await (await api.root()).get('/api/audit/')).data).toBeNull();
  });

  // PGlite has one connection: nobody can hold a lock that a check waits for.
  if (engine === 'pglite') return;

  it('breaks off a check that takes too long, and makes the others', async () => {
    const { db } = api.deps;
    // Whoever waits for a lock takes his time; nothing of the sort happens to reads otherwise.
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = db.orm.transaction(async (tx) => {
      await takeTime(tx);
      await tx.execute('lock table reservations in access exclusive mode');
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    const books = await auditInTurns(db, { ms: 50, pauseMs: 0, signal: new AbortController().signal });
    held.resolve();
    await holding;
    expect(books.findings).toEqual([]);
    expect(books.unfinished).toContain('reserved = open reservations');
    expect(books.unfinished).not.toContain('quota + reserved = ledger');
    const last = { checked_at: 1, seconds: 0, checks: 1, unfinished: ['x'], found: 0, findings: [] };
    await keepAudit(db, last);
    expect((await (await api.root()).get('/api/audit/')).data).toEqual(last);
  });
});
