import { expect, it } from 'bun:test';
import { overBudget, weighed } from './budget.ts';

const code = { entry: 'entry', shared: ['shell'], pages: { log: ['log', 'table'] } };
const KIB = 1024;

it('tells what is too heavy in either language, and what is too much', () => {
  const built = { css: ['css'], code: { zh: code, en: { ...code, shared: Array<string>(8).fill('shell') } } };
  const sizes: Record<string, number> = { entry: 1, shell: 16 * KIB, log: 30 * KIB, table: 25 * KIB, css: 1 };
  const all = weighed(built, (file) => sizes[file] ?? 0);
  expect(all.map(({ name }) => name)).toEqual([
    'styles',
    'shared code (zh)',
    'page log (zh)',
    'shared code (en)',
    'page log (en)',
  ]);
  expect(overBudget(built, all)).toEqual([
    expect.stringMatching(/^page log \(zh\): 55\.0 KiB of \d+$/),
    expect.stringMatching(/^page log \(en\): 55\.0 KiB of \d+$/),
    'shared files (en): 9 of 8',
  ]);
  const light = weighed({ ...built, code: { zh: code, en: code } }, () => KIB);
  expect(overBudget({ css: [], code: { zh: code, en: code } }, light)).toEqual([]);
});
