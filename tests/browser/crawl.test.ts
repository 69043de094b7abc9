/**
 * Nothing is dead: every page, menu, drawer and dialog is opened, and every control clicked that destroys nothing. It takes
 * hours: only with `./scripts/test long`. Who sees much goes in parts, each over some of the pages.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { translatorFor } from '../../web/lib/translator-for.ts';
import type { TestUser } from '../support/api.ts';
import { DESK, PHONE } from '../support/browser.ts';
import { type Control, crawl } from '../support/crawl.ts';
import { type LivedIn, openLivedIn, SETTING_UP_MS } from '../support/lived-in.ts';
import { inLong } from '../support/long.ts';
import { patience } from '../support/patience.ts';
import { routePaths } from '../support/route-paths.ts';

/** Pages, with their drawers, that a walk of its own goes over; the last one goes over all others, and the frame. */
const PARTS: readonly (readonly string[])[] = [
  ['setting'],
  ['channel'],
  ['user', 'token', 'redemption'],
  ['log', 'detail', 'task', 'midjourney', 'topup', 'payment', 'model-hub'],
  [],
];
const ALL = 'all';
const WALKS = (['guest', 'user', 'admin', 'root'] as const).flatMap((role) =>
  [DESK, PHONE].flatMap((width) =>
    (role === 'guest' || role === 'user' ? [ALL] : [...PARTS.keys()]).map((part) => ({ role, width, part })),
  ),
);
const MAX_CLICKS = 3_000;
const MAX_MS = patience(3_600_000);
const LEFT_OUT_MAX = 0.05;

const t = translatorFor('en');

/** Who says yes by them loses something for good. By their names, and why they are not clicked. */
const DESTROYING: Record<string, string> = {
  [t('channel.delete')]: 'deletes what other controls are clicked on',
  [t('user.delete')]: 'cancels an account',
  [t('user.erase')]: 'erases who somebody was',
  [t('prices.reset')]: 'resets all prices',
  [t('personal.revoke')]: 'revokes an access token',
  [t('passkey.remove')]: 'removes a passkey',
  [t('allowed.withdraw')]: 'withdraws what an application may do',
  [t('personal.endOthers')]: 'ends other sessions',
};
const ENDS_SESSION = [t('shell.logout'), t('personal.endSession')];

function leaveOut({ role, name, confirms }: Control): string | undefined {
  if (role === 'link') return undefined;
  if (ENDS_SESSION.includes(name)) return 'ends a session, maybe the one that the walk goes by';
  return confirms ? DESTROYING[name] : undefined;
}

const partOf = (place: string): number => {
  const part = PARTS.findIndex((pages) => pages.includes(place.split(/[/?]/)[1] ?? ''));
  return part < 0 ? PARTS.length - 1 : part;
};

/** Once a site is there nobody sees it, and no application has sent the visitor with what it asks for. */
const NOT_OPENED = ['/setup', '/oauth/login'];
/** All pages that are opened by an address without a name or number in it. */
const plainPaths = (): string[] =>
  routePaths().filter((path) => !path.includes('$') && !NOT_OPENED.includes(path));

inLong.describe('a walk', () => {
  let lived: LivedIn;
  beforeAll(async () => {
    lived = await openLivedIn({ rows: 4 });
  }, SETTING_UP_MS);
  afterAll(() => lived?.close());

  describe.each(WALKS)('as $role at $width px, part $part', ({ role, width, part }) => {
    const who = `${role} at ${width} px, part ${part}`;

    it(
      'every control does something, and nothing fails',
      async () => {
        const { site, ...people } = lived;
        const user: TestUser | undefined = role === 'guest' ? undefined : people[role];
        // Three notices for trial in ten minutes are less than all walks send.
        if (user) await site.api.deps.limiter.clear(`notify-test:${user.id}`);
        const visitor = await site.visit({ locale: 'en', width, ...(user && { user }) });
        const paths: string[] = [];
        for (const path of plainPaths()) {
          const answer = await visitor.page.request.get(path, { maxRedirects: 0 });
          if (answer.status() === 200) paths.push(path);
        }
        const report = await crawl(visitor, site.base, {
          paths,
          leaveOut,
          isMine: (place) => part === ALL || partOf(place) === part,
          maxClicks: MAX_CLICKS,
          say: (fault) => console.log(`  ${who}: ${fault}`),
          tell: (words) => console.log(`${who}: ${words}`),
          maxMs: MAX_MS,
        });
        const { clicked, leftOut, faults, places, layers, unreached } = report;
        const share = leftOut.length / Math.max(1, clicked.length + leftOut.length);
        console.log(
          `${who}: ${clicked.length} controls clicked in ${places.size} pages and ${layers.size} menus, drawers and dialogs; ` +
            `${leftOut.length} left out (${(share * 100).toFixed(1)} %)`,
        );
        for (const [{ kind }, reason] of leftOut) console.log(`  left out: ${kind}: ${reason}`);
        expect({ faults, unreached }).toEqual({ faults: [], unreached: 0 });
        expect(share).toBeLessThan(LEFT_OUT_MAX);
      },
      MAX_MS + patience(60_000),
    );
  });
});
