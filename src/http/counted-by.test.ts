/** Whose counters take what somebody calls and begins. */
import { expect, it } from 'bun:test';
import { secretText } from '../core/ids.ts';
import { browserId, textOfMarks } from '../platform/browser-marks.ts';
import { createSecrets } from '../platform/secrets.ts';
import type { RequestContext, Viewer } from './context.ts';
import { rulesOfBegun, rulesOfViewer, waysOfGuest, waysOfViewer } from './counted-by.ts';

const secrets = createSecrets('a secret of at least thirty-two letters');
const browser = browserId(secrets, '7', secretText(64));
const mark = (account: string, id: string) =>
  textOfMarks([{ account, browser: id, signature: 'A'.repeat(43) }]);

const viewer: Viewer = {
  id: 7,
  username: 'una',
  displayName: 'Una',
  role: 1,
  group: 'default',
  sessionId: 'session',
};

function coming(known: string | null, headers: Record<string, string> = {}, seen: Viewer | null = null) {
  const cookie = known === null ? '' : `known=${known}`;
  const request = new Request('http://gate.example/api', { headers: { cookie, ...headers } });
  const context: RequestContext = {
    requestId: 'r',
    clientIp: '203.0.113.7',
    locale: 'en',
    https: false,
    origin: 'http://gate.example',
    viewer: seen,
  };
  return { request, context };
}

const shown = (rules: readonly { key: string; limit: number }[]) =>
  rules.map(({ key, limit }) => `${key} ${limit}`);

const network = ['x:203.0.113.7 600'];
const own = [`x:browser:${browser} 10`, 'x:browsers-of:7 40'];
const elsewhere = { 'sec-fetch-site': 'cross-site' };

it.each<[string, ReturnType<typeof coming>, string[]]>([
  ['a stranger', coming(null), network],
  ['one whose mark somebody made up', coming(mark('7', 'A'.repeat(22))), network],
  ['one whose mark is of another account', coming(mark('8', browser)), network],
  ['a browser that was signed in before', coming(mark('7', browser)), own],
  [
    'that browser by a page of another site',
    coming(mark('7', browser), elsewhere),
    own.map((rule) => rule.replace(' ', ':elsewhere ')),
  ],
  ['who is signed in', coming(mark('7', browser), {}, viewer), ['x:session 10', 'x:all-of:user:7 40']],
])(
  'what %s begins is counted by himself where he is known, and by his network where not',
  (_who, who, rules) => {
    const bound = { limit: 10, ofNetwork: 600, windowSec: 60 };
    expect(shown(rulesOfBegun({ secrets }, 'x', bound, who))).toEqual(rules);
  },
);

it('calls of guests are too, all who are known behind one network count together, and like strangers after that', () => {
  const bound = { limit: 10, windowSec: 60 };
  const stranger = ['x:203.0.113.7 10'];
  expect(waysOfGuest({ secrets }, 'x', bound, coming(null)).map(shown)).toEqual([stranger]);
  const guest = waysOfGuest({ secrets }, 'x', bound, coming(mark('7', browser)));
  expect(guest.map(shown)).toEqual([[...own, 'x:known:203.0.113.7 80'], stranger]);
  const rules = rulesOfViewer('x', viewer, bound, '203.0.113.7');
  expect(shown(rules)).toEqual(['x:session 10', 'x:all-of:user:7 40', 'x:signed-in:203.0.113.7 80']);
  expect(waysOfViewer(viewer, rules, guest)).toEqual([rules, ...guest]);
  const embed = { appId: 3, origin: 'https://app.example', scopes: [] };
  for (const bearer of [
    { ...viewer, sessionId: null },
    { ...viewer, embed },
  ]) {
    expect(waysOfViewer(bearer, rules, guest)).toEqual([rules]);
    // Nor does anything that neighbours fill.
    const keys = rulesOfViewer('x', bearer, bound, '203.0.113.7').map(({ key }) => key);
    expect(keys.filter((key) => key.includes('203.0.113.7'))).toEqual([]);
  }
});
