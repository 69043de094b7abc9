/**
 * What opens over pages, and pages that one thing alone leads to, looked at by axe: only by `./scripts/points`, as the pages
 * of every address are.
 */
import { afterAll, beforeAll, expect } from 'bun:test';
import { PASSWORD } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { type LivedIn, openLivedIn, SETTING_UP_MS } from '../support/lived-in.ts';
import { authorizeQuery, pkce, registerApp } from '../support/oauth-app.ts';
import { type Prover, point, WHOLE } from './point.ts';

interface Front {
  what: string;
  /** Where there is one alone. */
  on?: 'desk' | 'phone';
  open(prover: Prover): Promise<unknown>;
}

let lived: LivedIn;
let fresh: Site;

const rowMenu = async ({ page, t }: Prover, name: string): Promise<void> => {
  await page.getByRole('button', { name: t('table.more', { name }), exact: true }).click();
  await page.getByRole('menuitem').first().waitFor();
};
/** Chooses from the menu of a row, and waits for what comes. */
const choose = async (prover: Prover, name: string, action: Parameters<Prover['t']>[0]): Promise<void> => {
  const { page, t } = prover;
  await rowMenu(prover, name);
  await page.getByRole('menuitem', { name: t(action), exact: true }).click();
  await page.locator('[role=dialog], [role=alertdialog]').first().waitFor();
};

let networks = 0;
/** An application has asked just now: what it asks with does not last as long as all views take. */
const approving = async ({ goto, page }: Prover): Promise<void> => {
  const app = lived.site.api.guest({ ip: `198.51.100.${++networks}` });
  const { data } = await app.post('/api/request_bind', { name: 'AiPy' });
  await goto(`/approve?code=${new URL(data.approval_url).searchParams.get('code')}`);
  await page.locator('main [data-step] button').first().waitFor();
};
const consenting = async ({ page }: Prover): Promise<void> => {
  const app = await registerApp(await lived.site.api.as(lived.root), {
    homepage: 'https://notebook.example/',
  });
  const address = authorizeQuery(app, pkce().challenge, { scope: 'profile balance relay embed' });
  await page.goto(address.replace('/api/oauth/authorize', '/oauth/login'));
  await page.waitForURL('**/api/oauth/authorize?*');
  await page.getByRole('button').last().waitFor();
};

const FRONTS: readonly Front[] = [
  {
    what: 'the menu of a row',
    open: async (prover) => {
      await prover.goto('/token');
      await rowMenu(prover, 'ci');
    },
  },
  {
    what: 'the menu of a page',
    open: async ({ goto, page, button, t }) => {
      await goto('/channel');
      await button(t('channel.testMenu')).click();
      await page.getByRole('menuitem').first().waitFor();
    },
  },
  {
    what: 'the menu of the account',
    open: async ({ goto, page }) => {
      await goto('/token');
      await page.locator('header button[aria-haspopup=menu]').last().click();
      await page.getByRole('menuitem').first().waitFor();
    },
  },
  {
    what: 'the main menu',
    on: 'phone',
    open: async ({ goto, button, dialog, t }) => {
      await goto('/token');
      await button(t('shell.openMenu')).click();
      await dialog.waitFor();
    },
  },
  {
    what: 'the filters of a list',
    on: 'phone',
    open: async ({ goto, page, dialog, t }) => {
      await goto('/token');
      await page.getByRole('button', { name: t('table.filters') }).click();
      await dialog.waitFor();
    },
  },
  {
    what: 'the columns of a list',
    on: 'desk',
    open: async ({ goto, button, dialog, t }) => {
      await goto('/user');
      await button(t('table.columns')).click();
      await dialog.waitFor();
    },
  },
  {
    what: 'the palette',
    open: async ({ goto, button, dialog, t }) => {
      await goto('/token');
      await button(t('palette.open')).click();
      await dialog.getByRole('option').first().waitFor();
    },
  },
  {
    what: 'the sheet of shortcuts',
    open: async ({ goto, page, dialog }) => {
      await goto('/channel');
      await page.keyboard.press('?');
      await dialog.waitFor();
    },
  },
  {
    what: 'a question',
    open: async (prover) => {
      await prover.goto('/token');
      await choose(prover, 'ci', 'token.delete');
    },
  },
  {
    what: 'a question whose answer is typed',
    open: async (prover) => {
      await prover.goto('/user?q=person-2');
      await choose(prover, 'person-2', 'user.erase');
    },
  },
  {
    what: 'a dialog with a form',
    open: async (prover) => {
      await prover.goto('/user?q=person-2');
      await choose(prover, 'person-2', 'user.addQuota');
    },
  },
  {
    what: 'the dialog of the second factor',
    open: async ({ goto, button, dialog, t }) => {
      await goto('/personal#two-factor');
      await button(t('second.enable')).click();
      await dialog.locator('input[name=code]').waitFor();
    },
  },
  { what: '/approve', open: approving },
  { what: 'the consent page', open: consenting },
];

if (WHOLE) {
  beforeAll(async () => {
    [fresh, lived] = await Promise.all([
      openSite('pglite', { SETUP_TOKEN: 'let-me-in' }),
      openLivedIn({ rows: 3 }),
    ]);
  }, SETTING_UP_MS);
  afterAll(async () => {
    await fresh?.close();
    await lived?.close();
  });

  point(15, { site: () => lived.site, user: () => lived.root }, async (prover) => {
    const fronts = FRONTS.filter(({ on }) => on === undefined || (on === 'phone') === prover.phone);
    const found: string[] = [];
    for (const { what, open } of fronts) {
      await open(prover);
      found.push(...(await prover.visitor.findings()).map((finding) => `${what}: ${finding}`));
    }
    expect(found).toEqual([]);
    return `${FRONTS.map(({ what }) => what).join(', ')}, too`;
  });

  point(15, { site: () => fresh }, async ({ goto, page, button, visitor, t }) => {
    await goto('/setup?token=let-me-in');
    const who = await visitor.findings();
    await page.getByRole('textbox', { name: t('setup.username') }).fill('root');
    await page.getByLabel(t('setup.password'), { exact: true }).fill(PASSWORD);
    await page.getByLabel(t('setup.confirm')).fill(PASSWORD);
    await button(t('setup.continue')).click();
    await button(t('setup.finish')).waitFor();
    expect([...who, ...(await visitor.findings())]).toEqual([]);
    return '/setup, too';
  });
}
