/** Pages as the server sends them: who gets which, with which status, and where they lead from there. */

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { nowSec } from '../../src/core/time.ts';
import { takeTime } from '../../src/db/brief.ts';
import { logs } from '../../src/db/schema/index.ts';
import { writeLog } from '../../src/modules/log/service.ts';
import type { TestUser } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { type Reader, readerOf, sentPage } from '../support/pages.ts';
import { patience } from '../support/patience.ts';

let site: Site;
let una: TestUser;
let user: Reader;
let admin: Reader;
let root: Reader;
beforeAll(async () => {
  site = await openSite();
  root = { client: await site.api.root() };
  una = await site.api.createUser({ username: 'una' });
  user = await readerOf(site.api, una);
  admin = await readerOf(site.api, await site.api.createUser({ username: 'amy', role: 10 }));
}, patience(120_000));
afterAll(() => site.close());

describe('a page that a rule refuses', () => {
  it.each([
    ['an account of the same level', '/user/edit/1', () => admin, 403, 'Users of the same or a higher level'],
    ['an account that is not there', '/user/edit/999999', () => root, 404, 'Page does not exist'],
    ['an account by a word', '/user/edit/nobody', () => root, 404, 'Page does not exist'],
    ['a channel that is not there', '/channel/edit/999999', () => root, 404, 'Page does not exist'],
    ['a token that is not there', '/token/edit/999999', () => user, 404, 'Page does not exist'],
    ['a page of administrators', '/user', () => user, 403, 'No permission'],
  ] as const)('%s has its status, its reason and a way back', async (_name, path, reader, status, words) => {
    const page = await sentPage(site, path, reader());
    expect(page.status).toBe(status);
    expect(page.words).toContain(words);
    expect(page.links).toContain('/');
  });

  it('says so in the reader’s language', async () => {
    const page = await sentPage(site, '/user/edit/1', { ...admin, locale: 'zh' });
    expect(page.words).toContain('无权操作同级或更高级别的用户');
  });

  it('is shown as what the rule says, not as a fault of the server, and keeps no other waiting meanwhile', async () => {
    // A table that is locked: the log's own deadline refuses with words for the reader.
    await site.api.deps.db.orm.transaction(async (tx) => {
      await takeTime(tx);
      await tx.execute('lock table logs in access exclusive mode');
      // As many as those behind one network may have rendered at once.
      let over = 0;
      const slow = [1, 2].map(() => sentPage(site, '/log', user).finally(() => over++));
      expect((await sentPage(site, '/user/edit', admin)).words).toContain('amy');
      expect(over).toBe(0);
      for (const page of await Promise.all(slow)) {
        expect(page.status).toBe(503);
        expect(page.words).toContain('The query took too long, please narrow the time range');
        expect(page.links).toContain('/');
      }
    });
  });
});

describe('one’s own profile at /user/edit', () => {
  it.each([
    ['a user', () => user, 'una'],
    ['an administrator', () => admin, 'amy'],
    ['root', () => root, 'root'],
  ] as const)('is there for %s', async (_name, reader, username) => {
    const page = await sentPage(site, '/user/edit', reader());
    expect(page.status).toBe(200);
    expect(page.words).toContain(username);
    expect(page.html).toContain('<title>My profile · Tollgate</title>');
  });

  it('sends guests to sign in and back', async () => {
    expect(await sentPage(site, '/user/edit')).toMatchObject({
      status: 307,
      location: '/login?next=%2Fuser%2Fedit',
    });
  });
});

describe('a guest', () => {
  it.each(['/login', '/register', '/reset', '/model-hub', '/terms/privacy-policy.html', '/nowhere'])(
    'sees the way in at %s',
    async (path) => {
      for (const [locale, words] of [
        ['en', 'Sign in'],
        ['zh', '登录'],
      ] as const) {
        const page = await sentPage(site, path, { client: null, locale });
        const header = /<header[\s\S]*?<\/header>/.exec(page.html)?.[0] ?? '';
        expect(header).toContain(words);
        expect(header).toContain('href="/login');
      }
    },
  );

  it('comes back to the prices from it', async () => {
    expect((await sentPage(site, '/model-hub?q=gpt')).links).toContain('/login?next=%2Fmodel-hub%3Fq%3Dgpt');
  });
});

it('the operator’s own links stand in the frame of every page, where there are any', async () => {
  const [home, download] = ['https://www.example.com/', 'https://www.example.com/client'];
  const offered = async (path: string, reader?: Reader) =>
    (await sentPage(site, path, reader)).links.filter((link) => link === home || link === download);
  expect(await offered('/token', user)).toEqual([]);
  await site.api.deps.options.set({ HomeLink: home, DownloadLink: download });
  expect([await offered('/token', user), await offered('/login')]).toEqual([[home, download], [home]]);
  await site.api.deps.options.reset(['HomeLink', 'DownloadLink']);
});

describe('the language', () => {
  const choose = async (lang: string, reader: Reader) => {
    const cookies = [...(reader.client?.cookies ?? [])];
    const answer = await site.handle(
      new Request(`${site.base}/preferences`, {
        method: 'POST',
        headers: {
          cookie: cookies.map(([name, value]) => `${name}=${value}`).join('; '),
          'content-type': 'application/x-www-form-urlencoded',
          origin: site.base,
          host: new URL(site.base).host,
        },
        body: new URLSearchParams({ lang, next: '/log' }),
      }),
    );
    return { status: answer.status, cookies: answer.headers.getSetCookie().join() };
  };
  const stored = async () => (await user.client?.get('/api/user/self'))?.data.language;

  it('that the switch of any page sets is kept with the account', async () => {
    for (const lang of ['en', 'zh']) {
      expect(await choose(lang, user)).toMatchObject({
        status: 303,
        cookies: expect.stringContaining(`lang=${lang}`),
      });
      expect(await stored()).toBe(lang);
    }
    await choose('fr', user);
    expect(await stored()).toBe('zh');
  });

  it('works as well for a guest', async () => {
    expect(await choose('en', { client: null })).toMatchObject({
      status: 303,
      cookies: expect.stringContaining('lang=en'),
    });
  });
});

describe('a filter of the address that nobody can read', () => {
  it.each([
    ['/log?type=9', () => user, '“9” is not one of the choices'],
    ['/log?range=decade', () => user, '“decade” is not one of the choices'],
    ['/log?from=soon', () => user, '“soon” is not a time'],
    ['/log?from=1969-12-31', () => user, '“1969-12-31” is not a time'],
    ['/log?to=0000-01-01', () => user, '“0000-01-01” is not a time'],
    ['/admin-log?from=1969-12-31', () => root, '“1969-12-31” is not a time'],
    ['/channel?type=3000000000', () => root, '“3000000000” is not one of the choices'],
    ['/log?channel=9999999999999999', () => admin, 'Please enter a number'],
    ['/log?to=2026-02-30', () => user, '“2026-02-30” is not a time'],
    ['/log?from=2026-05-02&to=2026-05-01', () => user, 'The end lies before the beginning'],
    ['/log?channel=twelve', () => admin, 'Please enter a number'],
    ['/log?model=%00', () => user, 'Cannot be read'],
    [`/log?request=${'x'.repeat(301)}`, () => user, 'Cannot be read'],
    ['/log?type=9&model=gpt&p=1', () => user, '“9” is not one of the choices'],
    ['/token?status=on', () => user, '“on” is not one of the choices'],
    ['/token?group=nobody', () => user, '“nobody” is not one of the choices'],
    ['/channel?type=openai', () => root, '“openai” is not one of the choices'],
    ['/channel?status=7', () => root, '“7” is not one of the choices'],
    ['/user?group=nobody', () => root, '“nobody” is not one of the choices'],
    ['/user?q=%00', () => root, 'Cannot be read'],
    ['/model-hub?billing=free', () => user, '“free” is not one of the choices'],
  ] as const)('%.30s says so at its field, and the page stays', async (path, reader, words) => {
    const page = await sentPage(site, path, reader());
    expect(page.status).toBe(200);
    expect(page.words).toContain(words);
    const [, id] = /aria-invalid="true" aria-describedby="([^"]+)"/.exec(page.html) ?? [];
    expect(page.html).toContain(`id="${id}"`);
  });

  it('leaves its list unfiltered, and what can be read is read', async () => {
    const page = await sentPage(site, '/channel?status=7&q=nowhere', root);
    expect(page.words).toContain('“7” is not one of the choices');
    expect(page.html).toContain('value="nowhere"');
    // What filters nothing is not told of as a filter.
    const log = await sentPage(site, '/log?channel=twelve&model=gpt', admin);
    expect([log.words.includes('Model: gpt'), log.words.includes('Channel id: twelve')]).toEqual([
      true,
      false,
    ]);
    const statement = await sentPage(site, '/topup/statement?least=abc&most=4999&kind=call', user);
    expect(statement.words).toContain('Amount to: $0.00');
    expect(statement.words).not.toMatch(/Amount from: abc|Unknown/);
    // What no control shows is dropped from the address.
    expect((await sentPage(site, '/user?p=x&size=7&q=una', root)).location).toBe('/user?q=una');
  });
});

describe('the usage log', () => {
  beforeAll(async () => {
    const { orm } = site.api.deps.db;
    const call = {
      user_id: una.id,
      username: 'una',
      group_name: 'default',
      type: 2,
      model_name: 'gpt-4o',
      token_name: 't',
      content: '',
      other: {},
    };
    const yesterday = nowSec() - 86_400;
    await orm.insert(logs).values([
      { ...call, quota: 325, created_at: nowSec() - 5 },
      { ...call, type: 6, created_at: nowSec() - 5, other: { error: 'bad' } },
      { ...call, quota: 50_000, created_at: yesterday, model_name: 'from-yesterday' },
      { ...call, quota: 70_000, created_at: nowSec() - 80 * 86_400, model_name: 'from-the-quarter' },
    ]);
    await writeLog(orm, {
      type: 'activity',
      user: { id: una.id, username: 'una', group: 'default' },
      text: { zh: '活动奖励', en: 'Activity reward' },
      quota: 12,
    });
  });

  it('shows a small cost with its digits and never as 0.00', async () => {
    for (const [locale, words] of [
      ['en', '$0.00065'],
      ['zh', '¥0.004745'],
    ] as const) {
      const page = await sentPage(site, '/log?type=2&token=t', { ...user, locale });
      // Of the row, of this page, and of the sum.
      expect(page.words.split(words)).toHaveLength(4);
      expect(page.words).not.toMatch(/[$¥]0\.00 (?!left)/);
    }
  });

  it('offers free times: yesterday, ninety days, from and to', async () => {
    const today = await sentPage(site, '/log', user);
    for (const range of ['Yesterday', 'Last 90 days', 'From … to …']) expect(today.words).toContain(range);
    expect(today.words).not.toContain('from-yesterday');
    const yesterday = await sentPage(site, '/log?range=yesterday', user);
    expect(yesterday.words).toContain('from-yesterday');
    expect(yesterday.words).not.toContain('$0.00065');
    const quarter = await sentPage(site, '/log?range=90d', user);
    expect(quarter.words).toContain('from-the-quarter');
    const day = new Date((nowSec() - 86_400) * 1000).toISOString().slice(0, 10);
    const fixed = await sentPage(site, `/log?from=${day}&to=${day}`, user);
    expect(fixed.words).toContain('from-yesterday');
    expect(fixed.html).toContain(`value="${day}T00:00"`);
    expect(fixed.words).not.toContain('$0.00065');
  });

  it('counts the requests that the overview and the dashboard count, and tells of the failed ones apart', async () => {
    expect((await sentPage(site, '/log?token=t', user)).words).toContain('Successful requests 1 ');
    expect((await sentPage(site, '/log?type=6', user)).words).toMatch(/ Failed requests \d/);
    for (const path of ['/', '/detail']) {
      expect((await sentPage(site, path, user)).words).toMatch(/Successful requests .*Failed requests/);
    }
  });

  it('sums what its filters have, the type too', async () => {
    const page = await sentPage(site, '/log?type=5', user);
    expect(page.words).toContain('Credited $0.000024');
  });

  it('says what other parts wrote in the reader’s language', async () => {
    expect((await sentPage(site, '/log', user)).words).toContain('Activity reward');
    const zh = await sentPage(site, '/log', { ...user, locale: 'zh' });
    expect(zh.words).toContain('活动奖励');
    expect(zh.words).not.toContain('Activity reward');
  });
});

describe('a form that is sent to a page', () => {
  const send = (ip: string, body: BodyInit) =>
    fetch(`${site.base}/login`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': ip,
        cookie: 'lang=en',
        origin: site.base,
      },
      body,
    });
  /** What sends a form and none of its end, and what ends it. */
  const begin = (ip: string) => {
    const { readable, writable } = new TransformStream();
    const writer = writable.getWriter();
    void writer.write(new TextEncoder().encode('u')).catch(() => undefined);
    return { answer: send(ip, readable), end: () => writer.close() };
  };

  it('counts once among the calls of the API, before any of it is read', async () => {
    await site.api.deps.options.set({ ApiRateLimitAddress: '2' });
    try {
      const wrong = { username: 'nobody-of-this-name', password: 'not-a-password-of-his' };
      const whole = () => send('203.0.113.81', new URLSearchParams(wrong));
      const statuses = [(await whole()).status, (await whole()).status, (await whole()).status];
      expect(statuses).toEqual([200, 200, 429]);
      const begun = [1, 2, 3].map(() => begin('203.0.113.82'));
      expect((await Promise.race(begun.map(({ answer }) => answer))).status).toBe(429);
      await Promise.allSettled(begun.map(({ end }) => end()));
      const all = await Promise.all(begun.map(async ({ answer }) => (await answer).status));
      expect(all.sort()).toEqual([200, 200, 429]);
    } finally {
      await site.api.deps.options.set({ ApiRateLimitAddress: '100000' });
    }
  });
});

describe('a sample, a first call and the playground', () => {
  it('name no model that nothing prices, though it is the first of those that channels serve', async () => {
    const given = { name: 'c', type: 1, key: 'k', models: 'a-model,gpt-4o', group: 'default' };
    await root.client?.post('/api/channel/', given);
    const { id } =
      (await user.client?.post('/api/token/', { name: 'ci', unlimited_quota: true }))?.data ?? {};
    const { words } = await sentPage(site, '/');
    expect(/"model":"([^"]*)"/.exec(words)?.[1]).toBe('gpt-4o');
    // What is drawn in the browser comes with the page, too.
    for (const path of [`/token/code/${id}`, '/token/chat']) {
      const { html } = await sentPage(site, path, user);
      expect(['a-model', 'gpt-4o'].filter((name) => html.includes(name))).toEqual(['gpt-4o']);
    }
    await user.client?.put('/api/user/setting', { accept_unset_model_ratio_model: true });
    expect((await sentPage(site, '/token/chat', user)).html).toContain('a-model');
  });
});
