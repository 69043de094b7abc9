import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { AppError } from '../../../core/errors.ts';
import { limits } from '../../../core/limits.ts';
import { parseCidrs } from '../../../env.ts';
import { BodyBudget } from '../../../platform/body-budget.ts';
import { createCutList } from '../../../platform/cut.ts';
import { createOutgoing } from '../../../platform/outgoing.ts';
import type { Held } from '../../request.ts';
import { mediaLoader } from './media.ts';

const MIB = 1024 * 1024;
let server: Bun.Server<undefined>;
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    fetch: ({ url }) =>
      url.includes('silent')
        ? new Promise(() => undefined)
        : new Response(new Uint8Array(Number(new URL(url).searchParams.get('mib')) * MIB), {
            headers: { 'content-type': 'image/png' },
          }),
  });
});
afterAll(() => server.stop(true));

const outgoing = createOutgoing(parseCidrs('127.0.0.0/8'), undefined, undefined, () => [[1, 65_535]]);
const pictures = (count: number, mib: number): string[] =>
  Array.from({ length: count }, (_, n) => `http://127.0.0.1:${server.port}/${n}?mib=${mib}`);

/** A request that holds until it has ended. */
function begin(bodies: BodyBudget) {
  const held: Held[] = [];
  const sent: (() => void)[] = [];
  const request = {
    userId: 1,
    ip: '192.0.2.1',
    hold: (more: Held) => void held.push(more),
    whenSent: (work: () => void) => void sent.push(work),
  };
  const bodiesByNetwork = new BodyBudget(bodies.most);
  const stop = new AbortController();
  const cut = createCutList(stop);
  const anew = () => mediaLoader(request, { outgoing, bodies, bodiesByNetwork, cut }).load;
  return {
    load: anew(),
    anew,
    stop: () => stop.abort(),
    sent: () => sent.map((work) => work()),
    end: () => held.map((each) => each.release()),
  };
}

/** What came of each: its length, or the code of its error. */
const outcomes = async (loads: Promise<{ data: string }>[]) =>
  (await Promise.allSettled(loads)).map((result) => {
    if (result.status === 'fulfilled') return result.value.data.length;
    return result.reason instanceof AppError ? result.reason.code : result.reason;
  });

describe('media fetched by address', () => {
  it('counts among the bodies in memory until the call has ended', async () => {
    const bodies = new BodyBudget(limits.relayBodiesBytes);
    const { load, end } = begin(bodies);
    const { data, mediaType } = await load(pictures(1, 3)[0] ?? '');
    expect([data.length, mediaType]).toEqual([4 * MIB, 'image/png']);
    expect(bodies.bytes).toBeGreaterThanOrEqual(4 * MIB);
    expect(bodies.bytes).toBeLessThan(4 * MIB + 4_096);
    await load(pictures(1, 3)[0] ?? '');
    expect(bodies.bytes).toBeLessThan(4 * MIB + 4_096);
    end();
    expect(bodies.bytes).toBe(0);
  });

  it('is bounded for all addresses of a call together', async () => {
    const bodies = new BodyBudget(limits.relayBodiesBytes);
    const { load, end } = begin(bodies);
    const results = await outcomes(pictures(6, 12).map(load));
    expect(results.filter((result) => typeof result === 'number').length).toBeLessThanOrEqual(2);
    expect(results).toContain('invalid_request');
    expect(bodies.bytes).toBeLessThanOrEqual((limits.inlineMediaOfCallBytes * 4) / 3 + 4_096);
    end();
    expect(bodies.bytes).toBe(0);
  });

  it('is bounded by how often it is asked for, each time of a body that is made anew', async () => {
    const asker = begin(new BodyBudget(limits.relayBodiesBytes));
    const [url = ''] = pictures(1, 12);
    for (let tries = 0; tries < 2; tries++) {
      const load = asker.anew();
      expect(await outcomes([url, url, url].map(load))).toEqual([16 * MIB, 16 * MIB, 'invalid_request']);
    }
    asker.end();
  });

  it('is not waited for when the server stops', async () => {
    const { load, stop } = begin(new BodyBudget(limits.relayBodiesBytes));
    const loading = outcomes([load(`http://127.0.0.1:${server.port}/silent`)]);
    stop();
    expect(await loading).toEqual(['invalid_request']);
  });

  it('is refused with 503 where there is no room, and takes none once the call has ended', async () => {
    const small = begin(new BodyBudget(MIB));
    expect(await outcomes(pictures(1, 3).map(small.load))).toEqual(['OVERLOADED']);
    const bodies = new BodyBudget(limits.relayBodiesBytes);
    const { load, end } = begin(bodies);
    const loading = outcomes(pictures(1, 3).map(load));
    end();
    expect(await loading).toEqual(['client_gone']);
    expect(bodies.bytes).toBe(0);
  });
});
