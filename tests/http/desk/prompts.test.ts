/** Recommended prompts: written by administrators, read by every client, sent again only when they are others. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { limits } from '../../../src/core/limits.ts';
import type { Prompt } from '../../../src/modules/prompt/contract.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { patience } from '../../support/patience.ts';

const PATH = '/api/prompt/suggest';

describe.each(callEngines)('recommended prompts, on %s', (engine) => {
  let api: TestApi;
  let guest: Client;
  let admin: Client;
  beforeAll(async () => {
    api = await openApi(engine);
    guest = api.guest();
    admin = await api.as(await api.createUser({ role: 10 }), { locale: 'zh' });
  }, patience(120_000));
  afterAll(() => api.close());

  const all: Partial<Prompt> = {
    title: 'Trip to Lisbon',
    mcp: ['tollgate-search', 'tollgate-map'],
    instruction: 'Plan three days in Lisbon.',
    version: '1.2.0',
    sort: 7,
    platform: ['win32', 'darwin'],
    release: true,
    facets: [{ type: 'demo-file', path: 'demo/trip/plan.md' }],
    tags: ['travel', '出行'],
    result_link: 'https://example.com/result',
  };
  const create = async (over: object): Promise<Prompt> => {
    const answer = await admin.post(PATH, { instruction: 'Say it.', ...over });
    expect(answer).toMatchObject({ status: 200, success: true });
    return answer.data;
  };
  const rows = async (client: Client, query = ''): Promise<Prompt[]> => (await client.get(PATH + query)).data;
  const row = async (id: number) => (await rows(admin)).find((one) => one.id === id);
  const idsOf = (list: readonly Prompt[]) => list.map(({ id }) => id);

  it('are kept as they were given, and as little as an instruction is enough', async () => {
    const full = await create(all);
    expect(full).toEqual({ id: expect.any(Number), ...all } as Prompt);
    const least = await create({});
    expect(least).toEqual({
      id: expect.any(Number),
      title: '',
      mcp: [],
      instruction: 'Say it.',
      version: '',
      sort: 0,
      platform: [],
      release: false,
      facets: [],
      tags: [],
      result_link: '',
    });
    expect(await row(full.id)).toEqual(full);
    // Lists are arrays in the database too, and not JSON within JSON.
    const [stored] = await api.deps.db.query<{ kind: string; first: string }>(
      `select jsonb_typeof(facets) as kind, mcp[1] as first from prompts where id = ${full.id}`,
    );
    expect(stored).toEqual({ kind: 'array', first: 'tollgate-search' });
  });

  it.each<[object, string, string]>([
    [{ instruction: ' ' }, 'PROMPT_INSTRUCTION', '请输入指令，最多10000个字符'],
    [{ instruction: null }, 'PROMPT_INSTRUCTION', '请输入指令，最多10000个字符'],
    [{ instruction: '字'.repeat(10_001) }, 'PROMPT_INSTRUCTION', '请输入指令，最多10000个字符'],
    [{ title: '字'.repeat(101) }, 'PROMPT_TITLE', '标题最多100个字符'],
    [{ version: 'latest' }, 'PROMPT_VERSION', '客户端版本格式不正确，例如 1.2.0'],
    [{ sort: 1.5 }, 'PROMPT_SORT', '排序必须是整数'],
    [{ sort: 1e9 + 1 }, 'PROMPT_SORT', '排序必须是整数'],
    [
      { facets: [{ type: 'demo-file', path: '' }] },
      'PROMPT_FACET',
      '示例文件路径格式不正确，例如 demo/report.xlsx',
    ],
    [
      { facets: [{ path: 'demo/../../etc' }] },
      'PROMPT_FACET',
      '示例文件路径格式不正确，例如 demo/report.xlsx',
    ],
    [{ facets: [{ path: 'a//b' }] }, 'PROMPT_FACET', '示例文件路径格式不正确，例如 demo/report.xlsx'],
    [{ facets: [{ path: 'C:\\demo' }] }, 'PROMPT_FACET', '示例文件路径格式不正确，例如 demo/report.xlsx'],
    [{ result_link: 'javascript:alert(1)' }, 'PROMPT_LINK', '结果链接必须以 http:// 或 https:// 开头'],
    [{ result_link: 'https://' }, 'PROMPT_LINK', '结果链接必须以 http:// 或 https:// 开头'],
    [{ platform: ['linux'] }, 'BAD_PARAM', '参数错误'],
    [{ mcp: ['Not A Name'] }, 'BAD_PARAM', '参数错误'],
    [{ facets: [{ type: 'video', path: 'a' }] }, 'BAD_PARAM', '参数错误'],
    [{ tags: ['x'.repeat(51)] }, 'BAD_PARAM', '参数错误'],
    [{ tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }, 'BAD_PARAM', '参数错误'],
  ])('are neither created nor changed with %j', async (over, code, message) => {
    const kept = await create({});
    const before = await rows(admin);
    const made = await admin.post(PATH, { instruction: 'Say it.', ...over });
    expect(made).toMatchObject({ success: false, code });
    expect(made.message).toStartWith(message);
    expect(made.status).toBe(code === 'BAD_PARAM' ? 400 : 200);
    // Null of a change keeps what is there.
    if (!('instruction' in over && over.instruction === null)) {
      expect(await admin.put(`${PATH}/${kept.id}`, over)).toMatchObject({ success: false, code });
    }
    expect(await rows(admin)).toEqual(before);
  });

  it('are changed in what is named, and in nothing else', async () => {
    const made = await create(all);
    expect((await admin.put(`${PATH}/${made.id}`, { sort: -3 })).data).toEqual({ ...made, sort: -3 });
    expect((await admin.put(`${PATH}/${made.id}`, { release: false })).data.release).toBe(false);
    // A row may come back as it was read, with what it does not say as null.
    const echo = { ...made, title: null, tags: ['travel', 'travel'], result_link: '' };
    expect((await admin.put(`${PATH}/${made.id}/`, echo)).data).toEqual({
      ...made,
      tags: ['travel'],
      result_link: '',
    });
    expect(await admin.put(`${PATH}/999999`, { sort: 1 })).toMatchObject({ status: 200, code: 'NOT_FOUND' });
  });

  it('are deleted once', async () => {
    const { id } = await create({ release: true });
    expect(await admin.del(`${PATH}/${id}`)).toMatchObject({ status: 200, success: true });
    expect(await row(id)).toBeUndefined();
    expect(await admin.del(`${PATH}/${id}`)).toMatchObject({ success: false, code: 'NOT_FOUND' });
  });

  it('are released, withdrawn and deleted by the many, and one that is gone holds up no other', async () => {
    const ids = [await create({}), await create({ title: 'Other' })].map(({ id }) => id);
    const many = async (action: string, asked: unknown = ids) =>
      admin.post(`${PATH}/batch`, { ids: asked, action });
    const released = async () => (await rows(guest)).filter(({ id }) => ids.includes(id)).length;
    expect((await many('release', [999_999, ...ids])).data).toBe(2);
    expect(await released()).toBe(2);
    expect((await many('withdraw', ids.slice(1))).data).toBe(1);
    expect(await released()).toBe(1);
    for (const [action, asked] of [
      ['release', []],
      ['hide', ids],
    ])
      expect((await many(String(action), asked)).status).toBe(400);
    expect((await many('delete')).data).toBe(2);
    expect((await many('delete')).data).toBe(0);
  });

  describe('read by clients', () => {
    const made: Prompt[] = [];
    beforeAll(async () => {
      await api.deps.db.query('delete from prompts');
      made.push(
        await create({ sort: 1, release: true, title: 'old low' }),
        await create({ sort: 5, release: true, title: 'high', platform: ['darwin'], version: '1.10.0' }),
        await create({ sort: 1, release: true, title: 'new low', platform: ['win32'] }),
        await create({ sort: 9, title: 'unreleased' }),
      );
    });
    const titles = async (client: Client, query = '') =>
      (await rows(client, query)).map(({ title }) => title);

    it('stand highest first, newest first among equals, and only released ones but for administrators', async () => {
      expect(await titles(guest)).toEqual(['high', 'new low', 'old low']);
      const una = await api.as(await api.createUser());
      expect(await titles(una)).toEqual(['high', 'new low', 'old low']);
      expect(await titles(admin)).toEqual(['unreleased', 'high', 'new low', 'old low']);
      expect(idsOf((await admin.get(`${PATH}/admin`)).data)).toEqual(idsOf(await rows(admin)));
      expect((await una.get(`${PATH}/admin`)).status).toBe(403);
      expect((await guest.get(`${PATH}/admin`)).status).toBe(401);
    });

    it('are ordered by version as numbers, those for every client before all', async () => {
      const late = await create({ title: 'late', version: 'v1.9.0-beta' });
      const ordered = async (sort: string) =>
        ((await admin.get(`${PATH}/admin?sort=${sort}`)).data as Prompt[]).map(({ title }) => title);
      expect((await ordered('version')).slice(-3)).toEqual(['unreleased', 'late', 'high']);
      expect((await ordered('-version')).slice(0, 3)).toEqual(['high', 'late', 'unreleased']);
      await admin.del(`${PATH}/${late.id}`);
    });

    it('are read for the first of many alone, until an administrator changes one', async () => {
      const before = await titles(guest);
      await api.deps.db.query("update prompts set title = 'unheard of' where title = 'high'");
      expect(await titles(guest)).toEqual(before);
      const { id } = await create({ sort: 9, release: true, title: 'newest' });
      expect(await titles(guest)).toEqual(['newest', 'unheard of', 'new low', 'old low']);
      await admin.put(`${PATH}/${made[1]?.id}`, { title: 'high' });
      expect(await titles(guest)).toEqual(['newest', ...before]);
      await admin.del(`${PATH}/${id}`);
      expect(await titles(guest)).toEqual(before);
    });

    it('leave out what does not fit the client', async () => {
      expect(await titles(guest, '?platform=darwin')).toEqual(['high', 'old low']);
      expect(await titles(guest, '?platform=linux')).toEqual(['old low']);
      expect(await titles(guest, '?version=1.9.9')).toEqual(['new low', 'old low']);
      expect(await titles(guest, '?version=1.10')).toEqual(['high', 'new low', 'old low']);
      expect(await titles(guest, '?version=unknown&platform=win32')).toEqual(['new low', 'old low']);
    });

    it('are sent again only when they are others', async () => {
      const first = await guest.get(PATH);
      const tag = first.headers.get('etag') ?? '';
      expect(tag).toMatch(/^"[\w-]{43}"$/);
      expect(first.headers.get('content-type')).toBe('application/json');
      expect(first.headers.get('cache-control')).toBe('private, no-cache');
      for (const named of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const again = await guest.call('GET', PATH, undefined, { 'if-none-match': named });
        expect(again).toMatchObject({ status: 304, text: '' });
        expect(again.headers.get('etag')).toBe(tag);
        expect(again.headers.get('x-request-id')).toBeTruthy();
      }
      // Another query and another reader are other answers.
      const ask = (client: Client, query = '') =>
        client.call('GET', PATH + query, undefined, { 'if-none-match': tag });
      expect((await ask(guest, '?platform=darwin')).status).toBe(200);
      expect((await ask(admin)).status).toBe(200);
      await admin.put(`${PATH}/${made[0]?.id}`, { title: 'changed' });
      const changed = await ask(guest);
      expect(changed.status).toBe(200);
      expect(changed.headers.get('etag')).not.toBe(tag);
      // A refusal has none.
      const refused = await guest.call('GET', `${PATH}?platform=${'x'.repeat(301)}`);
      expect(refused).toMatchObject({ status: 400, code: 'BAD_PARAM' });
      expect(refused.headers.get('etag')).toBeNull();
      expect(refused.headers.get('cache-control')).toBe('no-store');
    });
  });

  it('are no more than a client reads', async () => {
    await api.deps.db.query(
      `insert into prompts (instruction) select 'x' from generate_series(1, ${limits.prompts})`,
    );
    expect(await admin.post(PATH, { instruction: 'one more' })).toMatchObject({
      status: 200,
      success: false,
      code: 'DESK_FULL',
      message: `最多保存 ${limits.prompts} 条，请先删除不用的`,
    });
    await api.deps.db.query('delete from prompts');
    expect((await admin.post(PATH, { instruction: 'one more' })).success).toBe(true);
  });
});
