/** Users' own keys at suppliers: kept sealed, shown to nobody, sent nowhere but where they were given for. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { limits } from '../../../src/core/limits.ts';
import { type Client, openApi, type TestApi, type TestUser } from '../../support/api.ts';
import { type SupplierServer, startSupplier } from '../../support/supplier-server.ts';

const CONF = '/api/user/custom-models/conf';
const MODELS = '/api/user/custom-models/models';
const KEY = 'sk-very-secret-0123456789';
const HINT = 'sk-v…789';

let api: TestApi;
let root: Client;
let admin: Client;
let user: TestUser;
let una: Client;
let otto: Client;
let upstream: SupplierServer;
/** A supplier at a DeepSeek wire, which tells balances; one at OpenAI's. */
let deep: number;
let open: number;

const supplier = async (name: string, more: object = {}): Promise<number> =>
  (await root.post('/api/supplier/admin/', { name, base_url: upstream.base, ...more })).data.id;

beforeAll(async () => {
  api = await openApi('postgres');
  root = await api.root();
  admin = await api.as(await api.createUser({ role: 10 }));
  upstream = startSupplier();
  deep = await supplier('Deep', { type: 43 });
  open = await supplier('Open', { base_url: `${upstream.base}/v1` });
});
afterAll(async () => {
  await upstream.close();
  await api.close();
});
beforeEach(async () => {
  user = await api.createUser();
  una = await api.as(user);
  otto = await api.as(await api.createUser());
  upstream.asked.length = 0;
  upstream.answer = null;
});

const add = async (client: Client, more: object = {}) => {
  const answer = await client.post(CONF, { supplier_id: deep, key: KEY, models: ['m-1'], ...more });
  expect(answer.message).toBe('');
  return answer.data;
};
const own = async (client: Client) => (await client.get(CONF)).data;

describe('a key of one’s own', () => {
  it('is kept sealed and shown masked, to its user and to administrators', async () => {
    const made = await add(una, { models: ['m-1', ' m-1 ', 'm-2'] });
    const shown = {
      id: made.id,
      supplier_id: deep,
      supplier: { id: deep, name: 'Deep', type: 43, base_url: upstream.base, sdk: 'openai', disable: false },
      key: HINT,
      models: ['m-1', 'm-2'],
      balance_at: 0,
      key_needed: false,
      refused_at: 0,
    };
    expect(made).toEqual(shown);
    expect(await own(una)).toEqual([shown]);
    expect(await own(otto)).toEqual([]);
    const everybodys = await admin.get(`${CONF}/all?keyword=${user.username}`);
    const { sdk, ...told } = shown.supplier;
    expect(everybodys.data).toEqual([
      {
        ...shown,
        supplier: told,
        user_id: user.id,
        username: user.username,
        models: '["m-1","m-2"]',
      },
    ]);
    const [row] = await api.deps.db.query('select * from custom_models where id = $1', [made.id]);
    expect(JSON.stringify(row)).not.toContain(KEY);
    expect((await una.get(`${CONF}/all`)).status).toBe(403);
  });

  it('changes by what its user names, and stays without a new one', async () => {
    const { id } = await add(una);
    await una.put(`${CONF}/${id}`, { key: '', models: '["m-3","m-4"]' });
    await una.put(`${CONF}/${id}`, { key: HINT });
    expect(await own(una)).toMatchObject([{ key: HINT, models: ['m-3', 'm-4'] }]);
    await una.get(`${CONF}/check?key=${id}`);
    expect(upstream.asked).toEqual([{ path: 'GET /user/balance', key: KEY }]);
    await una.put(`${CONF}/${id}`, { key: 'sk-another-secret-00001', models: [] });
    const [after] = await own(una);
    expect(after).toMatchObject({ key: 'sk-a…001', models: [] });
    // What was known of the old one is not of this one.
    expect('balance' in after).toBe(false);
  });

  it('is one a supplier, and goes with its configuration', async () => {
    const { id } = await add(una);
    const again = { supplier_id: deep, key: KEY };
    const [one, two] = await Promise.all([otto.post(CONF, again), otto.post(CONF, again)]);
    expect([one.success, two.success].sort()).toEqual([false, true]);
    expect(await una.post(CONF, again)).toMatchObject({ success: false, code: 'CUSTOM_MODEL_TAKEN' });
    expect((await una.del(`${CONF}/${id}`)).success).toBe(true);
    expect(await own(una)).toEqual([]);
    expect(await una.del(`${CONF}/${id}`)).toMatchObject({ code: 'NOT_FOUND', message: '用户配置不存在' });
  });

  it('is nobody else’s to read, change, use or remove', async () => {
    const { id } = await add(una);
    const nowhere = { success: false, code: 'NOT_FOUND', message: '用户配置不存在' };
    expect(await otto.put(`${CONF}/${id}`, { models: ['x'] })).toMatchObject(nowhere);
    expect(await admin.put(`${CONF}/${id}`, { models: ['x'] })).toMatchObject(nowhere);
    expect(await otto.del(`${CONF}/${id}`)).toMatchObject(nowhere);
    expect(await admin.del(`${CONF}/${id}`)).toMatchObject(nowhere);
    expect(await otto.get(`${CONF}/check?key=${id}`)).toMatchObject(nowhere);
    expect(await otto.get(`${CONF}/check?key=${KEY}`)).toMatchObject(nowhere);
    // Nor is its mask a key.
    expect(await otto.post(MODELS, { base_url: upstream.base, key: '' })).toMatchObject({
      code: 'CUSTOM_MODEL_KEY',
    });
    expect(upstream.asked).toEqual([]);
    expect(await own(una)).toMatchObject([{ models: ['m-1'] }]);
  });

  it('goes with its account', async () => {
    await add(una);
    const count = () => api.deps.db.query('select id from custom_models where user_id = $1', [user.id]);
    expect(await count()).toHaveLength(1);
    expect(await root.del(`/api/user/${user.id}`)).toMatchObject({ success: true });
    expect(await count()).toEqual([]);
  });

  it.each<[string, object, string, string]>([
    ['without a supplier', { key: KEY }, 'CUSTOM_MODEL_SUPPLIER', '请选择供应商'],
    ['without a key', { key: ' ' }, 'CUSTOM_MODEL_KEY', '请输入Key'],
    ['with two keys', { key: 'sk-one\nsk-two' }, 'CHANNEL_KEY_INVALID', '密钥包含无效字符'],
    ['with a key that no header holds', { key: 'sk-密钥' }, 'CHANNEL_KEY_INVALID', '密钥包含无效字符'],
    ['for a supplier that is not there', { supplier_id: 999_999, key: KEY }, 'NOT_FOUND', '供应商不存在'],
  ])('is refused %s', async (what, body, code, message) => {
    const given = what === 'without a supplier' ? body : { supplier_id: deep, ...body };
    expect(await una.post(CONF, given)).toMatchObject({ success: false, code, message });
    expect(await own(una)).toEqual([]);
  });

  it('is refused with models that are none, or too many', async () => {
    for (const models of [
      ['x'.repeat(256)],
      ['a\u0007b'],
      Array.from({ length: 1_001 }, (_, i) => `m${i}`),
      Array.from({ length: 100 }, (_, i) => `${i}`.padEnd(200, '模')),
    ]) {
      const answer = await una.post(CONF, { supplier_id: deep, key: KEY, models });
      expect(answer).toMatchObject({ success: false, code: 'CUSTOM_MODEL_NAMES' });
    }
    expect(await own(una)).toEqual([]);
  });

  it('goes to no other address than it was given for, until it is given again', async () => {
    const away = startSupplier();
    const id = await supplier('Moving', { type: 43 });
    const conf = await add(una, { supplier_id: id });
    await root.put(`/api/supplier/admin/${id}`, { base_url: away.base });
    expect(await own(una)).toMatchObject([{ key_needed: true }]);
    expect(await una.get(`${CONF}/check?key=${conf.id}`)).toMatchObject({ code: 'CUSTOM_MODEL_KEY_AGAIN' });
    expect(await una.post(MODELS, { base_url: away.base, key: HINT })).toMatchObject({
      code: 'CUSTOM_MODEL_KEY_AGAIN',
    });
    expect(away.asked).toEqual([]);
    await una.put(`${CONF}/${conf.id}`, { key: 'sk-for-the-new-place-01' });
    expect(await una.get(`${CONF}/check?key=${conf.id}`)).toMatchObject({ success: true });
    expect(away.asked).toEqual([{ path: 'GET /user/balance', key: 'sk-for-the-new-place-01' }]);
    await away.close();
  });
});

describe('an address that was changed while he typed', () => {
  it('gets neither a new key nor one in the place of another', async () => {
    const id = await supplier('Changed');
    const shown = upstream.base;
    const base_url = 'https://elsewhere.example';
    await root.put(`/api/supplier/admin/${id}`, { base_url });
    const body = { supplier_id: id, key: KEY, models: ['m-1'], base_url: shown };
    expect(await una.post(CONF, body)).toMatchObject({ success: false, code: 'CUSTOM_MODEL_MOVED' });
    expect(await own(una)).toEqual([]);
    const made = await add(una, { ...body, base_url });
    await root.put(`/api/supplier/admin/${id}`, { base_url: shown });
    const change = { key: 'sk-another-secret-00001', base_url };
    expect(await una.put(`${CONF}/${made.id}`, change)).toMatchObject({ code: 'CUSTOM_MODEL_MOVED' });
    expect(await own(una)).toMatchObject([{ key: HINT, key_needed: true }]);
    // Without a new key there is nothing that could go astray.
    expect(await una.put(`${CONF}/${made.id}`, { models: ['m-2'], base_url })).toMatchObject({
      success: true,
    });
    expect((await una.put(`${CONF}/${made.id}`, { ...change, base_url: shown })).data.key_needed).toBe(false);
  });
});

describe('all of them, as administrators see them', () => {
  it('are as many of the newest as one answer may hold', async () => {
    // Of one supplier of a name of its own, each with as many names of models as it may have.
    const id = await supplier('Heavy');
    const names = Array.from({ length: 60 }, (_, n) => `m${n}-`.padEnd(250, 'x'));
    const users = Math.ceil(limits.customModelsListedBytes / 15_000) + 20;
    await api.deps.db.query(
      `with made as (
         insert into users (username, aff_code) select 'heavy-' || n, 'heavy-' || n from generate_series(1, $1::int) n returning id
       ) insert into custom_models (user_id, supplier_id, models, key_sealed, key_hint, key_base_url)
       select id, $2::bigint, string_to_array($3, ','), 'x', '…', '' from made`,
      [users, id, names.join(',')],
    );
    const answer = await admin.get(`${CONF}/all?keyword=Heavy`);
    const listed: { id: number }[] = answer.data;
    expect(listed.length).toBeGreaterThan(100);
    expect(listed.length).toBeLessThan(users);
    expect(JSON.parse(answer.text).total).toBe(users);
    // As text in JSON each name has two more signs and twice two to tell them.
    expect(answer.text.length).toBeLessThan(1.1 * limits.customModelsListedBytes);
    const newest = await api.deps.db.query<{ id: number }>(
      `select id from custom_models where supplier_id = ${id} order by id desc limit ${listed.length}`,
    );
    expect(listed.map((row) => row.id)).toEqual(newest.map((row) => row.id));
    // A page is whole up to the same bound, however far down it stands and in whichever order.
    const page = async (query: string): Promise<{ username: string; balance?: number }[]> =>
      (await admin.get(`${CONF}/all?keyword=Heavy&page_size=100&${query}`)).data;
    expect(await page('p=2')).toHaveLength(Math.min(users - 100, 100));
    await api.deps.db.query(
      `update custom_models set models = array_fill(repeat('"', 125)::text, array[130]) where supplier_id = ${id}`,
    );
    expect((await page('p=1')).length).toBeWithin(20, 100);
    const names10 = (await page('p=1&sort=user')).map(({ username }) => username);
    expect(names10.slice(0, 3)).toEqual(['heavy-1', 'heavy-10', 'heavy-100']);
    await api.deps.db.query(`update custom_models set balance = 5 where id = ${listed[7]?.id}`);
    for (const sort of ['balance', '-balance'])
      expect((await page(`p=1&sort=${sort}`)).map(({ balance }) => balance).slice(0, 2)).toEqual([
        5,
        undefined,
      ]);
    await api.deps.db.query(`delete from custom_models where supplier_id = ${id}`);
  });
});

describe('a supplier is asked', () => {
  it('for the balance of a configuration, by its id or by the key, and it is kept', async () => {
    const { id } = await add(una);
    upstream.balance = 3.25;
    for (const named of [String(id), KEY]) {
      const answer = await una.get(`${CONF}/check?key=${named}`);
      expect(JSON.parse(answer.text)).toEqual({ success: true, message: '', balance: 3.25 });
    }
    expect(await own(una)).toMatchObject([{ balance: 3.25, balance_at: expect.any(Number) }]);
    // Administrators ask for anybody's by its id.
    upstream.balance = 2;
    expect((await admin.get(`${CONF}/check?key=${id}`)).text).toContain('"balance":2');
    const { data } = await admin.get(`${CONF}/all?keyword=${user.username}`);
    expect(data).toMatchObject([{ balance: 2 }]);
  });

  it('by an administrator for a user’s balance, once a look, and both are told of it', async () => {
    const { id } = await add(una);
    const records = () =>
      api.deps.db.query(
        `select actor_id, action, detail from admin_actions where target = 'user:${user.id}' order by id`,
      );
    const told = () =>
      api.deps.db.query(`select content from logs where user_id = ${user.id} and type = 3 order by id`);
    await una.get(`${CONF}/check?key=${id}`);
    expect(await records()).toEqual([]);
    const look = {
      actor_id: admin.userId,
      action: 'user.supplier_balance',
      detail: { supplier: 'Deep', key: HINT },
    };
    await admin.get(`${CONF}/check?key=${id}`);
    expect(await records()).toEqual([look]);
    // That it is refused is told as well.
    upstream.answer = () => Response.json({ error: { message: 'no' } }, { status: 401 });
    expect((await admin.get(`${CONF}/check?key=${id}`)).success).toBe(false);
    expect(await records()).toEqual([look, look]);
    expect(await told()).toEqual([
      { content: '管理员查询了您的密钥在供应商“Deep”的余额' },
      { content: '管理员查询了您的密钥在供应商“Deep”的余额' },
    ]);
    // Of his own nobody need know.
    const { id: his } = await add(admin);
    await admin.get(`${CONF}/check?key=${his}`);
    expect(await records()).toHaveLength(2);
  });

  it('by an administrator for nobody’s balance but those whom he may act on, and sees no others', async () => {
    const newAdmin = async () => api.as(await api.createUser({ role: 10 }));
    const [one, peer] = [await newAdmin(), await newAdmin()];
    const owners = [una, one, peer, root];
    const kept: { id: number }[] = [];
    for (const owner of owners) kept.push(await add(owner));
    const seenBy = async (client: Client): Promise<boolean[]> => {
      const { data } = await client.get(`${CONF}/all`);
      return kept.map(({ id }) => (data as { id: number }[]).some((row) => row.id === id));
    };
    const askedBy = async (client: Client): Promise<unknown[]> => {
      const codes: unknown[] = [];
      for (const { id } of kept) codes.push((await client.get(`${CONF}/check?key=${id}`)).code);
      return codes;
    };
    const none = 'NOT_FOUND';
    expect([await seenBy(one), await askedBy(one)]).toEqual([
      [true, true, false, false],
      [undefined, undefined, none, none],
    ]);
    expect([await seenBy(root), await askedBy(root)]).toEqual([
      [true, true, true, true],
      [undefined, undefined, undefined, undefined],
    ]);
  });

  it('says why it tells no balance', async () => {
    const claude = await supplier('Claude', { sdk: 'claude' });
    const { id } = await add(una, { supplier_id: claude });
    expect(await una.get(`${CONF}/check?key=${id}`)).toMatchObject({
      success: false,
      code: 'SUPPLIER_BALANCE_NONE',
    });
    expect(await una.get(`${CONF}/check?key=`)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await una.get(`${CONF}/check`)).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('for its models, with a new key or with the kept one', async () => {
    const asked = { base_url: `${upstream.base}/v1`, key: 'sk-not-kept-yet-00001' };
    expect((await una.post(MODELS, asked)).data).toEqual(['m-1', 'm-2']);
    // The version at the end of the address, as libraries want it, stands there once.
    expect(upstream.asked).toEqual([{ path: 'GET /v1/models', key: asked.key }]);
    await add(una, { supplier_id: open });
    for (const key of ['', HINT, undefined]) {
      expect((await una.post(MODELS, { ...asked, key })).data).toEqual(['m-1', 'm-2']);
    }
    expect(upstream.asked.slice(1).map(({ key }) => key)).toEqual([KEY, KEY, KEY]);
  });

  it('in words that hide the key, when it refuses', async () => {
    const base_url = `${upstream.base}/v1`;
    upstream.answer = () => Response.json({ error: { message: `bad key ${KEY}` } }, { status: 401 });
    const refused = await una.post(MODELS, { base_url, key: KEY });
    expect(refused).toMatchObject({ success: false, code: 'CHANNEL_FETCH' });
    expect(refused.text).not.toContain(KEY);
    upstream.answer = () => Response.json({ data: [] });
    expect(await una.post(MODELS, { base_url, key: KEY })).toMatchObject({ code: 'CHANNEL_FETCH' });
  });

  it('by users at registered and open addresses alone', async () => {
    const elsewhere = startSupplier();
    const off = await supplier('Off', { base_url: elsewhere.base });
    await root.put(`/api/supplier/admin/${off}`, { disable: true });
    for (const base_url of [
      elsewhere.base,
      'http://169.254.169.254',
      'https://api.openai.com',
      `${upstream.base}/v1/other`,
      `${upstream.base}@127.0.0.1`,
      'gopher://127.0.0.1',
    ]) {
      const answer = await una.post(MODELS, { base_url, key: KEY });
      expect([base_url, answer.code]).toEqual([base_url, 'SUPPLIER_UNREGISTERED']);
    }
    expect(await una.post(MODELS, { base_url: '', key: KEY })).toMatchObject({
      code: 'CUSTOM_MODEL_SUPPLIER',
    });
    expect(await una.post(CONF, { supplier_id: off, key: KEY })).toMatchObject({ code: 'SUPPLIER_DISABLED' });
    expect([...upstream.asked, ...elsewhere.asked]).toEqual([]);
    await elsewhere.close();
  });

  it('never inside, where no root has written its address', async () => {
    // As an admin's name that leads inside by now.
    const inside = startSupplier();
    await api.deps.db.query(
      `insert into suppliers (name, base_url, private_allowed) values ('Inside', $1, false)`,
      [inside.base],
    );
    const answer = await una.post(MODELS, { base_url: inside.base, key: KEY });
    expect(answer).toMatchObject({ success: false, code: 'CHANNEL_FETCH' });
    expect(inside.asked).toEqual([]);
    await inside.close();
  });

  it('and not where it redirects', async () => {
    const inside = startSupplier();
    upstream.answer = () =>
      new Response(null, { status: 302, headers: { location: `${inside.base}/v1/models` } });
    const answer = await una.post(MODELS, { base_url: `${upstream.base}/v1`, key: KEY });
    expect(answer).toMatchObject({ success: false, code: 'CHANNEL_FETCH' });
    expect(inside.asked).toEqual([]);
    await inside.close();
  });

  it('and read no further than so many bytes', async () => {
    const part = new Uint8Array(64 * 1024).fill(0x20);
    let sent = 0;
    upstream.answer = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            sent += part.byteLength;
            if (sent > 64 * limits.supplierAnswerBytes) controller.close();
            else controller.enqueue(part);
          },
        }),
      );
    const answer = await una.post(MODELS, { base_url: `${upstream.base}/v1`, key: KEY });
    expect(answer).toMatchObject({ success: false, code: 'CHANNEL_FETCH' });
    expect(sent).toBeLessThan(64 * limits.supplierAnswerBytes);
  });

  it('so many times a minute by one user', async () => {
    const ask = () => una.post(MODELS, { base_url: `${upstream.base}/v1`, key: KEY });
    for (let n = 0; n < limits.supplierAsksAMinute; n++) expect((await ask()).success).toBe(true);
    const refused = await ask();
    expect([refused.status, refused.code]).toEqual([429, 'RATE_LIMIT']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(upstream.asked).toHaveLength(limits.supplierAsksAMinute);
    // What names no registered place is not counted, and others are not kept out.
    expect((await otto.post(MODELS, { base_url: `${upstream.base}/v1`, key: KEY })).success).toBe(true);
  });
});
