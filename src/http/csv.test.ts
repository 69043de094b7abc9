import { expect, it } from 'bun:test';
import { limits } from '../core/limits.ts';
import { createCutList } from '../platform/cut.ts';
import type { RequestContext } from './context.ts';
import { Sheets } from './csv.ts';

it('leave places to others than those of one range of addresses', async () => {
  const stopped = new AbortController();
  const sheets = new Sheets({
    cut: createCutList({ signal: stopped.signal }),
    stopping: { track: async (work) => work },
  });
  async function* pages() {
    yield 'a,b';
  }
  let users = 0;
  /** Places of one more user, who reads nothing. */
  const take = async (clientIp: string): Promise<number> => {
    const context = { viewer: { id: ++users }, clientIp } as RequestContext;
    for (let n = 0; n < limits.sheetsOfUser; n++) {
      const asked = { request: new Request('http://a/sheet', { signal: stopped.signal }), context };
      const opened = await sheets
        .answer(asked, () => ({ filename: 'a.csv', pages: pages() }))
        .catch(() => null);
      if (!opened) return n;
    }
    return limits.sheetsOfUser;
  };
  const places = async (addresses: string[]) => {
    let taken = 0;
    for (const address of addresses) taken += await take(address);
    return taken;
  };
  const hired = Array.from({ length: 10 }, (_, n) => `198.51.100.${n}`);
  expect(await places(hired)).toBe(limits.sheetsOfRange);
  expect(await places(hired.map((_, n) => `2001:db8:1:${n}::1`))).toBe(limits.sheetsOfNetwork);
  expect(await take('203.0.113.1')).toBe(limits.sheetsOfUser);
  stopped.abort();
  await Bun.sleep(0);
  expect(sheets.open).toBe(0);
});
