/** That no limit by a network is declared beside `src/http/counted-by.ts` but for a reason. */
import { expect, test } from 'bun:test';

const root = new URL('../../', import.meta.url).pathname;

/** Who counts by a network besides, and why that shuts nobody who is known out. */
const OTHERS: Readonly<Record<string, string>> = {
  'src/platform/limiter.ts': 'makes such rules',
  'src/http/counted-by.ts': 'declares them for all who call',
  'src/modules/failed-attempts/service.ts': 'what strangers are wrong with',
  'src/platform/lookups.ts': 'credentials that somebody made up',
  'src/modules/auth/messages.ts': 'messages that cost money, of which known browsers have their own',
  'src/modules/auth/account/new-account.ts':
    'accounts, of which each costs gifts, and who has one needs none',
  'src/modules/token-request/service.ts': 'polls that find nothing',
  'src/relay/entry/rate-limit.ts': 'keys that are none, and files that are read without one',
};

test('no other limit by a network is declared anywhere', async () => {
  const found: string[] = [];
  for await (const path of new Bun.Glob('src/**/*.{ts,tsx}').scan(root)) {
    if (!path.endsWith('.test.ts') && (await Bun.file(root + path).text()).includes('networkRules'))
      found.push(path);
  }
  expect(found.sort()).toEqual(Object.keys(OTHERS).sort());
});
