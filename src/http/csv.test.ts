import { expect, it } from 'bun:test';
import { fail } from '../core/errors.ts';
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
      const request = new Request('http://a/sheet', { signal: stopped.signal });
      const asked = { request, context, still: async () => undefined };
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

it('break off between two pages for a reader who may no more', async () => {
  const { signal } = new AbortController();
  const sheets = new Sheets({ cut: createCutList({ signal }), stopping: { track: async (work) => work } });
  let read = 0;
  let isOver = false;
  async function* pages() {
    try {
      for (; read < 3; read++) yield `page ${read}`;
    } finally {
      isOver = true;
    }
  }
  const context = { viewer: { id: 1 }, clientIp: '203.0.113.1' } as RequestContext;
  const still = async () => {
    if (read === 1) throw fail('SESSION_EXPIRED');
  };
  const asked = { request: new Request('http://a/sheet'), context, still };
  const answer = await sheets.answer(asked, () => ({ filename: 'a.csv', pages: pages() }));
  await expect(answer.text()).rejects.toThrow('broke off');
  expect({ read, isOver }).toEqual({ read: 1, isOver: true });
});
