/**
 * The login flood: 200 sign-ins a second with names that nobody has, from 2,000 addresses behind a trusted proxy, while
 * relay calls go on at 100 a second. Prints what the flood got and what the relay's calls took before and during it, and
 * ends with 1 when a bound is not kept: one hash at a time, a line of 32, the rest 429; the relay's median at most 1.5
 * times its idle one, and no call of it failed. `--seconds N` makes it shorter.
 */
import { limits } from '../../src/core/limits.ts';
import { type Gateway, setUpRelay, startGateway } from '../../tests/support/gateway.ts';
import { openPostgresServer } from '../../tests/support/postgres-server.ts';
import { median } from './figures.ts';
import { startServer, stopAll } from './processes.ts';
import { mark } from './report.ts';
import { MODEL } from './workload.ts';

const LOGINS_A_SECOND = 200;
const ADDRESSES = 2_000;
const CALLS_A_SECOND = 100;
const IDLE_SECONDS = 10;
const secondsAt = process.argv.indexOf('--seconds');
const SECONDS = secondsAt < 0 ? 20 : Number(process.argv[secondsAt + 1]);

/** Does something so many times a second, each at its due time however long the others take; waits for all of them. */
async function steadily(rate: number, seconds: number, work: (n: number) => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  const open: Promise<void>[] = [];
  for (let n = 0; n < rate * seconds; n++) {
    await Bun.sleep(Math.max(startedAt + (n * 1_000) / rate - performance.now(), 0));
    open.push(work(n));
  }
  await Promise.all(open);
}

interface RelayFigures {
  /** Milliseconds of each call. */
  times: number[];
  failures: string[];
}

async function relayCalls(gateway: Gateway, key: string, seconds: number): Promise<RelayFigures> {
  const times: number[] = [];
  const failures: string[] = [];
  await steadily(CALLS_A_SECOND, seconds, async () => {
    const startedAt = performance.now();
    try {
      const response = await gateway.chat(key, { model: MODEL });
      const text = await response.text();
      if (response.status === 200) times.push(performance.now() - startedAt);
      else failures.push(`${response.status} ${text}`);
    } catch (error) {
      failures.push(String(error));
    }
  });
  return { times, failures };
}

/** `10.0.0.1` and on. */
const addressOf = (n: number): string => `10.0.${(n % ADDRESSES) >> 8}.${(n % ADDRESSES) & 255}`;

/** Answers by their status. */
async function flood(gateway: Gateway, seconds: number): Promise<Map<string, number>> {
  const byStatus = new Map<string, number>();
  await steadily(LOGINS_A_SECOND, seconds, async (n) => {
    const status = await fetch(`${gateway.base}/api/user/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': addressOf(n) },
      body: JSON.stringify({ username: `nobody${n}`, password: `guess${n}` }),
    }).then(
      async (response) => {
        await response.text();
        return String(response.status);
      },
      (error: unknown) => String(error),
    );
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  });
  return byStatus;
}

/** The longest line of passwords, looked at twice a second. */
async function longestLine(gateway: Gateway, seconds: number): Promise<number> {
  let longest = 0;
  await steadily(2, seconds, async () => {
    longest = Math.max(longest, await gateway.metric('tollgate_passwords_waiting'));
  });
  return longest;
}

const hashing = async (gateway: Gateway) => ({
  seconds: await gateway.metric('tollgate_password_seconds_sum'),
  count: await gateway.metric('tollgate_password_seconds_count'),
});

async function run(): Promise<boolean> {
  const postgres = await openPostgresServer();
  const upstream = await startServer('mock', 'mock.ts');
  const gateway = await startGateway({
    databaseUrl: postgres.url,
    env: { TRUSTED_PROXIES: '127.0.0.1/32,::1/128' },
  });
  try {
    const { key } = await setUpRelay(gateway, `http://127.0.0.1:${upstream.port}`, [MODEL]);
    // The first calls fill caches and wake the compiler.
    await relayCalls(gateway, key, 3);
    const idle = await relayCalls(gateway, key, IDLE_SECONDS);
    const before = await hashing(gateway);
    const startedAt = performance.now();
    const [flooded, logins, line] = await Promise.all([
      relayCalls(gateway, key, SECONDS),
      flood(gateway, SECONDS),
      longestLine(gateway, SECONDS),
    ]);
    const elapsed = (performance.now() - startedAt) / 1_000;
    const after = await hashing(gateway);
    const hashes = after.count - before.count;
    const atOnce = (after.seconds - before.seconds) / elapsed;

    const total = LOGINS_A_SECOND * SECONDS;
    const refused = logins.get('429') ?? 0;
    const judged = logins.get('200') ?? 0;
    const p50 = { idle: median(idle.times), flooded: median(flooded.times) };
    const ratio = p50.flooded / p50.idle;
    console.log(`\n${total} sign-ins from ${ADDRESSES} addresses in ${elapsed.toFixed(1)} s:`);
    for (const [status, count] of logins) console.log(`  ${status}: ${count}`);
    console.log(
      `hashes: ${hashes}, ${(hashes / elapsed).toFixed(1)} a second, ${(((after.seconds - before.seconds) / hashes) * 1_000).toFixed(1)} ms each`,
    );
    console.log(
      `relay at ${CALLS_A_SECOND} a second, p50: idle ${p50.idle.toFixed(2)} ms, under the flood ${p50.flooded.toFixed(2)} ms`,
    );
    const failures = [...idle.failures, ...flooded.failures];
    for (const failure of failures.slice(0, 5)) console.log(`  ${failure}`);
    const marks: [string, number, boolean, string][] = [
      ['hashes at once, on average', atOnce, atOnce <= 1, '1 or less'],
      [
        'longest line of passwords',
        line,
        line > 1 && line <= limits.passwordQueue,
        `${limits.passwordQueue} or less`,
      ],
      ['share of 429', refused / total, refused > 0 && refused + judged === total, 'all but those judged'],
      ['relay p50 under the flood by idle', ratio, ratio <= 1.5, '1.5 or less'],
      ['relay calls that failed', failures.length, failures.length === 0, '0'],
    ];
    for (const [name, value, ok, bound] of marks) console.log(mark(name, value, ok, bound));
    return marks.every(([, , ok]) => ok);
  } finally {
    await gateway.stop();
    stopAll();
    await postgres.stop();
  }
}

process.exit((await run()) ? 0 : 1);
