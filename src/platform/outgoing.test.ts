/** The dialer against a real local server that stands for "inside", with names resolved by the test. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { parseCidrs } from '../env.ts';
import { createOutgoing, OutgoingError, type OutgoingFault } from './outgoing.ts';

let server: ReturnType<typeof Bun.serve>;
const CODINGS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array<ArrayBuffer>>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};
const textOf = (bytes: number): Buffer =>
  Buffer.from(Array.from({ length: Math.ceil(bytes / 8) }, (_, n) => `${n}`.padStart(8)).join('')).subarray(
    0,
    bytes,
  );
const hits: string[] = [];

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url);
      hits.push(`${request.method} ${request.headers.get('host')}${pathname}`);
      if (pathname === '/to-inside') return Response.redirect('http://169.254.169.254/latest', 302);
      if (pathname === '/loop') return Response.redirect(`http://ok.test:${server.port}/loop`, 302);
      if (pathname === '/big') return new Response('x'.repeat(3_000_000));
      if (pathname === '/slow') return new Promise(() => undefined);
      const [, coding = '', size] = /^\/packed\/(\w+)\/(\d+)/.exec(pathname) ?? [];
      const packed = CODINGS[coding]?.(textOf(Number(size)));
      if (packed) return new Response(packed, { headers: { 'content-encoding': coding } });
      return Response.json({ encoding: request.headers.get('accept-encoding') });
    },
  });
});

afterAll(() => server.stop(true));

const names: Record<string, string[]> = {
  'ok.test': ['127.0.0.1'],
  'half.test': ['127.0.0.1', '10.0.0.1'],
};
// What the test calls public is the loopback range, so that a permitted call can really be made.
const outgoing = createOutgoing(
  parseCidrs('127.0.0.0/8'),
  async (name) => names[name] ?? Promise.reject(new Error('no')),
  undefined,
  () => [[1_024, 65_535]],
);
const strict = createOutgoing([], async (name) => names[name] ?? []);

const faultOf = async (work: Promise<unknown>): Promise<OutgoingFault | 'none'> => {
  try {
    await work;
    return 'none';
  } catch (error) {
    if (error instanceof OutgoingError) return error.fault;
    throw error;
  }
};

describe('the guarded dialer', () => {
  it('connects to the checked address and keeps the name for Host', async () => {
    const reply = await outgoing.call(`http://ok.test:${server.port}/hello`);
    expect(reply.status).toBe(200);
    expect(hits).toContain(`GET ok.test:${server.port}/hello`);
  });

  it.each([
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://0.0.0.0/',
    'http://10.1.2.3/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://192.168.0.1/',
    'http://[fe80::1]/',
    'http://[fc00::1]/',
    'http://[64:ff9b::a00:1]/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://ok.test/',
  ])('refuses %s when nothing private is allowed', async (url) => {
    expect(await faultOf(strict.call(url))).toBe('private-address');
  });

  it('refuses a name of which one address is forbidden', async () => {
    expect(await faultOf(outgoing.call(`http://half.test:${server.port}/`))).toBe('private-address');
  });

  it.each(['ftp://ok.test/', 'file:///etc/passwd', 'not an address', 'http://user:pass@ok.test/', ''])(
    'refuses %p as an address',
    async (url) => {
      expect(await faultOf(outgoing.call(url))).toBe('bad-address');
    },
  );

  it('refuses plain http where https is demanded', async () => {
    expect(await faultOf(outgoing.call('http://ok.test/', { httpsOnly: true }))).toBe('bad-address');
  });

  it('takes plain http only to networks that the operator has opened, where secrets go along', async () => {
    const reply = await outgoing.call(`http://ok.test:${server.port}/`, { httpsOutside: true });
    expect(reply.status).toBe(200);
    const open = createOutgoing([], async () => ['93.184.216.34']);
    expect(await faultOf(open.target('http://ok.test/', { httpsOutside: true }))).toBe('bad-address');
    expect(await faultOf(open.target('http://ok.test/'))).toBe('none');
    expect(await faultOf(open.target('https://ok.test/', { httpsOutside: true }))).toBe('none');
  });

  it('checks every hop of a redirect', async () => {
    expect(await faultOf(outgoing.call(`http://ok.test:${server.port}/to-inside`))).toBe('private-address');
    expect(await faultOf(outgoing.call(`http://ok.test:${server.port}/loop`))).toBe('too-many-redirects');
  });

  it('stops at its bounds of bytes and time', async () => {
    expect(await faultOf(outgoing.call(`http://ok.test:${server.port}/big`))).toBe('too-large');
    expect(await faultOf(outgoing.call(`http://ok.test:${server.port}/slow`, { timeoutMs: 50 }))).toBe(
      'timeout',
    );
  });

  it('waits for a name no longer than for all of the call, nor for one that was given up', async () => {
    const silent = createOutgoing([], () => new Promise(() => undefined));
    expect(await faultOf(silent.call('https://silent.test/', { timeoutMs: 50 }))).toBe('timeout');
    expect(await faultOf(silent.call('https://silent.test/', { signal: AbortSignal.timeout(50) }))).toBe(
      'unreachable',
    );
  });

  it('asks for what is not packed, and unpacks within its bounds what comes packed all the same', async () => {
    const ask = (path: string) =>
      outgoing.call(`http://ok.test:${server.port}/${path}`, { maxBytes: 100_000 });
    expect(JSON.parse((await ask('plain')).text())).toEqual({ encoding: 'identity' });
    for (const coding of ['gzip', 'deflate']) {
      const { headers, body } = await ask(`packed/${coding}/90000`);
      expect([coding, headers.get('content-encoding'), body.byteLength]).toEqual([coding, null, 90_000]);
      expect([coding, await faultOf(ask(`packed/${coding}/1000000`))]).toEqual([coding, 'too-large']);
    }
    for (const coding of ['br', 'zstd']) expect(await faultOf(ask(`packed/${coding}/9`))).toBe('encoding');
  });

  it('calls the ports of the web, 80 for plain http, and those that the operator has opened', async () => {
    const opened: [number, number][] = [];
    const dialer = createOutgoing(
      [],
      async () => ['93.184.216.34'],
      undefined,
      () => opened,
    );
    const to = (address: string, rules = {}) => faultOf(dialer.target(address, rules));
    for (const address of ['https://a.test', 'https://a.test:8443', 'http://a.test', 'http://a.test:443']) {
      expect([address, await to(address)]).toEqual([address, 'none']);
    }
    const closed = [
      'http://a.test:6379',
      'https://a.test:80',
      'https://a.test:22',
      'http://93.184.216.34:8080',
    ];
    for (const address of closed) expect([address, await to(address)]).toEqual([address, 'closed-port']);
    // The operator's own addresses.
    expect(await to('http://a.test:6379', { anyPort: true })).toBe('none');
    expect(await to('http://a.test:6379', { allowPrivate: true })).toBe('none');
    opened.push([6_000, 6_400]);
    expect(await to('http://a.test:6379')).toBe('none');
    expect(await to('http://a.test:6401')).toBe('closed-port');
  });

  it('tells what is wrong with an address before it asks for its name', () => {
    const check = (url: string, rules = {}) => {
      const judge = async () => strict.check(url, rules);
      return faultOf(judge());
    };
    return expect(
      Promise.all(
        ['http://10.0.0.1/', 'https://ok.test:22/', 'ftp://ok.test/', 'http://ok.test/'].map((url) =>
          check(url),
        ),
      ),
    ).resolves.toEqual(['private-address', 'closed-port', 'bad-address', 'none']);
  });

  it('says that a name does not resolve', async () => {
    expect(await faultOf(outgoing.call('http://nowhere.test/'))).toBe('unresolvable');
  });
});
