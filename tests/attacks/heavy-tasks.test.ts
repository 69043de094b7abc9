/** Lists of tasks, each as heavy as what is kept of one may be: a call of a few hundred bytes for megabytes. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { limits } from '../../src/core/limits.ts';
import { claimHooks } from '../../src/modules/task/hooks.ts';
import { noteNews } from '../../src/modules/task/news.ts';
import { midjourney } from '../../src/providers/midjourney.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

const MIB = 1024 * 1024;
const HEAVY = { text: 'x'.repeat(limits.taskDataBytes - 100) };

let t: TestRelay;
beforeAll(async () => {
  t = await openTestRelay('pglite');
});
afterAll(() => t.close());

/** Tasks of the user's; their public ids. */
async function tasks(platform: string, count: number, data: object): Promise<string[]> {
  const rows = await t.api.deps.db.query<{ public_id: string }>(
    `insert into tasks (public_id, platform, action, model_name, user_id, token_id, request_id, quota, status, upstream_id,
       submit_time, poll_at, data)
     select replace(gen_random_uuid()::text, '-', ''), $1, 'MUSIC', 'm', $2::bigint, 1, gen_random_uuid(), 0, 'IN_PROGRESS', 'u',
       1, 1, $3::text::jsonb from generate_series(1, $4::int) returning public_id`,
    [platform, t.user.id, JSON.stringify(data), count],
  );
  return rows.map(({ public_id }) => public_id);
}

const ask = (path: string, ids: string[]) =>
  fetch(`${t.base}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${t.key}` },
    body: JSON.stringify({ ids }),
  });

describe.each([
  ['suno', '/suno/fetch'],
  ['mj', '/mj/task/list-by-condition'],
])('a list of %s tasks', (platform, path) => {
  it('has no more than a mebibyte, and says that fewer are to be asked for', async () => {
    const ids = await tasks(platform, 20, HEAVY);
    const refused = await ask(path, ids);
    const text = await refused.text();
    expect([refused.status, text.length < 2_000]).toEqual([400, true]);
    expect(text).toContain('fewer ids');
    const some = await ask(path, ids.slice(0, 10));
    const answer = await some.text();
    expect(some.status).toBe(200);
    expect(answer.length).toBeLessThan(MIB);
    for (const id of ids.slice(0, 10)) expect(answer).toContain(id);
  });
});

it('a failed task keeps nothing but its reason', async () => {
  const [id = ''] = await tasks('suno', 1, HEAVY);
  const { db } = t.api.deps;
  const [row] = await db.query<{ id: number }>('select id from tasks where public_id = $1', [id]);
  await noteNews(
    db,
    { id: row?.id ?? 0, claimed_by: '' },
    {
      id: 'u',
      status: 'FAILURE',
      progress: 100,
      failReason: 'too loud',
      startTime: 0,
      finishTime: 0,
      data: HEAVY,
    },
  );
  const answer = await fetch(`${t.base}/suno/fetch/${id}`, { headers: { authorization: `Bearer ${t.key}` } });
  expect((await answer.json()).data).toMatchObject({
    status: 'FAILURE',
    fail_reason: 'too loud',
    data: null,
  });
});

it('a drawing keeps of its prompts what is kept of the one that was sent', () => {
  const long = 'x'.repeat(20_000);
  const told = {
    ...{ id: '1', status: 'IN_PROGRESS', promptEn: long, description: long },
    properties: { finalPrompt: long, finalZhPrompt: long },
  };
  const news = midjourney.tasks?.read([told], '1') ?? [];
  expect(JSON.stringify(news).length).toBeLessThan(5 * limits.taskTextChars);
});

it('owners are told of their tasks by turns, however many one of them has', async () => {
  const { db } = t.api.deps;
  const due = (ids: string[], hookAt: number) =>
    db.query(
      `update tasks set hook = 'https://a.example/', hook_tries = 3, hook_at = $2::bigint
       where public_id = any(string_to_array($1, ','))`,
      [ids.join(','), hookAt],
    );
  await due(await tasks('mj', 2 * limits.taskHooksARound, {}), 1);
  const late = await tasks('mj', 1, {});
  const neighbour = await t.api.createUser();
  await db.query('update tasks set user_id = $2 where public_id = $1', [late[0] ?? '', neighbour.id]);
  await due(late, 2);
  const told = await claimHooks(db);
  expect(told).toHaveLength(limits.taskHooksARound);
  expect(told.map(({ public_id }) => public_id)).toContain(late[0] ?? '');
  // Nobody is told twice, and the others have their turn.
  const next = await claimHooks(db);
  expect(next).toHaveLength(limits.taskHooksARound);
  expect(new Set([...told, ...next].map(({ id }) => id)).size).toBe(told.length + next.length);
});
