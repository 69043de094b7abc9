/** The marketplace: kept by administrators, offered to clients by group. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createHash } from 'node:crypto';
import { limits } from '../../../src/core/limits.ts';
import type { Application } from '../../../src/modules/application/contract.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { patience } from '../../support/patience.ts';

const ADMIN = '/api/application/admin/';

describe.each(callEngines)('applications, on %s', (engine) => {
  let api: TestApi;
  let admin: Client;
  let una: Client;
  beforeAll(async () => {
    api = await openApi(engine);
    admin = await api.as(await api.createUser({ role: 10 }), { locale: 'zh' });
    una = await api.as(await api.createUser());
  }, patience(120_000));
  afterAll(() => api.close());

  let names = 0;
  const body = (over: object = {}) => ({
    name: `app-${++names}`,
    display_name: '翻译',
    version: '1.0.0',
    dxt_url: 'https://files.example/app.dxt',
    ...over,
  });
  const create = async (over: object = {}): Promise<Application> => {
    const answer = await admin.post(ADMIN, body(over));
    expect(answer).toMatchObject({ status: 200, success: true });
    return answer.data;
  };
  const rows = async (): Promise<Application[]> => (await admin.get(ADMIN)).data;
  const row = async (id: number) => (await rows()).find((one) => one.id === id);

  it('are kept as they were given, trimmed, and with defaults else', async () => {
    const full = {
      name: 'maps_2',
      display_name: 'Maps',
      version: '1.2.3-beta.1+7',
      description: 'Shows where things are.',
      homepage: 'https://maps.example',
      dxt_url: 'https://files.example/maps.dxt',
      type: 'webview',
      rank: -4,
      app_groups: ['vip', 'default'],
      keywords: ['map', '地图'],
    };
    const made = await create({ ...full, name: ' maps_2 ', display_name: ' Maps\n' });
    expect(made).toEqual({ id: expect.any(Number), ...full } as Application);
    expect(await row(made.id)).toEqual(made);
    expect(await create({ name: 'least' })).toEqual({
      id: expect.any(Number),
      ...body({ name: 'least' }),
      description: '',
      homepage: '',
      type: 'conversation-tool',
      rank: 0,
      app_groups: [],
      keywords: [],
    } as Application);
  });

  it.each<[unknown, number]>([
    ['7', 7],
    ['-3.9', -3],
    [2.7, 2],
    ['12 points', 12],
    ['high', 0],
    ['', 0],
    [1e12, 1e9],
  ])('have of the rank %j the rank %p', async (rank, stored) => {
    expect((await create({ rank })).rank).toBe(stored);
  });

  it.each<[object, string, string]>([
    [{ name: ' ' }, 'APP_NAME_NEEDED', '应用名称不能为空'],
    [{ display_name: '' }, 'APP_DISPLAY_NAME_NEEDED', '显示名称不能为空'],
    [{ version: '' }, 'APP_VERSION_NEEDED', '版本不能为空'],
    [{ dxt_url: ' ' }, 'APP_DXT_NEEDED', 'DXT地址不能为空'],
    [{ name: 'Maps' }, 'APP_NAME', '应用名称只能包含小写字母'],
    [{ name: 'a' }, 'APP_NAME', '应用名称只能包含小写字母'],
    [{ name: '../a' }, 'APP_NAME', '应用名称只能包含小写字母'],
    [{ display_name: '字'.repeat(101) }, 'APP_DISPLAY_NAME', '显示名称最多100个字符'],
    [{ version: '1.0' }, 'APP_VERSION', '版本格式不正确，例如 1.0.0'],
    [{ version: '01.0.0' }, 'APP_VERSION', '版本格式不正确，例如 1.0.0'],
    [{ version: '1.0.0/..' }, 'APP_VERSION', '版本格式不正确，例如 1.0.0'],
    [{ dxt_url: 'file:///etc/passwd' }, 'APP_DXT', 'DXT地址必须以 http:// 或 https:// 开头'],
    [{ homepage: 'javascript:alert(1)' }, 'APP_HOMEPAGE', '主页必须以 http:// 或 https:// 开头'],
    [{ description: 'x'.repeat(2_001) }, 'APP_DESC', '描述最多2000个字符'],
    [{ type: 'game' }, 'BAD_PARAM', '参数错误'],
    [{ app_groups: 'vip' }, 'BAD_PARAM', '参数错误'],
  ])('are neither created nor changed with %j', async (over, code, message) => {
    const { id } = await create();
    const before = await rows();
    const made = await admin.post(ADMIN, body(over));
    expect(made).toMatchObject({ success: false, code, status: code === 'BAD_PARAM' ? 400 : 200 });
    expect(made.message).toStartWith(message);
    expect(await admin.put(ADMIN + id, over)).toMatchObject({ success: false, code });
    expect(await rows()).toEqual(before);
  });

  it.each([
    ['name', 'APP_NAME_NEEDED'],
    ['display_name', 'APP_DISPLAY_NAME_NEEDED'],
    ['version', 'APP_VERSION_NEEDED'],
    ['dxt_url', 'APP_DXT_NEEDED'],
  ])('are not made without %s', async (field, code) => {
    expect((await admin.post(ADMIN, body({ [field]: undefined }))).code).toBe(code);
  });

  it('are one of each name, also when two are made at once', async () => {
    const { id } = await create({ name: 'taken' });
    const refused = { success: false, code: 'APP_NAME_TAKEN', message: '应用名称已存在' };
    expect(await admin.post(ADMIN, body({ name: 'taken' }))).toMatchObject(refused);
    const other = await create();
    expect(await admin.put(ADMIN + other.id, { name: 'taken' })).toMatchObject(refused);
    expect((await admin.put(ADMIN + id, { name: 'taken', rank: 1 })).success).toBe(true);
    const made = await Promise.all([1, 2, 3].map(() => admin.post(ADMIN, body({ name: 'raced' }))));
    expect(made.map(({ success }) => success).toSorted()).toEqual([false, false, true]);
  });

  it('are changed in what is named, and in nothing else', async () => {
    const made = await create({ keywords: ['a'], rank: 3, description: 'd' });
    // The console sends all but the keywords.
    const { keywords: _, id: __, ...sent } = made;
    const changed = await admin.put(ADMIN + made.id, {
      ...sent,
      version: '1.0.1',
      description: '',
      homepage: null,
    });
    expect(changed.data).toEqual({ ...made, version: '1.0.1', description: '' });
    expect((await admin.put(`${ADMIN}999999`, sent)).code).toBe('NOT_FOUND');
  });

  it('are deleted one by one and by many', async () => {
    const [one, two, three] = [await create(), await create(), await create()];
    expect((await admin.del(ADMIN + one.id)).success).toBe(true);
    expect((await admin.del(ADMIN + one.id)).code).toBe('NOT_FOUND');
    const nothing = { status: 200, success: false, code: 'APP_NONE_CHOSEN', message: '请选择要删除的应用' };
    expect(await admin.post(`${ADMIN}batch`, { ids: [] })).toMatchObject(nothing);
    expect(await admin.post(`${ADMIN}batch`, {})).toMatchObject(nothing);
    expect((await admin.post(`${ADMIN}batch`, { ids: ['x'] })).code).toBe('BAD_PARAM');
    const ids = [one.id, two.id, three.id, two.id];
    expect(await admin.post(`${ADMIN}batch`, { ids })).toMatchObject({ success: true, data: 2 });
    expect((await rows()).filter(({ id }) => ids.includes(id))).toEqual([]);
    expect((await admin.post(`${ADMIN}batch`, { ids })).data).toBe(0);
  });

  describe('and the default address of a package', () => {
    const ask = (name: string, version: string) =>
      admin.get(`${ADMIN}dxt_url?${new URLSearchParams({ name, version })}`);

    it('is made of the base, the name, the version and a hash of both', async () => {
      const hash = createHash('sha256').update('maps@1.2.3').digest('hex').slice(0, 12);
      const file = `maps-1.2.3-${hash}.dxt`;
      expect((await ask('maps', '1.2.3')).data).toBe(`http://localhost/dxt/${file}`);
      await api.deps.options.set({ ServerAddress: 'https://gate.example/' });
      expect((await ask(' maps ', '1.2.3')).data).toBe(`https://gate.example/dxt/${file}`);
      await api.deps.options.set({ dxt_download_base: 'https://files.example/packages/' });
      expect((await ask('maps', '1.2.3')).data).toBe(`https://files.example/packages/${file}`);
      await api.deps.options.reset(['dxt_download_base', 'ServerAddress']);
    });

    it.each([
      ['', '1.0.0', 'APP_NAME_NEEDED'],
      ['Not a name', '1.0.0', 'APP_NAME'],
      ['maps', '', 'APP_VERSION_NEEDED'],
      ['maps', '../1', 'APP_VERSION'],
    ])('is none for the name %j and the version %j', async (name, version, code) => {
      expect(await ask(name, version)).toMatchObject({ status: 200, success: false, code });
    });

    it('has a base that is an address', async () => {
      const root = await api.root();
      const set = (value: string) => root.put('/api/option/', { key: 'dxt_download_base', value });
      expect((await set('files.example')).success).toBe(false);
      expect((await set('')).success).toBe(true);
    });
  });

  it('are offered highest first, to everybody or to the groups that they name', async () => {
    await api.deps.db.query('delete from applications');
    await api.deps.options.set({ GroupRatio: '{"default": 1, "vip": 1, "inner": 1}' });
    await api.deps.options.set({ UserUsableGroups: '{"default": "Default", "vip": "Vip"}' });
    const everybody = await create({ rank: 1 });
    const vip = await create({ rank: 2, app_groups: ['vip'] });
    const inner = await create({ rank: 3, app_groups: ['inner'] });
    const newer = await create({ rank: 1, app_groups: ['default', 'inner'] });
    const all = await admin.get(ADMIN);
    const idsOf = (list: Application[]) => list.map(({ id }) => id);
    expect(idsOf(all.data)).toEqual([inner.id, vip.id, newer.id, everybody.id]);
    expect(JSON.parse(all.text).total).toBe(4);
    const asked = async (query = '', by = una) => idsOf((await by.get(`/api/application/${query}`)).data);
    expect(await asked()).toEqual([newer.id, everybody.id]);
    expect(await asked('?group=vip')).toEqual([vip.id, everybody.id]);
    const ina = await api.as(await api.createUser({ group: 'inner' }));
    expect(await asked('', ina)).toEqual([inner.id, newer.id, everybody.id]);
    expect(await una.get('/api/application/?group=inner')).toMatchObject({
      success: false,
      code: 'TOKEN_GROUP',
    });
    expect((await api.guest().get('/api/application/')).status).toBe(401);
    expect((await una.get(ADMIN)).status).toBe(403);
    expect((await una.get(`${ADMIN}dxt_url?name=maps&version=1.0.0`)).status).toBe(403);
    const tag = (await una.get('/api/application/')).headers.get('etag');
    const again = () => una.call('GET', '/api/application', undefined, { 'if-none-match': tag });
    expect(await again()).toMatchObject({ status: 304, text: '' });
    await admin.put(ADMIN + vip.id, { rank: 9 });
    expect((await again()).status).toBe(304);
    await admin.put(ADMIN + newer.id, { rank: 9 });
    expect((await again()).status).toBe(200);
  });

  it('are no more than a client reads', async () => {
    await api.deps.db.query(
      `insert into applications (name, display_name, version, dxt_url)
       select 'n' || n, 'x', '1.0.0', 'https://x' from generate_series(1, ${limits.applications}) n`,
    );
    expect(await admin.post(ADMIN, body())).toMatchObject({ success: false, code: 'DESK_FULL' });
  });
});
