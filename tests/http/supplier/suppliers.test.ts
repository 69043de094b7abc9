/** Suppliers as administrators keep them, and as users and clients read them. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createOutgoing } from '../../../src/platform/outgoing.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { type SupplierServer, startSupplier } from '../../support/supplier-server.ts';

let api: TestApi;
let root: Client;
let admin: Client;
let una: Client;
let upstream: SupplierServer;

beforeAll(async () => {
  api = await openApi('postgres');
  root = await api.root();
  admin = await api.as(await api.createUser({ role: 10 }));
  una = await api.as(await api.createUser());
  upstream = startSupplier();
});
afterAll(async () => {
  await upstream.close();
  await api.close();
});

const open = async () => (await una.get('/api/supplier')).data;
const all = async () => (await admin.get('/api/supplier/admin/')).data;
const rowOf = async (name: string) => (await all()).find((row: { name: string }) => row.name === name);

describe('suppliers', () => {
  it('begin with OpenAI’s wire and library, and keep what they are told', async () => {
    const made = await admin.post('/api/supplier/admin/', {
      name: ' Acme ',
      base_url: 'https://acme.example/v1/',
    });
    expect(made).toMatchObject({ success: true });
    const acme = {
      id: made.data.id,
      name: 'Acme',
      base_url: 'https://acme.example/v1',
      type: 1,
      sdk: 'openai',
    };
    expect(await rowOf('Acme')).toEqual({ ...acme, disable: false, private_allowed: false, users: 0 });
    expect(await open()).toEqual([acme]);
    const change = { name: 'Acme', base_url: 'https://acme.example', type: 14, sdk: 'claude' };
    expect((await admin.put(`/api/supplier/admin/${acme.id}`, change)).data).toEqual({ ...acme, ...change });
    // Null and what is absent change nothing; a row may come back as it was given.
    await admin.put(`/api/supplier/admin/${acme.id}`, { ...(await rowOf('Acme')), name: null });
    expect(await rowOf('Acme')).toMatchObject({ ...change, disable: false });
  });

  it('are offered to users while they are not disabled', async () => {
    const { id } = await rowOf('Acme');
    await admin.put(`/api/supplier/admin/${id}`, { disable: true });
    expect(await open()).toEqual([]);
    expect(await rowOf('Acme')).toMatchObject({ disable: true });
    await admin.put(`/api/supplier/admin/${id}`, { disable: false });
    expect(await open()).toHaveLength(1);
  });

  it('are told once: who has the same list already gets 304', async () => {
    for (const [client, path] of [
      [una, '/api/supplier'],
      [admin, '/api/supplier/admin/'],
      // As all that the desk keeps.
      [admin, '/api/ai-role/admin'],
      [admin, '/api/prompt/suggest/admin'],
      [admin, '/api/application/admin'],
    ] as const) {
      const first = await client.get(path);
      const tag = first.headers.get('etag');
      expect([first.status, tag]).toEqual([200, expect.stringMatching(/^"[\w-]+"$/)]);
      expect(first.headers.get('cache-control')).toBe('private, no-cache');
      for (const held of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const again = await client.call('GET', path, undefined, { 'if-none-match': held });
        expect([held, again.status, again.text, again.headers.get('etag')]).toEqual([held, 304, '', tag]);
      }
      const other = await client.call('GET', path, undefined, { 'if-none-match': '"other"' });
      expect([other.status, other.text]).toEqual([200, first.text]);
    }
  });

  const good = { name: 'other', base_url: 'https://other.example' };
  it.each<[string, object, string]>([
    ['without a name', { ...good, name: '  ' }, 'SUPPLIER_NAME'],
    ['with a slash in its name', { ...good, name: 'a/b' }, 'SUPPLIER_NAME'],
    ['with a line end in its name', { ...good, name: 'a\nb' }, 'SUPPLIER_NAME'],
    ['with a name that is too long', { ...good, name: 'x'.repeat(51) }, 'SUPPLIER_NAME'],
    ['with the name of another, however it is written', { ...good, name: 'aCME' }, 'SUPPLIER_NAME_TAKEN'],
    ['without an address', { name: 'other' }, 'SUPPLIER_ADDRESS_NEEDED'],
    ['with an address that is none', { ...good, base_url: 'other.example' }, 'SUPPLIER_ADDRESS'],
    [
      'with a password in its address',
      { ...good, base_url: 'https://a:b@other.example' },
      'SUPPLIER_ADDRESS',
    ],
    ['with a query in its address', { ...good, base_url: 'https://other.example/?a=1' }, 'SUPPLIER_ADDRESS'],
    [
      'with a model in its address',
      { ...good, base_url: 'https://other.example/{model}' },
      'SUPPLIER_ADDRESS',
    ],
    ['with a private address, by an admin', { ...good, base_url: 'http://10.0.0.1' }, 'SUPPLIER_ADDRESS'],
    [
      'with a closed port, by an admin',
      { ...good, base_url: 'https://other.example:22' },
      'SUPPLIER_ADDRESS',
    ],
    ['with a type that is none', { ...good, type: 9_999 }, 'SUPPLIER_TYPE'],
    ['with a type whose keys name addresses', { ...good, type: 41 }, 'SUPPLIER_TYPE'],
    ['with a type that is a task server', { ...good, type: 36 }, 'SUPPLIER_TYPE'],
    ['with another library', { ...good, sdk: 'other' }, 'SUPPLIER_SDK'],
    ['with a type that is no number', { ...good, type: 'x' }, 'BAD_PARAM'],
  ])('are refused %s, and nothing is kept', async (_, body, code) => {
    const before = await all();
    expect(await admin.post('/api/supplier/admin/', body)).toMatchObject({ success: false, code });
    const { id } = await rowOf('Acme');
    // What is no fault in a change names nothing.
    if (!/without an address|name of another/.test(_)) {
      expect(await admin.put(`/api/supplier/admin/${id}`, body)).toMatchObject({ success: false, code });
    }
    expect(await all()).toEqual(before);
  });

  it('answer for one that is not there', async () => {
    expect(await admin.put('/api/supplier/admin/999999', { name: 'x' })).toMatchObject({
      success: false,
      code: 'NOT_FOUND',
      message: '供应商不存在',
    });
  });

  it('may stand at a private address when root wrote it, and stay there when an admin renames them', async () => {
    const made = await root.post('/api/supplier/admin/', { name: 'Home', base_url: upstream.base });
    const { id } = made.data;
    await admin.put(`/api/supplier/admin/${id}`, { ...(await rowOf('Home')), name: 'House' });
    const [row] = await api.deps.db.query('select name, private_allowed from suppliers where id = $1', [id]);
    expect(row).toEqual({ name: 'House', private_allowed: true });
    // By an admin's own word it does not.
    expect(
      await admin.put(`/api/supplier/admin/${id}`, { base_url: `${upstream.base}/elsewhere` }),
    ).toMatchObject({ code: 'SUPPLIER_ADDRESS' });
    // Of another type calls take other ways on its host.
    const { base } = upstream;
    for (const [client, way, private_allowed] of [
      [root, { type: 43 }, true],
      [admin, { type: 1 }, false],
      [admin, { base_url: base, private_allowed: true }, false],
      // What comes back as it was is no wish of root's; what he says of it is.
      [root, { base_url: base, name: 'Home' }, false],
      [root, { base_url: base, private_allowed: true }, true],
      [root, { private_allowed: false }, false],
      [root, { base_url: `${base}/v1` }, true],
      [admin, { base_url: 'https://public.example' }, false],
    ] as const) {
      await client.put(`/api/supplier/admin/${id}`, way);
      const [moved] = await api.deps.db.query('select private_allowed from suppliers where id = $1', [id]);
      expect([way, moved]).toEqual([way, { private_allowed }]);
    }
    const { items } = (await root.get(`/api/admin_action/?target=supplier:${id}`)).data;
    expect(items[0].changes).toContainEqual(
      expect.objectContaining({ name: 'private_allowed', before: 'true', after: 'false' }),
    );
  });

  it('are let into the network by no other change of root’s, when an admin wrote where they are', async () => {
    const place = { base_url: 'http://10.0.0.9.nip.io', type: 1, sdk: 'openai' };
    const { outgoing } = api.deps;
    const { target } = outgoing;
    outgoing.target = createOutgoing([], async () => ['10.0.0.9']).target;
    const { id } = (await admin.post('/api/supplier/admin/', { ...place, name: 'cheap' })).data;
    for (const said of [{ name: 'Cheap' }, { name: 'Cheap', type: 43 }]) {
      const answer = await root.put(`/api/supplier/admin/${id}`, { ...place, ...said, disable: false });
      expect(answer.success).toBe(true);
      expect((await rowOf('Cheap')).private_allowed).toBe(false);
    }
    const said = { base_url: 'https://93.184.216.34', private_allowed: true };
    expect(await root.put(`/api/supplier/admin/${id}`, said)).toMatchObject({ code: 'SUPPLIER_ADDRESS' });
    outgoing.target = target;
  });

  it('name the wires for which an address and a key are enough', async () => {
    const types: { type: number; label: string }[] = (await admin.get('/api/supplier/admin/types')).data;
    const numbers = types.map(({ type }) => type);
    expect(types).toContainEqual({ type: 1, label: 'OpenAI' });
    expect(numbers).toEqual(expect.arrayContaining([14, 24, 43]));
    for (const other of [2, 5, 36, 41, 33, 8]) expect(numbers).not.toContain(other);
  });

  it('tell administrators the balance of a key', async () => {
    const home = await root.post('/api/supplier/admin/', { name: 'Deep', base_url: upstream.base, type: 43 });
    expect(home.success).toBe(true);
    const body = { channel_type: 43, base_url: upstream.base, key: 'sk-of-the-admin-0001' };
    const answer = await admin.post('/api/supplier/balance', body);
    expect(JSON.parse(answer.text)).toEqual({ success: true, message: '', balance: 12.5 });
    expect(upstream.asked.at(-1)).toEqual({ path: 'GET /user/balance', key: 'sk-of-the-admin-0001' });
    const unknown = { ...body, base_url: 'http://127.0.0.1:1' };
    expect(await admin.post('/api/supplier/balance', unknown)).toMatchObject({ code: 'SUPPLIER_ADDRESS' });
    expect(await admin.post('/api/supplier/balance', { ...body, key: '' })).toMatchObject({
      code: 'CUSTOM_MODEL_KEY',
    });
    upstream.answer = () => new Response('no', { status: 401 });
    expect(await admin.post('/api/supplier/balance', body)).toMatchObject({ code: 'CHANNEL_BALANCE' });
    upstream.answer = null;
    expect((await una.post('/api/supplier/balance', body)).status).toBe(403);
  });
});
