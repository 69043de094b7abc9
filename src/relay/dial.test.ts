import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { parseCidrs } from '../env.ts';
import { createOutgoing } from '../platform/outgoing.ts';
import { ConnectTimeout, createDialer, type Route, UnsendableHeaders } from './dial.ts';

const asked: { url: string; host: string | null }[] = [];
let server: Bun.Server<undefined>;
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      asked.push({ url: new URL(request.url).pathname, host: request.headers.get('host') });
      if (request.headers.has('upgrade')) return new Response('no', { status: 404 });
      return new Response('answer');
    },
  });
});
afterAll(() => server.stop(true));

let resolved = 0;
/** A name server that sends every name to this machine. */
const outgoing = createOutgoing([], async () => {
  resolved++;
  return ['127.0.0.1'];
});

const route = (channel: Partial<Route['channel']>): Route => ({
  channel: { type: 1, baseUrl: 'set', privateAllowed: false, setting: { proxy: null }, ...channel },
  connectMs: 1000,
  signal: new AbortController().signal,
});
const request = (url: string) => ({ method: 'POST' as const, url, headers: {}, body: '{}' });

describe('an upstream call', () => {
  it('does not follow a name that an admin wrote into a private network', async () => {
    const call = createDialer(outgoing).open(request(`http://sly.example:${server.port}/v1/x`), route({}));
    expect(call).rejects.toMatchObject({ name: 'OutgoingError', fault: 'private-address' });
    await call.catch(() => undefined);
    expect(asked).toEqual([]);
  });

  it.each([41, 33, 1])('does not go where a key or a region of type %p leads instead', async (type) => {
    const to = (url: string) =>
      createDialer(outgoing)
        .open(request(url), route({ type, baseUrl: '' }))
        .catch((error) => error.fault);
    expect(await to(`http://127.0.0.1:${server.port}/v1/x`)).toBe('private-address');
    expect(await to(`https://x@127.0.0.1:${server.port}/#.googleapis.com`)).toBe('private-address');
    expect(await to('https://sly.example/.googleapis.com')).toBe('private-address');
    expect(asked).toEqual([]);
  });

  it('goes where root points it, private or not', async () => {
    const url = `http://127.0.0.1:${server.port}/v1/x`;
    const answer = await createDialer(outgoing).open(request(url), route({ privateAllowed: true }));
    expect(await answer.text()).toBe('answer');
  });

  it('connects to the address that was checked and tells the server its name, which is resolved once in a while', async () => {
    const egress = createOutgoing([[(await import('ipaddr.js')).default.parse('127.0.0.0'), 8]], async () => {
      resolved++;
      return ['127.0.0.1'];
    });
    const dialer = createDialer(egress);
    const before = resolved;
    for (let i = 0; i < 3; i++) {
      await (await dialer.open(request(`http://up.example:${server.port}/v1/y`), route({}))).text();
    }
    expect(asked.at(-1)).toEqual({ url: '/v1/y', host: `up.example:${server.port}` });
    expect(resolved - before).toBe(1);
  });

  it('is given up when a host takes no connection in time; that is asked once for all who wait', async () => {
    let connects = 0;
    const dialer = createDialer(outgoing, () => {
      connects++;
      return new Promise(() => undefined);
    });
    const slow = { ...route({ privateAllowed: true }), connectMs: 20 };
    const calls = [1, 2, 3].map(() => dialer.open(request(`http://127.0.0.1:${server.port}/`), slow));
    const results = await Promise.allSettled(calls);
    for (const result of results) {
      expect(result.status === 'rejected' && result.reason).toBeInstanceOf(ConnectTimeout);
    }
    expect(connects).toBe(1);
  });

  it('is given up after its own time, whoever else waits for the same host longer or shorter', async () => {
    let connects = 0;
    const dialer = createDialer(outgoing, () => {
      connects++;
      return new Promise(() => undefined);
    });
    const url = `http://127.0.0.1:${server.port}/`;
    const root = route({ privateAllowed: true });
    const left = new AbortController();
    const patient = dialer.open(request(url), { ...root, connectMs: 60_000, signal: left.signal });
    const quick = dialer.open(request(url), { ...root, connectMs: 20 });
    expect(await quick.catch((error: unknown) => error)).toBeInstanceOf(ConnectTimeout);
    expect(connects).toBe(1);
    left.abort();
    expect(await patient.catch((error: unknown) => error)).toMatchObject({ name: 'AbortError' });
  });

  it('over a websocket tells as well that its host is there', async () => {
    let connects = 0;
    const dialer = createDialer(outgoing, async () => {
      connects++;
    });
    const url = `http://127.0.0.1:${server.port}/`;
    const root = route({ privateAllowed: true });
    // The status of a refused upgrade is an answer too.
    for (let i = 0; i < 3; i++) expect(await dialer.socket(request(url), root)).toBe(404);
    expect(connects).toBe(1);
  });

  it('goes to the address of a proxy that was checked, whatever its name becomes', async () => {
    let asks = 0;
    const egress = createOutgoing(parseCidrs('127.0.0.0/8'), async (name) => {
      if (name === 'proxy.example') asks++;
      return ['127.0.0.1'];
    });
    const proxy = `http://user:word@proxy.example:${server.port}`;
    const channel = { setting: { proxy } };
    // The machine's own name server knows no proxy.example: only the checked address leads there.
    const call = createDialer(egress).open(request('http://up.example/v1/z'), route(channel));
    expect(await (await call).text()).toBe('answer');
    expect(asks).toBe(1);
  });

  it('asks a host that has answered lately for no connection first', async () => {
    let connects = 0;
    const dialer = createDialer(outgoing, async () => {
      connects++;
    });
    for (let i = 0; i < 3; i++) {
      const url = `http://127.0.0.1:${server.port}/`;
      await (await dialer.open(request(url), route({ privateAllowed: true }))).text();
    }
    expect(connects).toBe(1);
  });

  it('tells a key that no header can carry from a fault of its own', async () => {
    const url = `http://127.0.0.1:${server.port}/`;
    const dialer = createDialer(outgoing);
    const root = route({ privateAllowed: true });
    const headers = { authorization: 'Bearer 汉字' };
    for (const call of [
      () => dialer.open({ ...request(url), headers }, root),
      () => dialer.socket({ ...request(url), headers }, root),
    ]) {
      expect((await call().catch((error: unknown) => error)) instanceof UnsendableHeaders).toBe(true);
    }
  });

  it('refuses a proxy whose kind it cannot speak', async () => {
    const channel = { privateAllowed: true, setting: { proxy: 'socks5://127.0.0.1:1080' } };
    const call = createDialer(outgoing).open(request('http://127.0.0.1/'), route(channel));
    expect(call).rejects.toMatchObject({ fault: 'bad-address' });
    await call.catch(() => undefined);
  });
});
