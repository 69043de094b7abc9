import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type Measured, Series, spreadOf } from '../../scripts/benchmark/figures.ts';
import { cpuOfPostgres, cpuOfThreads, totalUs, usedSince } from '../../scripts/benchmark/linux.ts';
import { verdictOf } from '../../scripts/benchmark/marks.ts';
import { FULL, MEMBERS, planOf, rotated } from '../../scripts/benchmark/plan.ts';
import { inLong } from '../support/long.ts';
import { patience } from '../support/patience.ts';
import { openPostgresServer } from '../support/postgres-server.ts';

const root = join(import.meta.dir, '../..');

inLong.it(
  'starts on both databases, measures, and finds their books clean',
  async () => {
    const child = Bun.spawn([process.execPath, 'scripts/benchmark/main.ts', '--quick', '--only', 'one'], {
      cwd: root,
      env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '20000' },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect({ code: await child.exited, err: err.trim() }).toEqual({ code: 0, err: 'round 1 of 1' });
    expect(out).toMatch(/^held {4}failed calls/m);
    expect(out.match(/Every unit is accounted for\./g)).toHaveLength(2);
    // An answer, a statement of each kind a call, and so a commit of each: every instrument told something.
    const row = out.split('\n').find((line) => line.startsWith(MEMBERS.hot)) ?? '';
    expect(row).toMatch(/ 2\.\d+ +[\d,]+ +1\.0 +1\.0 +0$/);
    expect(out).toContain('Postgres backend');
  },
  patience(300_000),
);

describe('a mark', () => {
  const around = (mid: number) => [mid - 0.02, mid - 0.01, mid, mid + 0.01, mid + 0.02];

  test.each([
    ['held', around(0.35), { atLeast: 0.3 }],
    ['missed', around(0.25), { atLeast: 0.3 }],
    ['within the spread', around(0.305), { atLeast: 0.3 }],
    ['within the spread', around(0.295), { atLeast: 0.3 }],
    ['held', around(1), { atMost: 1.1 }],
    ['missed', around(1.2), { atMost: 1.1 }],
    ['within the spread', around(1.1), { atMost: 1.1 }],
    ['not judged', [0.5, 0.5], { atLeast: 0.3 }],
    ['not judged', [Number.NaN, Number.NaN, Number.NaN], { atLeast: 0.3 }],
  ] as const)('is %s by %p with %p', (verdict, values, bound) => {
    expect(verdictOf({ what: '', values, ...bound })).toBe(verdict);
  });
});

test('the middle half of figures lies between their quartiles, whatever was not measured', () => {
  expect(spreadOf([5, 1, Number.NaN, 4, 2, 3])).toEqual({ low: 2, mid: 3, high: 4 });
  expect(spreadOf([1, 2])).toEqual({ low: 1.25, mid: 1.5, high: 1.75 });
  expect(spreadOf([])).toEqual({ low: Number.NaN, mid: Number.NaN, high: Number.NaN });
});

test('ratios are made within a round', () => {
  const series = new Series();
  const measured = (rate: number, failed = 0): Measured => ({
    calls: 1,
    answered: 1,
    failed,
    rate,
    loadUs: 0,
    p50: 0,
    p99: 0,
    first50: 0,
    first99: 0,
    gatewayUs: 0,
    postgresUs: 0,
    mockUs: 0,
    threads: new Map(),
    transactions: 0,
    walBytes: 0,
    reserveBatch: 0,
    settleBatch: 0,
  });
  for (const rate of [10, 20, 40]) series.add('raw', measured(rate));
  for (const rate of [5, 5, 30]) series.add('gateway', measured(rate, 1));
  expect(series.ratios('gateway', 'raw', ({ rate }) => rate)).toEqual([0.5, 0.25, 0.75]);
  expect(series.failed).toBe(3);
});

test('each target begins a round as often as any other', () => {
  const [group] = planOf(['plain'], FULL, true);
  const members = group?.members ?? [];
  const first = members.map((_, round) => rotated(members, round)[0]);
  expect(new Set(first)).toEqual(new Set(members));
  expect(planOf(['plain'], FULL, false)[0]?.members).not.toContain('before');
});

test('the CPU of a process is told by its threads, that of Postgres by what its processes do', async () => {
  const before = cpuOfThreads(process.pid);
  const until = performance.now() + 300;
  while (performance.now() < until);
  const used = usedSince(before, cpuOfThreads(process.pid));
  // On a full machine a thread gets a part of the time only.
  expect(totalUs(used)).toBeGreaterThan(20_000);
  expect(Math.max(...used.values())).toBeGreaterThan(20_000);

  const postgres = await openPostgresServer();
  const kinds = cpuOfPostgres(await postgres.pid());
  await postgres.stop();
  expect([...kinds.keys()]).toContain('Postgres walwriter');
  expect([...kinds.keys()]).toContain('Postgres checkpointer');
});
