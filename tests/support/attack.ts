/** Many calls at once on one balance, over an upstream that answers none before all have come or were refused. */
import { expect } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { type OperationSeen, type Operations, openOperations } from './operations.ts';
import { patience } from './patience.ts';

/** Released within this time, or never. */
const SETTLED_MS = patience(20_000);

export interface Attack {
  t: Operations;
  /** Models of one channel each, by what stands behind them. */
  models: Record<string, string>;
}

/** `channels`: the type of each, and what else is set. A call that fails is not tried elsewhere. */
export async function openAttack(
  channels: Record<string, { type: number; named?: string } & JsonObject>,
): Promise<Attack> {
  const t = await openOperations();
  await t.relay.set({ RetryTimes: 0 });
  const models: Record<string, string> = {};
  for (const [name, { type, ...more }] of Object.entries(channels)) models[name] = await t.model(type, more);
  return { t, models };
}

export interface Call {
  /** The name of the model; it stands in the path for MODEL, or in the body. */
  model: string;
  path: string;
  body: JsonObject;
  answer(seen: OperationSeen): Response | JsonObject;
}

/** So many calls at once, which the upstream answers when each of the others is with it or refused; how many it was asked. */
export async function storm(
  t: Operations,
  { model, path, body, answer }: Call,
  calls: number,
): Promise<number> {
  const asked = path.includes('MODEL') ? body : { model, ...body };
  let atUpstream = 0;
  let refused = 0;
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const look = () => {
    if (atUpstream + refused >= calls) resolve();
  };
  t.answers(async (seen) => {
    atUpstream++;
    look();
    await all;
    const given = answer(seen);
    return given instanceof Response ? given : Response.json(given);
  });
  const statuses = await Promise.all(
    Array.from({ length: calls }, async () => {
      const got = await t.post(path.replace('MODEL', model), asked);
      if (got.status !== 200) {
        refused++;
        look();
      }
      await got.text();
      return got.status;
    }),
  );
  expect(new Set(statuses).difference(new Set([200, 403]))).toEqual(new Set());
  await released(t);
  return atUpstream;
}

/** Waits until nothing is held any more. */
export async function released(t: Operations): Promise<void> {
  for (const until = performance.now() + SETTLED_MS; performance.now() < until; await Bun.sleep(10)) {
    if ((await t.relay.reservations()).length === 0) return;
  }
  throw new Error('not settled');
}
