import { expect, it } from 'bun:test';
import { type CutFile, together } from './client-chunks.ts';

const file = (name: string, bytes: number, imports: string[] = [], more: Partial<CutFile> = {}): CutFile => ({
  name,
  modules: [`${name}.ts`],
  bytes,
  imports,
  isEntry: false,
  asked: null,
  ...more,
});
const asked = (name: string, imports: string[], as: CutFile['asked'] = 'page') =>
  file(name, 100, imports, { asked: as });

/** The files that are made, by the names of their modules. */
const made = (files: CutFile[]) =>
  [...Map.groupBy(together(files), ([, part]) => part).values()]
    .map((modules) => modules.map(([id]) => id.replace('.ts', '')).sort())
    .sort();

it('makes one file of what is always loaded together, and of what costs less than a request', () => {
  const files = [
    asked('log', ['table', 'drawer', 'chart']),
    asked('user', ['table', 'drawer', 'tiny']),
    file('table', 50_000),
    file('drawer', 40_000),
    file('chart', 90_000),
    // Of little weight: who does not need it loses less by it than a file of its own costs the other.
    file('tiny', 500),
  ];
  expect(made(files)).toEqual([['chart'], ['drawer', 'table', 'tiny']]);
});

it('keeps apart what few of its users would need, and the more so the page that most see first', () => {
  const shares = (page: string) => [
    asked(page, ['small']),
    asked('log', ['small', 'large']),
    file('small', 1_000),
    file('large', 4_000),
  ];
  expect(made(shares('token'))).toEqual([['large', 'small']]);
  expect(made(shares('login.page-1'))).toEqual([['large'], ['small']]);
});

it('has a page load less of what comes later, and least of late parts', () => {
  const shares = (as: CutFile['asked'], bytes: number) => [
    asked('token', ['small']),
    asked('edit', ['small', 'form'], as),
    file('small', 1_000),
    file('form', bytes),
  ];
  const apart = [['form'], ['small']];
  expect(made(shares('page', 4_000))).toEqual([['form', 'small']]);
  expect(made(shares('drawer', 4_000))).toEqual(apart);
  expect(made(shares('drawer', 2_000))).toEqual([['form', 'small']]);
  expect(made(shares('part', 2_000))).toEqual(apart);
});

it('leaves what every page loads, and the pages themselves, where they are', () => {
  const files = [
    file('entry', 10, ['shell'], { isEntry: true }),
    file('shell', 10),
    asked('log', ['shell', 'table']),
    file('table', 10, ['shell']),
  ];
  expect(made(files)).toEqual([['table']]);
});

it('makes no file of two between which a third stands, so that they would import each other', () => {
  const files = [
    asked('log', ['top']),
    asked('user', ['top']),
    file('top', 1_000, ['middle']),
    file('base', 1_000),
  ];
  expect(made([...files, file('middle', 1_000, ['base'])])).toEqual([['base', 'middle', 'top']]);
  // Asked for by its own name it stays a file of its own.
  expect(made([...files, asked('middle', ['base'])])).toEqual([['base'], ['top']]);
});
