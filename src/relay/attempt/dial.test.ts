import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { limits } from '../../core/limits.ts';
import { parseCidrs } from '../../env.ts';
import { createOutgoing } from '../../platform/outgoing.ts';
import type { Route } from './aim.ts';
import { createDialer, UnsendableHeaders } from './dial.ts';
import { ConnectTimeout } from './reach.ts';

const asked: { url: string; host: string | null }[] = [];
let upgrade: string | null = null;
let server: Bun.Server<undefined>;
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      asked.push({ url: new URL(request.url).pathname, host: request.headers.get('host') });
      if (request.headers.has('upgrade')) {
        upgrade = request.headers.get('sec-websocket-extensions');
        return new Response('no', { status: 404 });
      }
      if (request.url.endsWith('/coding')) return new Response(request.headers.get('accept-encoding'));
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
    await expect(call).rejects.toMatchObject({ name: 'OutgoingError', fault: 'private-address' });
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

  it('resolves the oldest name anew when there are more than it remembers', async () => {
    const names: string[] = [];
    const egress = createOutgoing(parseCidrs('127.0.0.0/8'), async (name) => {
      names.push(name);
      return ['127.0.0.1'];
    });
    const dialer = createDialer(egress, () => Promise.reject(new Error('nobody there')), 3);
    const dial = (n: number) => dialer.open(request(`http://up-${n}.example/`), route({})).catch(() => null);
    for (const n of [0, 1, 2, 3, 1, 2, 3]) await dial(n);
    expect(names).toHaveLength(4);
    await dial(0);
    expect(names.slice(4)).toEqual(['up-0.example']);
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

  it('knocks anew at the host that it heard of first when there are more than it remembers', async () => {
    const knocked: string[] = [];
    const to = (host: string) => `http://${host}:${server.port}/`;
    const knock = async (origin: string) => void knocked.push(`${origin}/`);
    const dialer = createDialer(outgoing, knock, 1);
    const root = route({ privateAllowed: true });
    const call = async (host: string) => (await dialer.open(request(to(host)), root)).text();
    for (const host of ['127.0.0.1', '127.0.0.1', 'localhost', 'localhost', '127.0.0.1']) await call(host);
    expect(knocked).toEqual([to('127.0.0.1'), to('localhost'), to('127.0.0.1')]);
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
    // What is packed, message by message, the runtime would unpack without a bound.
    expect(upgrade).toBeNull();
  });

  it('is for an answer that is not packed', async () => {
    const url = `http://127.0.0.1:${server.port}/coding`;
    const answer = await createDialer(outgoing).open(request(url), route({ privateAllowed: true }));
    expect(await answer.text()).toBe('identity');
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

  describe('is made once more only by a connection of earlier calls', () => {
    /** Answers when the test says; of each request it is known whether it is the first of its connection. */
    async function listen(headers = '') {
      const held: { socket: Socket; isNew: boolean }[] = [];
      const open = new Set<Socket>();
      const server = createServer((socket) => {
        let calls = 0;
        open.add(socket);
        socket.on('error', () => undefined).on('close', () => open.delete(socket));
        socket.on('data', () => held.push({ socket, isNew: ++calls === 1 }));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      return {
        url: `http://127.0.0.1:${port}/`,
        open,
        requests: () => held.splice(0),
        async firstOf(count: number) {
          while (held.length < count) await Bun.sleep(5);
          return held.splice(0);
        },
        answer: ({ socket }: { socket: Socket }) =>
          socket.write(`HTTP/1.1 200 OK\r\n${headers}content-length: 2\r\n\r\nok`),
        close: () => {
          for (const socket of open) socket.destroy();
          server.close();
        },
      };
    }
    type Upstream = Awaited<ReturnType<typeof listen>>;

    const caller = () => {
      const dialer = createDialer(outgoing, async () => undefined);
      let again = 0;
      const root = { ...route({ privateAllowed: true }), mayAskAgain: () => ++again > 0 };
      const call = async ({ url }: Upstream) => {
        const answer = await dialer.open(request(url), root);
        await answer.text();
        dialer.wasRead(answer);
      };
      return {
        call,
        /** So many calls at once, all answered. */
        async good(upstream: Upstream, count: number) {
          const calls = Array.from({ length: count }, () => call(upstream));
          const requests = await upstream.firstOf(count);
          requests.map(upstream.answer);
          await Promise.all(calls);
          return requests.map(({ socket }) => socket);
        },
        /** So many at once, each lost where it came on a new connection; how many of them were asked again. */
        async losing(upstream: Upstream, count: number) {
          again = 0;
          let isOver = false;
          const calls = Array.from({ length: count }, () => call(upstream));
          void Promise.allSettled(calls).then(() => {
            isOver = true;
          });
          for (const each of await upstream.firstOf(count)) {
            if (each.isNew) each.socket.resetAndDestroy();
            else upstream.answer(each);
          }
          for (; !isOver; await Bun.sleep(5)) upstream.requests().map(upstream.answer);
          return again;
        },
      };
    };

    it('of which no more wait than are kept', async () => {
      const upstream = await listen();
      const { good, losing } = caller();
      await good(upstream, 100);
      while (upstream.open.size > limits.keptConnections) await Bun.sleep(5);
      expect(await losing(upstream, 100)).toBe(0);
      upstream.close();
    });

    it('and not by one that made room for another host’s', async () => {
      const [first, second] = [await listen(), await listen()];
      const { good, losing } = caller();
      await good(first, 10);
      await good(second, limits.keptConnections);
      while (first.open.size > 0) await Bun.sleep(5);
      expect(await losing(first, 10)).toBe(0);
      first.close();
      second.close();
    });

    it('each of which waits for its own time', async () => {
      const upstream = await listen('keep-alive: timeout=1\r\n');
      const { good, losing } = caller();
      await good(upstream, 5);
      // One stays in use; the others are closed when they have waited for so long.
      let used: Socket | undefined;
      for (let n = 0; n < 6; n++) {
        await Bun.sleep(200);
        [used] = await good(upstream, 1);
      }
      for (const socket of upstream.open) if (socket !== used) socket.end();
      while (upstream.open.size > 1) await Bun.sleep(5);
      expect(await losing(upstream, 5)).toBe(0);
      upstream.close();
    });
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
    await expect(call).rejects.toMatchObject({ fault: 'bad-address' });
    await call.catch(() => undefined);
  });
});
