/** What holds of amounts: how they are written, and that they add up wherever they are told. */
import { afterAll, beforeAll, expect } from 'bun:test';
import { nowSec } from '../../src/core/time.ts';
import { type LivedIn, openLivedIn, SETTING_UP_MS } from '../support/lived-in.ts';
import { type Prover, point } from './point.ts';

let lived: LivedIn;
/** What accounts have left, by their names. */
const BALANCES: Record<string, number> = { nineteen: 9_500, some: 2_450, naught: 0 };
/** $0.019, what is below a cent in dollars alone, and nothing. */
const SHOWN: Record<'zh' | 'en', Record<string, string>> = {
  zh: { nineteen: '¥0.13', some: '¥0.03', naught: '¥0.00' },
  en: { nineteen: '$0.01', some: '2,450 units', naught: '$0.00' },
};

beforeAll(async () => {
  lived = await openLivedIn({ rows: 5 });
  const { api } = lived.site;
  await api.deps.options.set({ Price: '7.3' });
  for (const [username, quota] of Object.entries(BALANCES)) {
    const { id } = await api.createUser({ username });
    await api.deps.db.query('update users set quota = $1 where id = $2', [quota, id]);
  }
  // A name that a spreadsheet would work out.
  await api.deps.db.query(
    `insert into logs (created_at, user_id, username, type, token_name, model_name, quota, request_id)
     values ($1, $2, 'una', 2, '=1+1', '中文模型', 70, $3)`,
    [nowSec() - 20, lived.user.id, Bun.randomUUIDv7()],
  );
}, SETTING_UP_MS);
afterAll(() => lived?.close());

const site = () => lived.site;
const asRoot = { site, user: () => lived.root };
const asUser = { site, user: () => lived.user };

point(32, asRoot, async ({ page, goto, locale }) => {
  for (const [name, amount] of Object.entries(SHOWN[locale])) {
    await goto(`/user?q=${name}`);
    const row = page.getByRole('row').filter({ hasText: name }).first();
    expect({ name, shown: ((await row.textContent()) ?? '').includes(amount) }).toEqual({
      name,
      shown: true,
    });
    expect(await row.textContent()).not.toContain(locale === 'zh' ? '$' : '¥');
  }
  return Object.values(SHOWN[locale]).join(', ');
});

/** The sum and the count of a user's calls, as the database has them. */
async function callsOf(filter: string): Promise<{ rows: number; quota: number }> {
  const [row] = await lived.site.api.deps.db.query<{ rows: number; quota: number }>(
    `select count(*)::int as rows, coalesce(sum(quota), 0)::int as quota from logs where user_id = ${lived.user.id} and ${filter}`,
  );
  return row ?? { rows: 0, quota: 0 };
}

point(54, asUser, async ({ page, goto, button, t }) => {
  const sheetOf = async (path: string): Promise<string> => {
    await goto(path);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      button(t('log.export')).first().click(),
    ]);
    // As bytes: whoever reads a text is not shown the mark at its beginning.
    return Buffer.from(await Bun.file(await file.path()).bytes()).toString();
  };
  const sheet = await sheetOf('/log?range=7d&type=2&model=gpt-4o');
  const [head = '', ...lines] = sheet
    .replace(/^\uFEFF/, '')
    .trim()
    .split('\r\n');
  const { rows, quota } = await callsOf(`type = 2 and model_name like '%gpt-4o%'`);
  const column = head.split(',').findIndex((name) => /quota|额度|units|单位/i.test(name));
  const isTotal = (line: string) => !/\d{4}-\d\d-\d\d/.test(line);
  const calls = lines.filter((line) => !isTotal(line));
  expect(calls).toHaveLength(rows);
  const total = calls.reduce((sum, line) => sum + Number(line.split(',')[column] ?? Number.NaN), 0);
  expect({ head, total }).toEqual({ head, total: quota });
  const odd = await sheetOf('/log?range=7d&type=2&token=%3D1%2B1');
  expect(odd.charCodeAt(0)).toBe(0xfeff);
  expect(odd).toContain('中文模型');
  expect(odd).toContain(`'=1+1`);
  expect(odd).not.toMatch(/(^|,)"?=1\+1/m);
  return `${rows} rows, ${quota} units`;
});

point(55, asUser, async ({ goto, dialog, t }) => {
  const rows = await lived.site.api.deps.db.query<{ id: number }>(
    `select id from logs where user_id = ${lived.user.id} and type = 2 and channel_id > 0 order by id limit 2`,
  );
  for (const { id } of rows) {
    await goto(`/log?range=7d&id=${id}`);
    await dialog.getByRole('table').first().waitFor();
    await dialog.getByRole('button', { name: t('log.prove') }).click();
    // The server works the bill out again from the row alone.
    await dialog.getByText(/SHA-256/).waitFor();
  }
  return `${rows.length} rows worked out again; all kinds of prices by the tests of the bill`;
});

const amountIn = async ({ page }: Prover, label: string): Promise<string> => {
  const figure = page
    .locator('main dl > div')
    .filter({ has: page.getByText(label, { exact: true }) })
    .first();
  return ((await figure.locator('dd').first().textContent()) ?? '').trim();
};

point(56, asUser, async (prover) => {
  const { page, goto, t, phone } = prover;
  await goto('/detail?range=7d&step=day');
  const spent = await amountIn(prover, t('usage.figure.quota'));
  const calls = Number((await amountIn(prover, t('usage.figure.calls'))).replace(/\D/g, ''));
  await goto('/log?range=7d&type=2');
  const { rows } = await callsOf('type = 2');
  expect({ spent: spent.length > 0, calls }).toEqual({ spent: true, calls: rows });
  if (!phone) {
    await goto('/detail?range=7d&step=day');
    await page.locator('.recharts-bar-rectangle path').first().click();
    await page.waitForURL(/\/log\?/);
    const search = new URL(page.url()).searchParams;
    expect([search.get('type'), Number(search.get('to')) > Number(search.get('from'))]).toEqual(['2', true]);
  }
  return `${rows} calls in both`;
});
