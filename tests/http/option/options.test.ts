import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { optionKeys, registry } from '../../../src/options/registry.ts';
import { openOptions } from '../../../src/options/store.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

describe.each(callEngines)('/api/option on %s', (engine) => {
  let api: TestApi;
  let root: Client;
  beforeAll(async () => {
    api = await openApi(engine);
    root = await api.root();
  });
  afterAll(() => api.close());

  const rows = async (): Promise<{ key: string; value: string; is_set: boolean }[]> =>
    (await root.get('/api/option/')).data;
  const rowOf = async (key: string) => (await rows()).find((row) => row.key === key);
  const put = (key: string, value: unknown) => root.put('/api/option/', { key, value });

  it('lists every option as a string, set or not', async () => {
    const listed = await rows();
    expect(listed.map((row) => row.key).sort()).toEqual([...optionKeys].sort());
    expect(listed.every((row) => typeof row.value === 'string')).toBe(true);
    expect(await rowOf('RetryTimes')).toEqual({ key: 'RetryTimes', value: '2', is_set: false });
    expect(await rowOf('LogConsumeEnabled')).toMatchObject({ value: 'true' });
  });

  it('describes a panel’s fields from the registry, in the caller’s language, without any secret', async () => {
    const fields = async (panel: string, locale = 'en') =>
      (await root.call('GET', `/api/option/fields?panel=${panel}`, undefined, { 'accept-language': locale }))
        .data;
    const retries = (rows: { key: string }[]) => rows.find((row) => row.key === 'RetryTimes');
    expect(retries(await fields('operation'))).toMatchObject({
      panel: 'operation',
      block: 'relay',
      kind: 'integer',
      label: 'Retries after a failed attempt',
      value: '2',
      is_set: false,
      secret: false,
      min: 0,
      max: 10,
    });
    expect(retries(await fields('operation', 'zh'))).toMatchObject({ label: '失败重试次数' });
    for (const panel of ['ratelimit', 'models', 'system', 'other', 'request_quota', 'aff_quota']) {
      const drawn = await fields(panel);
      expect(drawn.length).toBeGreaterThan(0);
      for (const field of drawn) expect(registry).toHaveProperty([field.key, 'place', 'panel'], panel);
    }
    expect((await root.get('/api/option/fields?panel=nowhere')).status).toBe(400);
    const all: { key: string; panel: string }[] = (await root.get('/api/option/fields')).data;
    expect(new Set(all.map(({ panel }) => panel)).size).toBe(7);
    // What is not built is drawn nowhere.
    expect(all.filter(({ key }) => /^ChatLink/.test(key))).toEqual([]);
  });

  it('sets one, at once and recorded with before and after', async () => {
    expect((await put('RetryTimes', '4')).success).toBe(true);
    expect(await rowOf('RetryTimes')).toEqual({ key: 'RetryTimes', value: '4', is_set: true });
    expect(api.deps.options.get('RetryTimes')).toBe(4);
    const [action] = await api.deps.db.query('select * from admin_actions order by id desc limit 1');
    expect(action).toMatchObject({
      actor_id: root.userId,
      action: 'option.set',
      target: 'option:RetryTimes',
      detail: { RetryTimes: { before: '2', after: '4' } },
    });
  });

  it('takes a number or boolean for its text, and null for the default', async () => {
    await put('RetryTimes', 3);
    expect((await rowOf('RetryTimes'))?.value).toBe('3');
    await put('DisplayInCurrencyEnabled', false);
    expect((await rowOf('DisplayInCurrencyEnabled'))?.value).toBe('false');
    await put('RetryTimes', null);
    expect(await rowOf('RetryTimes')).toEqual({ key: 'RetryTimes', value: '2', is_set: false });
  });

  it('refuses a bad value with the key and the reason in the caller’s language, keeping the last good one', async () => {
    await put('ModelRatio', '{"gpt-4o": 2}');
    const english = await root.call(
      'PUT',
      '/api/option/',
      { key: 'ModelRatio', value: '{"gpt-4o": -1}' },
      { 'accept-language': 'en' },
    );
    expect(english).toMatchObject({ status: 200, success: false, code: 'OPTION_INVALID' });
    expect(english.message).toContain('Model ratio');
    expect(english.message).toContain('gpt-4o');
    const chinese = await put('ModelRatio', '{"gpt-4o": ');
    expect(chinese.message).toBe('“模型倍率”无效：不是合法的 JSON 字符串');
    expect(api.deps.options.get('ModelRatio')).toEqual({ 'gpt-4o': 2 });
    expect(await put('NoSuchThing', '1')).toMatchObject({
      status: 200,
      code: 'OPTION_UNKNOWN',
      message: '未知的配置项：NoSuchThing',
    });
    expect(await put('toString', '1')).toMatchObject({ code: 'OPTION_UNKNOWN' });
    expect(await root.put('/api/option/', { value: '1' })).toMatchObject({ status: 400 });
    expect(await put('SystemName', 'a\0b')).toMatchObject({ status: 400 });
  });

  it('never sends a secret back, keeps it when the form comes back empty, and records no trace of it', async () => {
    expect(await rowOf('SMTPToken')).toEqual({ key: 'SMTPToken', value: '', is_set: false });
    await put('SMTPToken', 'correct-horse-battery');
    expect(await rowOf('SMTPToken')).toEqual({ key: 'SMTPToken', value: '', is_set: true });
    await put('SMTPToken', '');
    expect(api.deps.options.get('SMTPToken')).toBe('correct-horse-battery');
    const everywhere = [
      (await root.get('/api/option/')).text,
      (await api.guest().get('/api/status')).text,
      JSON.stringify(await api.deps.db.query('select * from options')),
      JSON.stringify(await api.deps.db.query('select * from admin_actions')),
      JSON.stringify(await api.deps.db.query('select * from logs')),
    ].join();
    expect(everywhere).not.toContain('correct-horse');
    await put('SMTPToken', null);
    expect((await rowOf('SMTPToken'))?.is_set).toBe(false);
  });

  it('shows a table of services without its keys, and keeps those that come back empty', async () => {
    const stored = () => api.deps.options.get('ToolServices');
    const shown = async () => JSON.parse((await rowOf('ToolServices'))?.value ?? '');
    const services = (over: object) => JSON.stringify({ search: { url: 'https://a.example/mcp' }, ...over });
    await put('ToolServices', services({ map: { url: 'https://m.example', key: 'battery-staple-1' } }));
    expect(stored().map).toEqual({ url: 'https://m.example', key: 'battery-staple-1' });
    expect(await shown()).toEqual({
      search: { url: 'https://a.example/mcp' },
      map: { url: 'https://m.example', key: '' },
    });
    // What the form shows may come back, with another path beside it.
    await put('ToolServices', services({ map: { url: 'https://M.example:443/mcp', key: '' } }));
    expect(stored().map).toEqual({ url: 'https://M.example:443/mcp', key: 'battery-staple-1' });
    const told = async () => {
      const [row] = await api.deps.db.query<{ detail: unknown }>(
        'select detail from admin_actions order by id desc limit 1',
      );
      return row?.detail;
    };
    expect(await told()).toEqual({
      ToolServices: {
        before: { map: { url: 'https://m.example', key: '' } },
        after: { map: { url: 'https://M.example:443/mcp', key: '' } },
      },
    });
    // It was given for that place, and goes to no other.
    for (const url of ['https://n.example/mcp', 'http://m.example:443/mcp', 'https://m.example:8443/mcp']) {
      expect(await put('ToolServices', services({ map: { url, key: '' } }))).toMatchObject({
        success: false,
        code: 'OPTION_SECRET_AGAIN',
        message: expect.stringContaining('map'),
      });
      expect(stored().map).toEqual({ url: 'https://M.example:443/mcp', key: 'battery-staple-1' });
    }
    await put('ToolServices', services({ map: { url: 'https://n.example', key: 'battery-staple-1' } }));
    expect(stored().map).toEqual({ url: 'https://n.example', key: 'battery-staple-1' });
    await put('ToolServices', services({ map: { url: 'https://n.example', key: 'battery-staple-2' } }));
    expect(stored().map?.key).toBe('battery-staple-2');
    expect(await told()).toEqual({
      ToolServices: {
        before: { map: { url: 'https://n.example', key: '' } },
        after: { map: { url: 'https://n.example', key: 'changed' } },
      },
    });
    const everywhere = [
      (await root.get('/api/option/')).text,
      (await root.get('/api/option/fields')).text,
      (await api.guest().get('/api/status')).text,
      JSON.stringify(await api.deps.db.query('select * from options')),
      JSON.stringify(await api.deps.db.query('select * from admin_actions')),
    ].join();
    expect(everywhere).not.toContain('battery-staple');
    // Another process, and the next start, open it again.
    const { changes, secrets, log, db } = api.deps;
    const reopened = await openOptions(db, changes, secrets, log);
    expect(reopened.get('ToolServices').map?.key).toBe('battery-staple-2');
    // A key that is left out is gone; one that never was cannot be kept.
    await put(
      'ToolServices',
      services({ map: { url: 'https://n.example' }, new: { url: 'https://x.example', key: '' } }),
    );
    expect(stored().map).toEqual({ url: 'https://n.example' });
    expect(stored().new?.key).toBe('');
    await put('ToolServices', null);
    expect(stored()).toEqual({});
  });

  it.each([
    '[]',
    '{"a b": {"url": "https://a.example"}}',
    '{"A": {"url": "https://a.example"}}',
    '{"a": {"url": ""}}',
    '{"a": {"url": "ftp://a.example"}}',
    '{"a": {"key": "k"}}',
    '{"a": {"url": "https://a.example", "key": "a b"}}',
    '{"a": {"url": "https://a.example", "token": "k"}}',
  ])('takes no table of services like %s', async (text) => {
    expect(await put('ToolServices', text)).toMatchObject({ success: false, code: 'OPTION_INVALID' });
  });

  it('turns no sign-in on that lacks its id or secret, nor takes them away from one that is on', async () => {
    expect(await put('GitHubOAuthEnabled', 'true')).toMatchObject({
      success: false,
      code: 'OPTION_NEEDS',
      message: '无法启用“允许通过 GitHub 登录”，请先设置：GitHub 客户端编号、GitHub 客户端密钥',
    });
    await put('GitHubClientId', 'id');
    expect((await put('GitHubOAuthEnabled', 'true')).message).toContain('GitHub 客户端密钥');
    await put('GitHubClientSecret', 'secret');
    expect((await put('GitHubOAuthEnabled', 'true')).success).toBe(true);
    expect(await put('GitHubClientId', '')).toMatchObject({ success: false, code: 'OPTION_INVALID' });
    expect(await put('GitHubClientSecret', null)).toMatchObject({ success: false, code: 'OPTION_INVALID' });
    await put('GitHubOAuthEnabled', 'false');
    expect((await put('GitHubClientId', '')).success).toBe(true);
  });

  it('keeps the group default and the reserved name auto', async () => {
    expect((await put('GroupRatio', '{"vip": 1}')).message).toContain('default');
    expect((await put('GroupRatio', '{"default": 1, "auto": 1}')).message).toContain('auto');
    expect((await put('GroupRatio', '{"default": 1, "vip": 0.5}')).success).toBe(true);
    expect((await root.get('/api/group/')).data).toEqual(['default', 'vip']);
  });

  it('puts the ratios of models back to the default table, and leaves fixed prices alone', async () => {
    await put('ModelRatio', '{"mine": 9}');
    await put('CompletionRatio', '{"mine": 9}');
    await put('ModelPrice', '{"mine": 0.1}');
    expect((await root.post('/api/option/rest_model_ratio')).success).toBe(true);
    expect(api.deps.options.get('ModelRatio')).toEqual(registry.ModelRatio.default);
    expect(api.deps.options.get('CompletionRatio')).toEqual(registry.CompletionRatio.default);
    expect(api.deps.options.get('ModelPrice')).toEqual({ mine: 0.1 });
    const answer = await root.call('POST', '/api/option/rest_model_ratio');
    expect(answer).toMatchObject({ status: 200, success: true });
  });
});
