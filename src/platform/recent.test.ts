import { describe, expect, it } from 'bun:test';
import { createRecent } from './recent.ts';

/** Asks that are answered by hand. */
function open(isKept?: (answer: string) => boolean) {
  let now = 0;
  const recent = createRecent<string>({ keepMs: 5, max: 2, ...(isKept && { isKept }) }, () => now);
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
