import { expect, it } from 'bun:test';
import { limits } from '../core/limits.ts';
import { readEnv } from '../env.ts';
import { createFront } from '../front.ts';
import { BodyBudget } from '../platform/body-budget.ts';
import { createCutList } from '../platform/cut.ts';
import { createLogger } from '../platform/logger.ts';
import { Metrics } from '../platform/metrics.ts';
import { createSecrets } from '../platform/secrets.ts';
import { Stopping } from '../platform/stopping.ts';
import { LargeAnswers } from './large-answers.ts';
import { OpenAnswers } from './open-answers.ts';
import { giveFiles } from './shared-files.ts';

const FEW_FILES = 1_024;
const KEY = Buffer.alloc(32).toString('base64');

function setUp(bytes: number) {
  const env = readEnv({});
  const stopping = new Stopping();
  const openAnswers = new OpenAnswers(FEW_FILES);
  const give = giveFiles({ env, openAnswers, secrets: createSecrets(KEY) });
  const file = { body: new Blob([new Uint8Array(bytes)]), headers: { 'content-type': 'text/css' } };
  const none = { fetch: () => new Response(null, { status: 404 }) };
  const pages = {
    fetch: (request: Request) =>
      give(request, null, file).catch(({ code }) => Response.json({ code }, { status: 429 })),
  };
  const rooms = { answersHeld: new BodyBudget(1), answersByNetwork: new BodyBudget(1) };
  const large = new LargeAnswers({ ...rooms, cut: createCutList(stopping) }, stopping);
  const front = createFront(
    { probes: none, description: none, api: none, relay: none, playground: none, pages },
    {
      ...{ env, stopping, openAnswers, large, log: createLogger('error', () => 0), metrics: new Metrics() },
      ownShareOf: async () => null,
    },
  );
  return async (ip: string) =>
    front(new Request('http://localhost/_a/a.css', { headers: { 'x-forwarded-for': ip } }), null);
}

/** One after another, as they come from sockets. */
async function times<T>(count: number, one: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let n = 0; n < count; n++) made.push(await one());
  return made;
}

it('one network has so many parts a minute, and others theirs', async () => {
  const ask = setUp(3 * limits.filePartBytes - 1);
  const answers = await times(limits.filePartsAMinute / 2, () => ask('192.0.2.1'));
  const given = answers.filter(({ status }) => status === 200);
  expect(given).toHaveLength(Math.floor(limits.filePartsAMinute / 3));
  expect((await ask('192.0.2.2')).status).toBe(200);
});

it('behind few of them the connection stays', async () => {
  const ask = setUp(20_000);
  const kept = async (ip: string) =>
    (await times(100, () => ask(ip))).filter(({ headers }) => !headers.has('connection')).length;
  // A half of 64, and of what is left.
  expect([await kept('192.0.2.1'), await kept('192.0.2.2')]).toEqual([32, 16]);
});
