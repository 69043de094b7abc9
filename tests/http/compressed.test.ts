/** What goes out compressed, and that nothing with a secret does. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createApi } from '../../src/api.ts';
import { limits } from '../../src/core/limits.ts';
import type { Client, TestUser } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { addressOf, builtFiles } from '../support/built.ts';

let site: Site;
let root: Client;
let user: TestUser;
const keys: string[] = [];
const PROMPTS = '/api/prompt/suggest';

beforeAll(async () => {
  site = await openSite('postgres');
  root = await site.api.root();
  user = { id: root.userId ?? 0, username: 'root', role: 100 };
  for (const name of ['a', 'b', 'c', 'd']) {
    keys.push((await root.post('/api/token/', { name, unlimited_quota: true })).data.key);
  }
  keys.push(...(await root.post('/api/redemption/', { name: 'spring', quota: 1, count: 8 })).data);
  keys.push((await root.post('/api/user/token')).data);
});
afterAll(() => site.close());

function unpackedBy(encoding: string | null, bytes: Uint8Array<ArrayBuffer>): Uint8Array {
  if (encoding === 'zstd') return Bun.zstdDecompressSync(bytes);
  return encoding === 'gzip' ? Bun.gunzipSync(bytes) : bytes;
}

/** As it stands on the wire. */
async function sent(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const own = path.startsWith('/api') && { 'new-api-user': String(user.id) };
  const answer = await fetch(site.base + path, {
    method,
    headers: {
      cookie: [...root.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'accept-encoding': 'gzip, deflate, br, zstd',
      ...own,
      ...headers,
    },
    decompress: false,
    redirect: 'manual',
  });
  const bytes = await answer.bytes();
  const encoding = answer.headers.get('content-encoding');
  const text = new TextDecoder().decode(unpackedBy(encoding, bytes));
  return { status: answer.status, headers: answer.headers, encoding, bytes, text };
}

const PLAIN = { 'accept-encoding': 'identity' };

describe('what goes out compressed', () => {
  it.each([
    ['/log', 'zstd'],
    ['/api/status', 'zstd'],
    ['/openapi.json', 'gzip'],
  ])('%s, to who takes it, by %s', async (path, best) => {
    const packed = await sent(path);
    expect(packed).toMatchObject({ status: 200, encoding: best });
    for (const one of [packed, await sent(path, { 'accept-encoding': 'gzip, zstd;q=0' })]) {
      expect(one.headers.get('content-length')).toBe(String(one.bytes.length));
      expect(one.text.length).toBeGreaterThan(2 * one.bytes.length);
    }
    expect((await sent(path, { 'accept-encoding': 'gzip' })).encoding).toBe('gzip');
    for (const others of [PLAIN, { 'accept-encoding': 'gzip;q=0, br' }]) {
      const plain = await sent(path, others);
      expect(plain).toMatchObject({ status: 200, encoding: null });
      expect(plain.headers.get('vary')).toBe('accept-encoding');
    }
    expect(packed.headers.get('vary')).toBe('accept-encoding');
  });

  it('HEAD tells of the body as it is', async () => {
    const packed = await sent('/login', { cookie: '' }, 'HEAD');
    expect(packed).toMatchObject({ status: 200, text: '' });
    expect(packed.headers.get('vary')).toBe('accept-encoding');
  });

  it('says the same', async () => {
    const [packed, plain] = [await sent('/api/status'), await sent('/api/status', PLAIN)];
    expect(JSON.parse(packed.text)).toEqual(JSON.parse(plain.text));
  });

  it('an error page is a page', async () => {
    const packed = await sent('/nowhere/at/all');
    expect(packed).toMatchObject({ status: 404, encoding: 'zstd' });
  });

  it('not what is short', async () => {
    const short = await sent('/api/notice');
    expect(short.bytes.length).toBeLessThan(limits.compressFromBytes);
    expect(short).toMatchObject({ status: 200, encoding: null });
    expect(short.headers.get('vary')).toBe('accept-encoding');
  });

  it('a large answer, written as it is read', async () => {
    await site.api.deps.db.query(
      `insert into prompts (instruction) select md5(n::text) || repeat('x', 1000) from generate_series(1, 300) n`,
    );
    const [packed, plain] = [await sent(PROMPTS), await sent(PROMPTS, PLAIN)];
    expect(plain.bytes.length).toBeGreaterThan(2 * limits.answerAtOnceChars);
    expect(packed).toMatchObject({ status: 200, encoding: 'zstd', text: plain.text });
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 4);
    await site.api.deps.db.query('delete from prompts');
  });

  it('one tag for both bodies', async () => {
    await site.api.deps.db.query(
      `insert into prompts (instruction) select repeat('x', 100) from generate_series(1, 20)`,
    );
    const [packed, plain] = [await sent(PROMPTS), await sent(PROMPTS, PLAIN)];
    const tag = plain.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    expect(packed).toMatchObject({ status: 200, encoding: 'zstd' });
    expect(packed.headers.get('etag')).toBe(`W/${tag}`);
    for (const held of [tag, `W/${tag}`]) {
      const again = await sent(PROMPTS, { 'if-none-match': held });
      expect(again).toMatchObject({ status: 304, text: '', encoding: null });
      expect(again.headers.get('etag')).toBe(`W/${tag}`);
      expect(again.headers.get('vary')).toBe('accept-encoding');
    }
    await site.api.deps.db.query('delete from prompts');
  });

  it('built files as they were built', async () => {
    const { code } = await builtFiles();
    expect((await sent(addressOf(code.zh.entry))).encoding).toBe('br');
    expect((await sent('/favicon.svg')).encoding).toBeNull();
  });

  it('nothing of the relay', async () => {
    const answer = await sent('/v1/models/none', { authorization: `Bearer sk-${keys[0]}` });
    expect(answer).toMatchObject({ encoding: null });
    expect(answer.headers.get('vary')).toBeNull();
  });
});

describe('a secret', () => {
  it.each(['/api/token/', '/api/token/page', '/api/token/search'])(
    'in %s is not compressed, here or behind us; masked it is none',
    async (path) => {
      const whole = await sent(path);
      expect(keys.some((key) => whole.text.includes(key))).toBe(true);
      expect(whole.bytes.length).toBeGreaterThan(limits.compressFromBytes);
      expect(whole.encoding).toBeNull();
      expect(whole.headers.get('cache-control')).toBe('no-store, no-transform');
      const masked = await sent(`${path}?mask=true`);
      expect(keys.some((key) => masked.text.includes(key))).toBe(false);
      expect(masked.encoding).toBe('zstd');
      expect(masked.headers.get('cache-control')).toBe('no-store');
    },
  );

  it('stands in no answer of a GET that may be compressed', async () => {
    const { data: tokens } = await root.get('/api/token/');
    const { data: codes } = await root.get('/api/redemption/');
    const ids = [tokens[0].id, codes.items[0].id, user.id];
    const reads = createApi(site.api.deps).routes.filter(
      ({ method, path }) => method === 'GET' && path !== '/api/user/logout',
    );
    let seen = 0;
    for (const { path } of reads) {
      for (const id of path.includes(':') ? ids : [0]) {
        const answer = await root.get(path.replace(/:\w+/g, String(id)));
        const told = keys.filter((key) => answer.text.includes(key));
        if (told.length === 0) continue;
        seen += 1;
        expect([path, answer.headers.get('cache-control')]).toEqual([path, 'no-store, no-transform']);
      }
    }
    // The lists of tokens, and one of them.
    expect(seen).toBeGreaterThanOrEqual(4);
  });

  it('stands in no page', async () => {
    for (const path of [
      '/token',
      `/token/edit/1`,
      '/redemption',
      '/redemption/edit/1',
      '/personal',
      '/user',
    ]) {
      const { text, encoding } = await sent(path);
      expect([path, encoding, keys.filter((key) => text.includes(key))]).toEqual([path, 'zstd', []]);
    }
  });

  it('shown once says that nobody is to compress it', async () => {
    for (const made of [
      await root.post('/api/token/', { name: 'once', unlimited_quota: true }),
      await root.post('/api/redemption/', { name: 'once', quota: 1, count: 1 }),
      await root.get('/api/user/token'),
      await root.get('/api/oauth/state'),
    ]) {
      expect(made).toMatchObject({ success: true });
      expect(made.headers.get('cache-control')).toBe('no-store, no-transform');
    }
  });
});
