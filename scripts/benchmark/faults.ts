/**
 * The fault run: four channels, of which one is dead, one answers 429 and one is too slow, under 50 calls a second for a
 * minute; after 25 s the dead one heals. Prints what callers saw, and ends with 1 when a bound is not kept:
 * errors under 1 % in every second after the fifth, upstream calls at most 1.2 times the requests, the dead channel left
 * alone while it is dead and back with the first probe after it healed. `--seconds N` makes it shorter.
 */
import { freePort, type Gateway, setUp, startGateway } from '../../tests/support/gateway.ts';
import { openPostgresServer } from '../../tests/support/postgres-server.ts';
import { mark } from './report.ts';

const RATE = 50;
const secondsAt = process.argv.indexOf('--seconds');
const SECONDS = secondsAt < 0 ? 60 : Number(process.argv[secondsAt + 1]);
const HEALS_AT = Math.round((SECONDS * 5) / 12);
const SETTLED_AFTER = 5;
/** The slow channel needs longer than a call may. */
const SLOW_MS = 10_000;
const CALL_SEC = 2;
const MODEL = 'gpt-4o';
/** The longest rest of a channel that failed, with its share of chance. */
const PROBE_WITHIN_SEC = 25;

const answer = {
  id: 'chatcmpl-fault',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: MODEL,
  choices: [{ index: 0, message: { role: 'assistant', content: 'well' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 },
};

interface Faulty {
  base: string;
  /** Milliseconds since the start of the run, of each call. */
  calls: number[];
}

let startedAt = performance.now();
const servers: Bun.Server<undefined>[] = [];

function listen(reply: () => Response | Promise<Response>, port = 0): Faulty {
  const calls: number[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    idleTimeout: 0,
    async fetch(request) {
      calls.push(performance.now() - startedAt);
      await request.text();
      return reply();
    },
  });
  servers.push(server);
  return { base: `http://127.0.0.1:${server.port}`, calls };
}

interface Second {
  calls: number;
  errors: number;
}

/** What callers read after the fifth second who got no answer. */
const complaints: string[] = [];

/** One call, counted in the second in which it began. */
async function call(gateway: Gateway, key: string, seconds: Second[]): Promise<void> {
  const at = Math.floor((performance.now() - startedAt) / 1_000);
  const second = seconds[at];
  if (!second) return;
  second.calls++;
  const text = await gateway.chat(key, { model: MODEL }).then(
    (response) => response.text(),
    (error: unknown) => String(error),
  );
  if (text.includes('"well"')) return;
  second.errors++;
  if (at >= SETTLED_AFTER) complaints.push(`second ${at}: ${text}`);
}

async function run(): Promise<boolean> {
  const postgres = await openPostgresServer();
  const gateway = await startGateway({ databaseUrl: postgres.url });
  try {
    const root = await setUp(gateway);
    const deadPort = freePort();
    const busy = listen(() =>
      Response.json({ error: { message: 'slow down' } }, { status: 429, headers: { 'retry-after': '5' } }),
    );
    const slow = listen(async () => {
      await Bun.sleep(SLOW_MS);
      return Response.json(answer);
    });
    const well = listen(() => Response.json(answer));
    for (const [key, value] of [
      ['ModelRatio', { [MODEL]: 1 }],
      ['RelayTotalTimeout', CALL_SEC],
      ['AutomaticDisableChannelEnabled', true],
      ['AutomaticEnableChannelEnabled', true],
    ] as const) {
      await root.setOption(key, value);
    }
    const channels = {
      dead: `http://127.0.0.1:${deadPort}`,
      busy: busy.base,
      slow: slow.base,
      well: well.base,
    };
    for (const [name, base] of Object.entries(channels)) await root.addChannel(base, { name, models: MODEL });
    const key = await root.addToken();

    const seconds: Second[] = Array.from({ length: SECONDS }, () => ({ calls: 0, errors: 0 }));
    const open: Promise<void>[] = [];
    let healed: Faulty | null = null;
    let triedDead = 0;
    startedAt = performance.now();
    for (let n = 0; n < SECONDS * RATE; n++) {
      const dueAt = startedAt + (n * 1_000) / RATE;
      await Bun.sleep(Math.max(dueAt - performance.now(), 0));
      open.push(call(gateway, key, seconds));
      if (n === HEALS_AT * RATE) {
        triedDead = await attemptsOn(gateway, 1);
        healed = listen(() => Response.json(answer), deadPort);
      }
    }
    await Promise.all(open);

    const requests = seconds.reduce((sum, { calls }) => sum + calls, 0);
    const errors = seconds.reduce((sum, one) => sum + one.errors, 0);
    const attempts = await attemptsOn(gateway);
    const worst = Math.max(...seconds.slice(SETTLED_AFTER).map((one) => one.errors / Math.max(one.calls, 1)));
    const back = (healed?.calls[0] ?? Number.POSITIVE_INFINITY) / 1_000 - HEALS_AT;
    const after = (healed?.calls ?? []).filter((at) => at / 1_000 > HEALS_AT + back + 2).length;
    const secondsAfter = SECONDS - HEALS_AT - back - 2;
    const { status } = (await root.call('GET', '/api/channel/4')).data;

    console.log(
      `\n${requests} calls in ${SECONDS} s; ${errors} failed; errors by second: ${seconds.map((one) => one.errors).join(' ')}`,
    );
    console.log(
      `calls upstream: ${attempts}; dead ${triedDead} before it healed, busy ${busy.calls.length}, slow ${slow.calls.length}, well ${well.calls.length}`,
    );
    for (const complaint of complaints.slice(0, 10)) console.log(complaint);
    const marks: [string, number, boolean, string][] = [
      ['worst second after the fifth, share of errors', worst, worst < 0.01, 'less than 0.01'],
      ['calls upstream a request', attempts / requests, attempts / requests <= 1.2, '1.2 or less'],
      ['tries of the dead channel while it was dead', triedDead, triedDead <= 12, '12 or less'],
      [
        'seconds from its healing to its first call',
        back,
        back <= PROBE_WITHIN_SEC,
        `${PROBE_WITHIN_SEC} or less`,
      ],
      [
        'its calls a second two seconds later',
        after / secondsAfter,
        after / secondsAfter > RATE / 4,
        `more than ${RATE / 4}`,
      ],
      ['status of the well channel', status, status === 1, '1'],
    ];
    for (const [name, value, ok, bound] of marks) console.log(mark(name, value, ok, bound));
    return marks.every(([, , ok]) => ok);
  } finally {
    await gateway.stop();
    await postgres.stop();
    for (const server of servers) await server.stop(true);
  }
}

/** Attempts that the gateway made, on one channel or on all. */
const attemptsOn = (gateway: Gateway, channel?: number): Promise<number> =>
  gateway.metric(
    'tollgate_upstream_seconds_count',
    channel === undefined ? {} : { channel: String(channel) },
  );

process.exit((await run()) ? 0 : 1);
