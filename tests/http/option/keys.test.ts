/** Keys whose address is another option: a stored one is used only at the place that it was given for. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type Client, openApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
let root: Client;
beforeAll(async () => {
  api = await openApi('pglite');
  root = await api.root();
}, 60_000);
afterAll(() => api.close());

describe('a key belongs to the place that it was given for', () => {
  const put = (key: string, value: string | null) => root.put('/api/option/', { key, value });
  const isKept = async () => {
    const { data } = await root.get('/api/option/');
    return data.find((row: { key: string }) => row.key === 'EpayKey').is_set;
  };
  const isOpen = async () => (await api.guest().get('/api/status')).data.enable_online_topup;

  it('and stays while its address only changes its path', async () => {
    // Whoever fills in the key first has given it for the address that follows.
    await put('EpayKey', 'of-the-first');
    await put('EpayId', '1001');
    await put('PayAddress', 'https://pay.example/');
    await put('PayAddress', 'https://PAY.example:443/gateway');
    expect([await isKept(), await isOpen()]).toEqual([true, true]);
  });

  it.each(['https://other.example/', 'http://pay.example/', 'https://pay.example:8443/', '', null])(
    'and goes when its address becomes %j',
    async (address) => {
      await put('PayAddress', 'https://pay.example/');
      await put('EpayKey', 'of-the-first');
      expect([await isKept(), await isOpen()]).toEqual([true, true]);
      await put('PayAddress', address);
      expect([await isKept(), await isOpen()]).toEqual([false, false]);
      const [{ id }] = (await root.get('/api/admin_action/?page_size=1')).data.items;
      const { text } = await root.get(`/api/admin_action/${id}`);
      expect(text).toContain('EpayKey');
      expect(text).not.toContain('of-the-first');
      await put('PayAddress', 'https://other.example/');
      expect(await isOpen()).toBe(false);
      await put('EpayKey', 'of-the-other');
      expect(await isOpen()).toBe(true);
    },
  );
});
