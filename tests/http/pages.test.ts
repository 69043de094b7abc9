/** Pages as the server sends them: who gets which, with which status, and where they lead from there. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { TestUser } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { type Reader, readerOf, sentPage } from '../support/pages.ts';

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
}, 120_000);
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

  it('is shown as what the rule says, not as a fault of the server', async () => {
    // A table that is locked: the log's own deadline refuses with words for the reader.
    await site.api.deps.db.orm.transaction(async (tx) => {
      await tx.execute('lock table logs in access exclusive mode');
      const page = await sentPage(site, '/log', user);
      expect(page.status).toBe(503);
      expect(page.words).toContain('The query took too long, please narrow the time range');
      expect(page.links).toContain('/');
    });
  }, 30_000);
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
