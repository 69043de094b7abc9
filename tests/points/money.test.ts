/** What holds of amounts: how they are written, and that they add up wherever they are told. */
import { afterAll, beforeAll, expect } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { DAY_SEC, nowSec } from '../../src/core/time.ts';
import { logs } from '../../src/db/schema/index.ts';
import { type LivedIn, openLivedIn, SETTING_UP_MS } from '../support/lived-in.ts';
import { until } from '../support/waits.ts';
import { type Prover, point } from './point.ts';

let lived: LivedIn;

/** A call of each kind of price, and what it costs, worked out by hand. */
interface Priced {
  kind: string;
  prompt: number;
  completion: number;
  other: JsonObject;
  quota: number;
}
const RATIOS = { model_price: -1, group_ratio: 1, user_group_ratio: -1, price_source: 'option' };
const TOKENS = { ...RATIOS, model_ratio: 2.5, completion_ratio: 4, cache_tokens: 0, cache_ratio: 0.5 };
const PRICED: readonly Priced[] = [
  // (1000 + 200 × 4) × 2.5
  { kind: 'ratio', prompt: 1_000, completion: 200, other: TOKENS, quota: 4_500 },
  // (400 + 600 × 0.5 + 100 × 4) × 2.5
  { kind: 'cache', prompt: 1_000, completion: 100, other: { ...TOKENS, cache_tokens: 600 }, quota: 2_750 },
  // 0.02 dollars of 500000 units
  { kind: 'fixed', prompt: 9, completion: 9, other: { ...RATIOS, model_price: 0.02 }, quota: 10_000 },
  // (250000 + 100 × 4) × 5
  {
    kind: 'tiered',
    prompt: 250_000,
    completion: 100,
    other: {
      ...TOKENS,
      model_ratio: 5,
      price_tier: { by: 'input', from: 200_000, up_to: null, count: 250_000 },
    },
    quota: 1_252_000,
  },
  // (200 + 100 × 10 + 30 × 4 + 50 × 10 × 2) × 2.5
  {
    kind: 'audio',
    prompt: 300,
    completion: 80,
    other: {
      ...TOKENS,
      ...{ audio: true, audio_input: 100, audio_output: 50, text_input: 200, text_output: 30 },
      ...{ audio_ratio: 10, audio_completion_ratio: 2 },
    },
    quota: 5_800,
  },
  // (1000 + 200 × 4) × 2.5 × 0.8
  { kind: 'group', prompt: 1_000, completion: 200, other: { ...TOKENS, group_ratio: 0.8 }, quota: 3_600 },
];

/** What accounts have left, by their names. */
const BALANCES: Record<string, number> = { nineteen: 9_500, some: 2_450, naught: 0 };
/** $0.019, what is below a cent in dollars alone, and nothing. */
const SHOWN: Record<'zh' | 'en', Record<string, string>> = {
  zh: { nineteen: '¥0.13', some: '¥0.03', naught: '¥0.00' },
  en: { nineteen: '$0.01', some: '$0.0049', naught: '$0.00' },
};

beforeAll(async () => {
  lived = await openLivedIn({ rows: 5 });
  const { api } = lived.site;
  await api.deps.options.set({ Price: '7.3' });
  for (const [username, quota] of Object.entries(BALANCES)) {
    const { id } = await api.createUser({ username });
    await api.deps.db.query('update users set quota = $1 where id = $2', [quota, id]);
  }
  // A name that a spreadsheet would work out. Of now, as all that is logged: a day that is over may be added up already.
  await api.deps.db.query(
    `insert into logs (created_at, user_id, username, type, token_name, model_name, quota, request_id)
     values ($1, $2, 'una', 2, '=1+1', '中文模型', 70, $3)`,
    [nowSec(), lived.user.id, Bun.randomUUIDv7()],
  );
  // Long ago, so that no other point counts them.
  await api.deps.db.orm.insert(logs).values(
    PRICED.map(({ kind, prompt, completion, other, quota }) => ({
      created_at: nowSec() - 60 * DAY_SEC,
      user_id: lived.user.id,
      username: 'una',
      type: 2,
      model_name: kind,
      group_name: 'default',
      prompt_tokens: prompt,
      completion_tokens: completion,
      quota,
      other,
      request_id: Bun.randomUUIDv7(),
    })),
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

const numberOf = (text: string): number => Number(text.replace(/[^\d.]/g, ''));
/** The last decimal that a bill shows of a line. */
const SHOWN_TO = 1e-6;

point(55, asUser, async ({ goto, dialog, t }) => {
  for (const { kind, quota } of PRICED) {
    const [row] = await lived.site.api.deps.db.query<{ id: number }>(
      `select id from logs where user_id = ${lived.user.id} and model_name = $1`,
      [kind],
    );
    await goto(`/log?range=90d&id=${row?.id}`);
    const weighted = dialog.locator('.bill-table tbody tr');
    await weighted.first().waitFor();
    const amounts = (
      await weighted.locator(`td[data-label="${t('log.column.weighted')}"]`).allTextContents()
    ).map(numberOf);
    const [charged = Number.NaN, grouped = Number.NaN, sum = Number.NaN, ...lines] = amounts.reverse();
    const added = lines.reduce((all, line) => all + line, 0);
    expect({ kind, charged, adds: Math.abs(added - sum) <= SHOWN_TO * lines.length }).toEqual({
      kind,
      charged: quota,
      adds: true,
    });
    const ratio = kind === 'group' ? 0.8 : 1;
    expect({ kind, grouped: Math.abs(grouped - sum * ratio) <= SHOWN_TO }).toEqual({ kind, grouped: true });
    expect(await dialog.getByText(t('log.adds')).count()).toBe(1);
    // The server works the bill out again from the row alone, and comes to the same.
    await dialog.getByRole('button', { name: t('log.prove') }).click();
    const proved = t('log.proved', { count: quota, units: quota, hash: '' });
    await dialog.getByText(proved.slice(0, proved.indexOf('SHA-256'))).waitFor();
  }
  return `${PRICED.map(({ kind }) => kind).join(', ')}: lines, group and charge agree`;
});

/** Of the strip above a page: what stands there, and what its title tells exactly. */
async function figureIn({ page }: Prover, label: string): Promise<{ text: string; exact: string }> {
  const value = page
    .locator('main dl > div')
    .filter({ has: page.getByText(label, { exact: true }) })
    .first()
    .locator('dd')
    .first();
  const title = value.locator('[title]');
  return {
    text: ((await value.textContent()) ?? '').trim(),
    exact: (await title.count()) > 0 ? ((await title.first().getAttribute('title')) ?? '') : '',
  };
}

point(56, asUser, async (prover) => {
  const { page, goto, t } = prover;
  await goto('/detail?range=7d&step=day');
  const spent = await figureIn(prover, t('usage.figure.quota'));
  const calls = numberOf((await figureIn(prover, t('usage.figure.calls'))).text);
  const input = numberOf((await figureIn(prover, t('usage.figure.prompt_tokens'))).text);
  const output = numberOf((await figureIn(prover, t('usage.figure.completion_tokens'))).text);
  const recent = `type = 2 and created_at > ${nowSec() - 7 * DAY_SEC}`;
  const [sums] = await lived.site.api.deps.db.query<Record<'rows' | 'quota' | 'input' | 'output', number>>(
    `select count(*)::int as rows, sum(quota)::int as quota, sum(prompt_tokens)::int as input,
       sum(completion_tokens)::int as output from logs where user_id = ${lived.user.id} and ${recent}`,
  );
  expect({ calls, input, output }).toEqual({
    calls: sums?.rows ?? 0,
    input: sums?.input ?? 0,
    output: sums?.output ?? 0,
  });
  // To the unit: its title says them.
  expect(numberOf(spent.exact.split('·').at(-1) ?? '')).toBe(sums?.quota ?? 0);

  // A part of a bar leads to the rows that it is the sum of: those of its model, on its day.
  await page.locator('.recharts-bar-rectangle path').first().click();
  await page.waitForURL(/\/log\?/);
  // The address changes first, and the dashboard has a figure of the same name.
  await page.getByRole('heading', { level: 1, name: t('log.title') }).waitFor();
  const search = new URL(page.url()).searchParams;
  const [from, to] = [Number(search.get('from')), Number(search.get('to'))];
  const model = search.get('model')?.match(/^"(.+)"$/)?.[1];
  // To the last second of its day.
  expect([search.get('type'), to - from]).toEqual(['2', DAY_SEC - 1]);
  await page.locator('tbody > tr').first().waitFor();
  const [bar] = await lived.site.api.deps.db.query<{ quota: number }>(
    `select sum(quota)::int as quota from logs
     where user_id = ${lived.user.id} and type = 2 and created_at between ${from} and ${to} and model_name = $1`,
    [model ?? ''],
  );
  expect(bar?.quota).toBePositive();
  // The figures come after the rows, and are those of before until then.
  const listed = async () => numberOf((await figureIn(prover, t('log.spent'))).exact.split('·').at(-1) ?? '');
  await until(`the log tells ${bar?.quota} units`, async () => (await listed()) === bar?.quota);
  return `${sums?.rows} calls, ${sums?.quota} units in both`;
});
