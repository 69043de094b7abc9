import { describe, expect, it } from 'bun:test';
import { createRecent } from './recent.ts';

/** Asks that are answered by hand. */
function open(isKept?: (answer: string) => boolean, ownerOf?: (answer: string) => string | null) {
  let now = 0;
  const bounds = { keepMs: 5, max: 2, ...(isKept && { isKept }), ...(ownerOf && { ownerOf }) };
  const recent = createRecent<string>(bounds, () => now);
  const asked: { answer(text: string): void; fail(): void }[] = [];
  const get = (key: string) =>
    recent.get(
      key,
      () =>
        new Promise((resolve, reject) =>
          asked.push({ answer: resolve, fail: () => reject(new Error('no')) }),
        ),
    );
  const wait = (ms: number): void => {
    now += ms;
  };
  return { recent, asked, get, wait };
}

describe('recent answers', () => {
  it('are asked for once at once, and again when they are old', async () => {
    const { asked, get, wait } = open();
    const both = Promise.all([get('a'), get('a')]);
    asked[0]?.answer('one');
    expect(await both).toEqual(['one', 'one']);
    wait(4);
    expect(await get('a')).toBe('one');
    wait(1);
    const again = get('a');
    asked[1]?.answer('two');
    expect(await again).toBe('two');
    expect(asked).toHaveLength(2);
  });

  it('are not kept when they were asked for before everything was dropped', async () => {
    const { recent, asked, get } = open();
    const early = get('a');
    recent.drop();
    const late = get('a');
    asked[1]?.answer('after');
    expect(await late).toBe('after');
    asked[0]?.answer('before');
    expect(await early).toBe('before');
    expect(await get('a')).toBe('after');
  });

  describe('of owners', () => {
    /** The first letter is whose it is; of what has none everybody's drop is meant. */
    const owned = () => open(undefined, (answer) => (answer.startsWith('-') ? null : answer.slice(0, 1)));

    it('go with their own owner alone, and nobody’s with anybody', async () => {
      const { recent, asked, get } = owned();
      const all = Promise.all([get('a'), get('-')]);
      asked[0]?.answer('x1');
      asked[1]?.answer('-1');
      expect(await all).toEqual(['x1', '-1']);
      recent.drop('y');
      expect(await get('a')).toBe('x1');
      const nobodys = get('-');
      asked[2]?.answer('-2');
      expect(await nobodys).toBe('-2');
      recent.drop('x');
      const own = get('a');
      asked[3]?.answer('x2');
      expect(await own).toBe('x2');
      recent.drop();
      void get('a');
      expect(asked).toHaveLength(5);
    });

    it('are shared with nobody who asks after a drop, and kept where another was meant', async () => {
      const { recent, asked, get } = owned();
      const early = Promise.all([get('a'), get('b')]);
      recent.drop('x');
      const late = get('b');
      asked[0]?.answer('y1');
      asked[1]?.answer('x1');
      expect(await early).toEqual(['y1', 'x1']);
      asked[2]?.answer('x2');
      expect(await late).toBe('x2');
      expect([await get('a'), await get('b')]).toEqual(['y1', 'x2']);
      expect(asked).toHaveLength(3);
      const again = owned();
      const dropped = again.get('a');
      again.recent.drop('x');
      again.asked[0]?.answer('x1');
      await dropped;
      void again.get('a');
      expect(again.asked).toHaveLength(2);
    });

    it('go all when more owners were dropped than there is room for', async () => {
      const { recent, asked, get } = owned();
      const one = get('a');
      asked[0]?.answer('x1');
      await one;
      for (const owner of ['p', 'q']) recent.drop(owner);
      expect(await get('a')).toBe('x1');
      recent.drop('r');
      void get('a');
      expect(asked).toHaveLength(2);
    });
  });

  it('are few, and none of a fault or of what is not worth it', async () => {
    const { asked, get } = open((answer) => answer !== 'nobody');
    const failed = get('a');
    asked[0]?.fail();
    await expect(failed).rejects.toThrow('no');
    const nobody = get('a');
    asked[1]?.answer('nobody');
    await nobody;
    for (const [n, key] of ['a', 'b', 'c'].entries()) {
      const one = get(key);
      asked[2 + n]?.answer(key);
      await one;
    }
    expect(await get('c')).toBe('c');
    expect(asked).toHaveLength(5);
    void get('a').catch(() => null);
    expect(asked).toHaveLength(6);
  });
});
