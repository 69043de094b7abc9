import { afterAll, beforeAll, describe, expect, it, spyOn } from 'bun:test';
import { codeOf } from '../../../../tests/support/code-of.ts';
import { until } from '../../../../tests/support/waits.ts';
import { AppError, fail } from '../../../core/errors.ts';
import { limits } from '../../../core/limits.ts';
import { shareOfUser } from '../../../core/share.ts';
import type { LoadMedia } from '../../../dialects/inline-media.ts';
import { parseCidrs } from '../../../env.ts';
import { BodyBudget } from '../../../platform/body-budget.ts';
import { createCutList } from '../../../platform/cut.ts';
import { createOutgoing, type Outgoing } from '../../../platform/outgoing.ts';
import { ReaderPlaces, Stay } from '../../../platform/reader-places.ts';
import { BodyTurns } from '../../entry/body-turns.ts';
import type { Held } from '../../request.ts';
import { withMedia } from './media.ts';
import { MediaTurns } from './media-turns.ts';

const MIB = 1024 * 1024;
let server: Bun.Server<undefined>;
/** Connections on which nothing is answered. */
let silent = 0;
function answer({ url, signal }: Request): Response | Promise<Response> {
  if (url.includes('silent')) {
    silent++;
    signal.addEventListener('abort', () => silent--);
    return new Promise(() => undefined);
  }
  return new Response(new Uint8Array(Number(new URL(url).searchParams.get('mib')) * MIB), {
    headers: { 'content-type': 'image/png' },
  });
}
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    fetch: answer,
  });
});
afterAll(() => server.stop(true));

const outgoing = createOutgoing(parseCidrs('127.0.0.0/8'), undefined, undefined, () => [[1, 65_535]]);
const mediaTurns = new MediaTurns();
const bodyTurns = new BodyTurns();
const pictures = (count: number, mib: number): string[] =>
  Array.from({ length: count }, (_, n) => `http://127.0.0.1:${server.port}/${n}?mib=${mib}`);
/** Of a host that takes the connection and says nothing. */
const silences = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `http://127.0.0.1:${server.port}/silent/${n}`);

const untilSilent = (count: number) => until(`${count} silent connections`, () => silent === count);

type Load = (url: string) => ReturnType<LoadMedia>;

interface Begun {
  userId?: number;
  ip?: string;
  ms?: number;
  through?: Outgoing;
}

/** A request that holds until it has ended, with the one place that there is. */
function begin(
  bodies: BodyBudget,
  { userId = 1, ip = `192.0.2.${userId}`, ms, through = outgoing }: Begun = {},
) {
  const held: Held[] = [];
  const sent: (() => void)[] = [];
  const leaving = new AbortController();
  const places = new ReaderPlaces(1, []);
  const { standsStill } = new Stay(places.take());
  const request = {
    ...{ userId, ip, standsStill },
    left: leaving.signal,
    hold: (more: Held) => void held.push(more),
    whenSent: (work: () => void) => void sent.push(work),
  };
  const bodiesByNetwork = new BodyBudget(bodies.most);
  const stop = new AbortController();
  const cut = createCutList(stop);
  const deps = { outgoing: through, bodies, bodiesByNetwork, cut, mediaTurns, bodyTurns };
  const attempt = (work: (load: Load) => Promise<void>, most: number = limits.inlineMediaBytes) =>
    withMedia(
      request,
      deps,
      () => most,
      (load) => work((url) => load(url, 'image')),
      ms,
    );
  /** Of a try that lasts as long as its call. */
  const anew = (): Load => {
    let load: Load = () => Promise.reject(new Error('it has not begun'));
    const trying = attempt((given) => {
      load = given;
      return over.promise;
    });
    tries.push(codeOf(trying));
    return load;
  };
  const over = Promise.withResolvers<void>();
  const tries: Promise<unknown>[] = [];
  return {
    load: anew(),
    anew,
    attempt,
    places,
    leave: () => leaving.abort(),
    stop: () => stop.abort(),
    sent: () => sent.map((work) => work()),
    async end() {
      over.resolve();
      await Promise.all(tries);
      for (const each of held) each.release();
    },
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
    await end();
    expect(bodies.bytes).toBe(0);
  });

  it('is bounded for all addresses of a call together', async () => {
    const bodies = new BodyBudget(limits.relayBodiesBytes);
    const { load, end } = begin(bodies);
    const results = await outcomes(pictures(6, 12).map(load));
    expect(results.filter((result) => typeof result === 'number').length).toBeLessThanOrEqual(2);
    expect(results).toContain('invalid_request');
    expect(bodies.bytes).toBeLessThanOrEqual((limits.inlineMediaOfCallBytes * 4) / 3 + 4_096);
    await end();
    expect(bodies.bytes).toBe(0);
  });

  it('is bounded by how much it is in a body that names it again, each time that one is made', async () => {
    const asker = begin(new BodyBudget(limits.relayBodiesBytes));
    const [large = ''] = pictures(1, 9);
    const [small = ''] = pictures(1, 1);
    const chars = 4 * Math.ceil(MIB / 3);
    for (let tries = 0; tries < 2; tries++) {
      const load = asker.anew();
      expect(await outcomes([large, small, small].map(load))).toEqual([12 * MIB, chars, chars]);
      expect(await outcomes([large].map(load))).toEqual(['invalid_request']);
      expect(await outcomes([large].map(asker.anew()))).toEqual([12 * MIB]);
    }
    await asker.end();
  });

  it('is put into a body a few times, however small it is', async () => {
    const asker = begin(new BodyBudget(limits.relayBodiesBytes));
    const urls = pictures(2, 0);
    const load = asker.anew();
    const often = Array.from({ length: limits.inlineMediaTimes }, () => urls).flat();
    expect(new Set(await outcomes(often.map(load)))).toEqual(new Set([0]));
    expect(await outcomes(urls.map(load))).toEqual(['invalid_request', 'invalid_request']);
    expect(await outcomes(urls.map(asker.anew()))).toEqual([0, 0]);
    await asker.end();
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
    await end();
    expect(await loading).toEqual(['client_gone']);
    expect(bodies.bytes).toBe(0);
  });
});

describe('what one try has fetched', () => {
  const silence = () => silences(1)[0] ?? '';
  const refused = () => Promise.reject(fail('invalid_request'));

  it('is there for the next, and what has not come by its end is given up, with its room', async () => {
    const bodies = new BodyBudget(limits.relayBodiesBytes);
    const { attempt, end } = begin(bodies);
    const [small = ''] = pictures(1, 3);
    const tried = attempt(async (load) => {
      await load(small);
      void load(silence()).catch(() => undefined);
      await untilSilent(1);
      return refused();
    });
    expect(await codeOf(tried)).toBe('invalid_request');
    await untilSilent(0);
    expect(bodies.bytes).toBeLessThan(4 * MIB + 4_096);
    server.reload({ fetch: () => new Response(null, { status: 404 }) });
    try {
      expect(await attempt(async (load) => void (await load(small)))).toBe(4 * MIB);
      // It is fetched anew.
      expect(await codeOf(attempt(async (load) => void (await load(silence()))))).toBe('invalid_request');
    } finally {
      server.reload({ fetch: answer });
    }
    await end();
  });

  it('keeps its call waiting no longer than the try, and the place is its own again', async () => {
    const { attempt, places, end } = begin(new BodyBudget(limits.relayBodiesBytes));
    const tried = attempt((load) => {
      for (const url of silences(limits.inlineMediaOfOneAtOnce + 1)) void load(url).catch(() => undefined);
      return untilSilent(limits.inlineMediaOfOneAtOnce).then(refused);
    });
    expect(await codeOf(tried)).toBe('invalid_request');
    expect(places.take()).toBeNull();
    await untilSilent(0);
    await end();
  });

  it('ends its call where that has lost its place meanwhile, whatever else has come of it', async () => {
    for (const outcome of [refused, async () => undefined]) {
      const { attempt, places, end } = begin(new BodyBudget(limits.relayBodiesBytes));
      const tried = attempt(async (load) => {
        for (const url of silences(limits.inlineMediaOfOneAtOnce + 1)) void load(url).catch(() => undefined);
        await untilSilent(limits.inlineMediaOfOneAtOnce);
        expect(places.take()).not.toBeNull();
        return outcome();
      });
      expect(await codeOf(tried)).toBe('OVERLOADED');
      await untilSilent(0);
      await end();
    }
  });
});

describe('what was fetched goes up', () => {
  const loads =
    (...urls: string[]) =>
    async (load: Load) => {
      await Promise.all(urls.map(load));
    };

  it('in the turn of its caller, as a body of that length would, however short his own was', async () => {
    const turn = Promise.withResolvers<void>();
    const taken = spyOn(bodyTurns, 'take').mockImplementation(() => turn.promise);
    const { attempt, end } = begin(new BodyBudget(limits.relayBodiesBytes), { userId: 7 });
    try {
      await attempt(loads(...pictures(2, 0)));
      expect(taken).not.toHaveBeenCalled();
      let isOver = false;
      const trying = attempt(loads(...pictures(2, 1))).then(() => {
        isOver = true;
      });
      await until('a turn is asked for', () => taken.mock.calls.length > 0);
      expect(taken.mock.calls.map(([, { who }]) => who)).toEqual([shareOfUser(7)]);
      expect(isOver).toBe(false);
      turn.resolve();
      await trying;
    } finally {
      taken.mockRestore();
      await end();
    }
  });
});

describe('places for media', () => {
  const { inlineMedia, inlineMediaOfOneAtOnce: ofOne, inlineMediaAtOnce: atOnce } = limits;
  const room = () => new BodyBudget(limits.relayBodiesBytes);
  const gone = (count: number) => Array.from({ length: count }, () => 'client_gone');

  it('are few of one user, and are given back when his call is left or has ended', async () => {
    for (const end of ['leave', 'end'] as const) {
      const greedy = begin(room());
      const loading = outcomes(silences(inlineMedia).map(greedy.load));
      await untilSilent(ofOne);
      const other = begin(room(), { userId: 2 });
      expect(await outcomes(pictures(1, 3).map(other.load))).toEqual([4 * MIB]);
      expect(silent).toBe(ofOne);
      await greedy[end]();
      expect(await loading).toEqual(gone(inlineMedia));
      await untilSilent(0);
      await other.end();
    }
  });

  it('are so many in all, and who has waited in vain for one is told that he may come again', async () => {
    const greedy = Array.from({ length: atOnce / ofOne }, (_, n) => begin(room(), { userId: 10 + n }));
    const loading = greedy.map(({ load }) => outcomes(silences(ofOne).map(load)));
    await untilSilent(atOnce);
    const late = begin(room(), { ms: 50 });
    expect(await outcomes(pictures(1, 3).map(late.load))).toEqual(['OVERLOADED']);
    const patient = begin(room(), { userId: 2 });
    const waiting = outcomes(pictures(1, 3).map(patient.load));
    greedy[0]?.leave();
    expect(await waiting).toEqual([4 * MIB]);
    for (const { leave } of greedy) leave();
    expect((await Promise.all(loading)).flat()).toEqual(gone(atOnce));
    await untilSilent(0);
  });

  it('leave who has waited for one as long to fetch as anybody', async () => {
    const greedy = begin(room());
    const loading = outcomes(silences(ofOne).map(greedy.load));
    await untilSilent(ofOne);
    const times: (number | undefined)[] = [];
    const through: Outgoing = {
      ...outgoing,
      call(url, options) {
        times.push(options?.timeoutMs);
        return outgoing.call(url, options);
      },
    };
    const late = begin(room(), { ms: 5_000, through });
    const waiting = outcomes(pictures(1, 3).map(late.load));
    await Bun.sleep(2);
    greedy.leave();
    expect(await waiting).toEqual([4 * MIB]);
    expect(times).toEqual([5_000]);
    expect(await loading).toEqual(gone(ofOne));
    await untilSilent(0);
  });

  it('are asked for by nobody who has left', async () => {
    const asker = begin(room());
    asker.leave();
    expect(await outcomes(silences(1).map(asker.load))).toEqual(gone(1));
    expect(silent).toBe(0);
  });
});
