/** No point is lost: each of the sixty has its test, here or where it is told. */
import { expect, it } from 'bun:test';
import { join } from 'node:path';
import { ELSEWHERE, pointsIn } from './elsewhere.ts';
import { POINTS } from './words.ts';

const root = join(import.meta.dir, '../..');

it('every point is proven somewhere, and every proof is there', async () => {
  const own = new Set<number>();
  for (const file of new Bun.Glob('*.test.ts').scanSync({ cwd: import.meta.dir })) {
    const text = await Bun.file(join(import.meta.dir, file)).text();
    for (const number of pointsIn(text)) own.add(number);
  }
  const numbers = Array.from({ length: 60 }, (_, n) => n + 1);
  expect(Object.keys(POINTS).map(Number)).toEqual(numbers);
  expect(numbers.filter((number) => !own.has(number) && !(number in ELSEWHERE))).toEqual([]);
  for (const { file, tests } of Object.values(ELSEWHERE).flat()) {
    const text = await Bun.file(join(root, file)).text();
    expect({ file, missing: tests.filter((name) => !text.includes(name)) }).toEqual({ file, missing: [] });
  }
});
