/** Root registers applications. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { isRedirect } from '../../../src/modules/oauth-app/facts.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { REDIRECT, registerApp, signInAt } from '../../support/oauth-app.ts';

let api: TestApi;
let root: Client;
beforeAll(async () => {
  api = await openApi('postgres');
  root = await api.root();
});
afterAll(() => api.close());

const good = { name: 'Notebook', redirect_uris: [REDIRECT], scopes: ['profile'] };

it('shows a secret once, counts its users, and finds it by name and client id', async () => {
  const made = await root.post('/api/oauth_app/admin/', { ...good, name: 'Findable', confidential: true });
  expect(made.data).toMatchObject({ name: 'Findable', confidential: true, enabled: true, users: 0 });
  expect(made.data.client_id).toMatch(/^app_[a-z2-9]{24}$/);
  expect(made.data.client_secret).toMatch(/^oas_[\w-]{43}$/);
  const { id, client_id, client_secret } = made.data;
  await signInAt(
    api,
    { id, clientId: client_id, secret: client_secret },
    await api.as(await api.createUser()),
  );
  for (const keyword of ['findab', client_id]) {
    const list = await root.get(`/api/oauth_app/admin/?keyword=${keyword}`);
    expect(list.data).toMatchObject({ total: 1, items: [{ id, users: 1 }] });
    expect(list.text).not.toContain('client_secret');
  }
  expect((await root.get(`/api/oauth_app/admin/${id}`)).text).not.toContain('secret');
  expect((await root.get('/api/admin_action/')).text).not.toContain(client_secret);
});

it('makes a new secret in the place of the old one, and none for a public application', async () => {
  const app = await registerApp(root);
  const renewed = await root.post(`/api/oauth_app/admin/${app.id}/secret`);
  expect(renewed.data.client_secret).not.toBe(app.secret);
  const user = await api.as(await api.createUser());
  await expect(signInAt(api, app, user)).rejects.toThrow('invalid_client');
  await signInAt(api, { ...app, secret: renewed.data.client_secret }, user);
  const open = await registerApp(root, { confidential: false });
  expect(open.secret).toBeNull();
  expect(await root.post(`/api/oauth_app/admin/${open.id}/secret`)).toMatchObject({
    code: 'OAUTH_APP_PUBLIC',
  });
});

describe('what does not fit', () => {
  it.each([
    [{ name: ' ' }, 'OAUTH_APP_NAME'],
    [{ name: 'x'.repeat(51) }, 'OAUTH_APP_NAME'],
    [{ homepage: 'javascript:alert(1)' }, 'OAUTH_APP_HOMEPAGE'],
    [{ redirect_uris: [] }, 'OAUTH_APP_REDIRECTS'],
    [
      { redirect_uris: Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`) },
      'OAUTH_APP_REDIRECTS',
    ],
    [{ redirect_uris: ['https://*.example/back'] }, 'OAUTH_APP_REDIRECT'],
    [{ scopes: [] }, 'OAUTH_APP_SCOPES'],
    [{ scopes: ['profile', 'admin'] }, 'OAUTH_APP_SCOPES'],
  ])('%p is refused and changes nothing', async (over, code) => {
    const before = (await root.get('/api/oauth_app/admin/')).data.total;
    expect(await root.post('/api/oauth_app/admin/', { ...good, ...over })).toMatchObject({
      success: false,
      code,
    });
    expect((await root.get('/api/oauth_app/admin/')).data.total).toBe(before);
    const { id } = await registerApp(root);
    const was = (await root.get(`/api/oauth_app/admin/${id}`)).data;
    expect(await root.put(`/api/oauth_app/admin/${id}`, over)).toMatchObject({ success: false, code });
    expect((await root.get(`/api/oauth_app/admin/${id}`)).data).toEqual(was);
  });

  it.each(['get', 'put', 'del'] as const)('an id that nobody has is not found: %s', async (method) => {
    expect(await root[method]('/api/oauth_app/admin/999999')).toMatchObject({ code: 'NOT_FOUND' });
  });
});

it.each([
  ['https://app.example/back', true],
  ['https://app.example:8443/back?x=1', true],
  ['http://127.0.0.1/back', true],
  ['http://127.0.0.1:8000/back', true],
  ['http://[::1]:8000/back', true],
  ['http://localhost:3000/', true],
  ['com.example.app:/back', true],
  ['notebook://back', true],
  ['http://app.example/back', false],
  ['http://127.0.0.1.evil.example/', false],
  ['http://localhost', true],
  ['https://app.example/back#x', false],
  ['https://user:pass@app.example/', false],
  ['https:app.example', false],
  ['https://app.example\\@evil.example/', false],
  ['javascript:alert(1)', false],
  ['JavaScript:alert(1)', false],
  ['data:text/html,x', false],
  ['file:///etc/passwd', false],
  ['app.example/back', false],
  ['/back', false],
])('%s may be registered: %p', (address, fits) => {
  expect(isRedirect(address)).toBe(fits);
});
