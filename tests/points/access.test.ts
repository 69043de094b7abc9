/** Who is answered what: the table of routes and roles, tried row by row. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { type LivedIn, openLivedIn, SETTING_UP_MS } from '../support/lived-in.ts';
import { sentPage } from '../support/pages.ts';
import { patience } from '../support/patience.ts';
import { routePaths } from '../support/route-paths.ts';
import { figure, nameOf } from './point.ts';

let lived: LivedIn;
beforeAll(async () => {
  lived = await openLivedIn({ rows: 4 });
}, SETTING_UP_MS);
afterAll(() => lived?.close());

type Who = 'guest' | 'user' | 'admin' | 'root';
const EVERYONE: readonly Who[] = ['guest', 'user', 'admin', 'root'];

/** A page for all, for whoever is signed in, for administrators, for root; or for guests alone. */
type Least = Who | 'guests alone';

const ROUTES: Record<string, Least> = {
  '/': 'guest',
  '/login': 'guests alone',
  '/register': 'guests alone',
  '/reset': 'guest',
  '/user/reset?email=a%40example.com&token=x': 'guest',
  '/oauth/login': 'guest',
  '/model-hub': 'guest',
  '/terms/terms-of-service.html': 'guest',
  '/terms/privacy-policy.html': 'guest',
  '/approve?code=nothing': 'user',
  '/detail': 'user',
  '/token': 'user',
  '/token/add': 'user',
  '/token/chat': 'user',
  '/log': 'user',
  '/midjourney': 'user',
  '/task': 'user',
  '/setting': 'user',
  '/user/edit': 'user',
  '/topup': 'user',
  '/topup/statement': 'user',
  '/personal': 'user',
  '/custom-models': 'user',
  '/activity-center': 'user',
  '/channel': 'admin',
  '/channel/add': 'admin',
  '/redemption': 'admin',
  '/redemption/add': 'admin',
  '/user': 'admin',
  '/user/add': 'admin',
  '/payment': 'admin',
  '/aipy-conf/suppliers': 'admin',
  '/aipy-conf/prompts': 'admin',
  '/aipy-conf/roles': 'admin',
  '/aipy-conf/marketplace': 'admin',
  '/activity-config': 'admin',
  '/activity-config/add': 'admin',
  '/task-like': 'admin',
  '/oauth-apps': 'root',
  '/oauth-apps/add': 'root',
  '/admin-log': 'root',
};

const allowed = (least: Least, who: Who): boolean =>
  least === 'guests alone' ? who === 'guest' : EVERYONE.indexOf(who) >= EVERYONE.indexOf(least);

/** What the page and its data answer. */
function expected(least: Least, who: Who): string {
  if (allowed(least, who)) return '200';
  if (least === 'guests alone') return 'led on';
  return who === 'guest' ? 'led to sign in' : '403';
}

it(
  nameOf(58),
  async () => {
    const { site } = lived;
    const wrong: string[] = [];
    for (const who of EVERYONE) {
      const client = who === 'guest' ? null : await site.api.as(lived[who]);
      const menu = client ? (await sentPage(site, '/token', { client })).links : [];
      for (const [path, least] of Object.entries(ROUTES)) {
        const { status, location } = await sentPage(site, path, { client });
        const got =
          status >= 300 && status < 400
            ? location?.startsWith('/login')
              ? 'led to sign in'
              : 'led on'
            : String(status);
        if (got !== expected(least, who))
          wrong.push(`${path} as ${who}: ${got}, not ${expected(least, who)}`);
        if (got !== '200' && menu.includes(path)) wrong.push(`${path} stands in the menu of ${who}`);
      }
    }
    // No page is left out.
    const paths = new Set(Object.keys(ROUTES).map((path) => path.split('?')[0]));
    const missing = routePaths().filter(
      (path) => !path.includes('$') && !['/setup', '/aipy-conf'].includes(path) && !paths.has(path),
    );
    figure(
      58,
      `${Object.keys(ROUTES).length} routes, ${EVERYONE.length} roles, ${wrong.length + missing.length} wrong`,
    );
    expect({ wrong, missing }).toEqual({ wrong: [], missing: [] });
  },
  patience(120_000),
);
