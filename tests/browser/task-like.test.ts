/** An administrator reads what users thought of their tasks. */
import { afterAll, beforeAll, it } from 'bun:test';
import type { TestUser } from '../support/api.ts';
import { openSite, quietVisits, type Site } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

let site: Site;
let amy: TestUser;
beforeAll(async () => {
  site = await openSite();
  amy = await site.api.createUser({ username: 'amy', role: 10 });
  const una = await site.api.as(await site.api.createUser({ username: 'una' }));
  for (const [n, title] of ['A letter to the bank', 'Trip to Lisbon', 'Tax return'].entries()) {
    const note = n === 1 ? 'It booked the wrong week, and did not ask before.' : '';
    const task = JSON.stringify({ goal: title, steps: [{ tool: 'search', ok: true }] });
    await una.post('/api/task/like', {
      task_id: `0198c${n}f2-task`,
      title,
      mark: n === 1 ? 2 : 1,
      note,
      task,
    });
  }
}, patience(120_000));
afterAll(() => site.close());
const visit = quietVisits(() => site);

it('finds what was disliked, and opens its task', async () => {
  const { page } = await visit('/token', { user: amy });
  await page.getByRole('link', { name: 'Likes' }).click();
  await page.getByRole('combobox', { name: 'All marks' }).selectOption({ label: 'Dislike' });
  await page.getByText('A letter to the bank').waitFor({ state: 'detached' });
  await page.getByRole('cell', { name: 'Trip to Lisbon' }).click();
  await page.getByRole('dialog').getByText('"goal": "Trip to Lisbon"').waitFor();
});

looksRight({
  name: 'task-like',
  open: async (locale) => {
    const visitor = await site.visit({ user: amy, locale, stays: true });
    await visitor.goto('/task-like');
    return visitor;
  },
});
