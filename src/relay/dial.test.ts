import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
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
  channel: { baseUrl: 'set', privateAllowed: false, setting: { proxy: null }, ...channel },
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
