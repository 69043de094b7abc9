/** What the browser is sent: how much of it, and nothing before it is used. */
import { beforeAll, expect, it } from 'bun:test';
import { join } from 'node:path';
import type { BuiltFiles } from '../../scripts/budget.ts';
import { build } from '../support/browser.ts';
import { builtFiles, builtText, gzippedBytes } from '../support/built.ts';
import { patience } from '../support/patience.ts';
import { figure, nameOf } from './point.ts';

const SHARED_MAX = 160;
const PAGE_MAX = 45;
const CHART_MAX = 150;
const KIB = 1024;
const FOLDER = join(import.meta.dir, '../../dist/web');
/** A name of a class that the chart library alone draws. */
const isChart = async (file: string): Promise<boolean> =>
  (await builtText(file)).includes('recharts-cartesian');

let built: BuiltFiles;
beforeAll(async () => {
  await build();
  built = await builtFiles();
}, patience(120_000));

it(nameOf(6), () => {
  let shared = 0;
  let heaviest = { page: '', kib: 0 };
  for (const code of Object.values(built.code)) {
    const kib = (files: readonly string[]) => files.reduce((sum, file) => sum + gzippedBytes(file), 0) / KIB;
    shared = Math.max(shared, kib([code.entry, ...code.shared]));
    for (const [page, files] of Object.entries(code.pages)) {
      // Whole, also where it shares files with the page that it lies over.
      if (kib(files) > heaviest.kib) heaviest = { page, kib: kib(files) };
    }
  }
  figure(
    6,
    `shared ${shared.toFixed(1)} KiB, the heaviest page ${heaviest.page} ${heaviest.kib.toFixed(1)} KiB`,
  );
  expect(shared).toBeLessThanOrEqual(SHARED_MAX);
  expect(heaviest.kib).toBeGreaterThan(10);
  expect(heaviest.kib).toBeLessThanOrEqual(PAGE_MAX);
});

it(nameOf(7), async () => {
  const faults: string[] = [];
  let heaviest = 0;
  for (const { entry, shared, pages } of Object.values(built.code)) {
    for (const [page, files] of Object.entries({ every: [entry, ...shared], ...pages })) {
      for (const file of files) if (await isChart(file)) faults.push(`${page} loads ${file} at once`);
    }
  }
  for (const file of new Bun.Glob('*.js').scanSync({ cwd: FOLDER })) {
    if (await isChart(file)) heaviest = Math.max(heaviest, gzippedBytes(file) / KIB);
  }
  figure(7, `its file is ${heaviest.toFixed(1)} KiB`);
  expect(faults).toEqual([]);
  expect(heaviest).toBeGreaterThan(10);
  expect(heaviest).toBeLessThanOrEqual(CHART_MAX);
});

it(nameOf(9), async () => {
  const faults: string[] = [];
  for (const [language, { entry, shared, pages }] of Object.entries(built.code)) {
    for (const file of [entry, ...shared, ...(pages.login ?? [])]) {
      const text = await builtText(file);
      for (const [what, mark] of Object.entries({
        chart: 'recharts',
        table: 'getCoreRowModel',
        select: 'downshift',
      }))
        if (text.includes(mark)) faults.push(`${file} (${language}) holds ${what}`);
    }
  }
  expect(faults).toEqual([]);
});
