/** A client's roles: JSON that administrators write and clients read, every digit of it as it was written. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { limits } from '../../../src/core/limits.ts';
import type { AiRole } from '../../../src/modules/ai-role/contract.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { patience } from '../../support/patience.ts';

const ADMIN = '/api/ai-role/admin/';

describe.each(callEngines)('roles, on %s', (engine) => {
  let api: TestApi;
  let admin: Client;
  let una: Client;
  beforeAll(async () => {
    api = await openApi(engine);
    admin = await api.as(await api.createUser({ role: 10 }), { locale: 'zh' });
    una = await api.as(await api.createUser());
  }, patience(120_000));
  afterAll(() => api.close());

  const ROLE = JSON.stringify({ name: '笔者', tools: ['search'] }, null, 4);
  const create = async (over: object = {}): Promise<AiRole> => {
    const answer = await admin.post(ADMIN, { role_name: 'Writer', role: ROLE, ...over });
    expect(answer).toMatchObject({ status: 200, success: true });
    return answer.data;
  };
  const rows = async (): Promise<AiRole[]> => (await admin.get(ADMIN)).data;
  const row = async (id: number) => (await rows()).find((one) => one.id === id);

  it('are kept as they were written, with the type and quota of the client', async () => {
    const made = await create();
    expect(made).toEqual({ id: expect.any(Number), role_name: 'Writer', role: ROLE, type: 0, quota: 0 });
    const exact = '{"b":12345678901234567890, "a":null,"a":1.0}';
    const odd = await create({ role: ` ${exact}\n`, type: 'own', quota: 5 });
    expect(await row(odd.id)).toEqual({ ...odd, role: exact, type: 'own', quota: 5 });
    expect((await rows()).slice(0, 2).map(({ id }) => id)).toEqual([odd.id, made.id]);
  });

  const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  it.each<[object, string, string]>([
    [{ role_name: ' ' }, 'AI_ROLE_NAME', '请输入角色名称，最多100个字符'],
    [{ role_name: '字'.repeat(101) }, 'AI_ROLE_NAME', '请输入角色名称，最多100个字符'],
    [{ role: '' }, 'AI_ROLE_NEEDED', '请输入角色内容'],
    [{ role: 'name = "toml"' }, 'AI_ROLE_FORMAT', '角色格式不正确'],
    [{ role: '{"a": 1,}' }, 'AI_ROLE_FORMAT', '角色格式不正确'],
    [{ role: deep(65) }, 'AI_ROLE_FORMAT', '角色格式不正确'],
    [{ role: JSON.stringify('字'.repeat(22_000)) }, 'AI_ROLE_SIZE', '角色内容不能超过64KB'],
    [{ quota: -1 }, 'AI_ROLE_QUOTA', '额度必须是非负整数'],
    [{ quota: 1.5 }, 'AI_ROLE_QUOTA', '额度必须是非负整数'],
    [{ type: {} }, 'BAD_PARAM', '参数错误'],
    [{ role: { name: 'an object' } }, 'BAD_PARAM', '参数错误'],
  ])('are neither created nor changed with %j', async (over, code, message) => {
    const { id } = await create();
    const before = await rows();
    const made = await admin.post(ADMIN, { role_name: 'Writer', role: ROLE, ...over });
    expect(made).toMatchObject({ success: false, code, status: code === 'BAD_PARAM' ? 400 : 200 });
    expect(made.message).toStartWith(message);
    expect(await admin.put(ADMIN + id, over)).toMatchObject({ success: false, code });
    expect(await rows()).toEqual(before);
  });

  it('need a name and a text when they are made', async () => {
    expect((await admin.post(ADMIN, { role: ROLE })).code).toBe('AI_ROLE_NAME');
    expect((await admin.post(ADMIN, { role_name: 'Writer', role: null })).code).toBe('AI_ROLE_NEEDED');
    expect((await create({ role: deep(64) })).role).toBe(deep(64));
  });

  it('are changed in what is named, and in nothing else', async () => {
    const made = await create({ type: 3, quota: 7 });
    expect((await admin.put(ADMIN + made.id, { role_name: 'Reader' })).data).toEqual({
      ...made,
      role_name: 'Reader',
    });
    const echo = { ...made, role: '[]', quota: null };
    expect((await admin.put(`${ADMIN}${made.id}/`, echo)).data).toEqual({ ...made, role: '[]' });
    expect(await row(made.id)).toEqual({ ...made, role: '[]' });
    expect((await admin.put(`${ADMIN}999999`, { quota: 1 })).code).toBe('NOT_FOUND');
  });

  it('are deleted once', async () => {
    const { id } = await create();
    expect((await admin.del(ADMIN + id)).success).toBe(true);
    expect(await row(id)).toBeUndefined();
    expect((await admin.del(ADMIN + id)).code).toBe('NOT_FOUND');
  });

  it('are read by every user, and sent again only when they are others', async () => {
    const made = await create();
    const first = await una.get('/api/ai-role/');
    expect(first.data).toEqual(await rows());
    const tag = first.headers.get('etag');
    const again = () => una.call('GET', '/api/ai-role', undefined, { 'if-none-match': tag });
    expect(await again()).toMatchObject({ status: 304, text: '' });
    await admin.put(ADMIN + made.id, { quota: 11 });
    expect(await again()).toMatchObject({ status: 200, success: true });
    // Who may not read learns nothing by a tag.
    const stranger = await api.guest().call('GET', '/api/ai-role/', undefined, { 'if-none-match': '*' });
    expect(stranger.status).toBe(401);
    expect((await una.get(ADMIN)).status).toBe(403);
  });

  it('are no more than a client reads', async () => {
    await api.deps.db.query(
      `insert into ai_roles (role_name, role) select 'x', '{}' from generate_series(1, ${limits.aiRoles})`,
    );
    expect(await admin.post(ADMIN, { role_name: 'Writer', role: ROLE })).toMatchObject({
      success: false,
      code: 'DESK_FULL',
      message: `最多保存 ${limits.aiRoles} 条，请先删除不用的`,
    });
  });
});
