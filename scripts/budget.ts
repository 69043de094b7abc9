/** What the console may weigh: said here alone, for the build, which fails over it, and for the tests. */

import type { Locale } from '../src/core/text.ts';

/** Files by what asks for them. */
export interface BuiltFiles {
  css: string[];
  code: Record<Locale, BuiltCode>;
}

/** The code of a language, with its texts. */
export interface BuiltCode {
  entry: string;
  /** What every page needs beside the entry. */
  shared: string[];
  /** By page: what it needs beside those. */
  pages: Record<string, string[]>;
}

/**
 * In KiB, compressed by gzip, with the texts of a language. React and the router are 105 of what is shared; the rest is the
 * shell and every page's route.
 */
const MOST = { shared: 133, page: 45, css: 25 };
const SHARED_FILES_MAX = 8;

export interface Weighed {
  name: string;
  kib: number;
  max: number;
}

const KIB = 1024;

/** All that has a budget, with what it weighs; `bytesOf` tells that of a file. */
export function weighed({ css, code }: BuiltFiles, bytesOf: (file: string) => number): Weighed[] {
  const kib = (files: readonly string[]) => files.reduce((sum, file) => sum + bytesOf(file), 0) / KIB;
  const ofLanguage = ([language, { entry, shared, pages }]: [string, BuiltCode]): Weighed[] => [
    { name: `shared code (${language})`, kib: kib([entry, ...shared]), max: MOST.shared },
    ...Object.entries(pages).map(([page, files]) => ({
      name: `page ${page} (${language})`,
      kib: kib(files),
      max: MOST.page,
    })),
  ];
  return [{ name: 'styles', kib: kib(css), max: MOST.css }, ...Object.entries(code).flatMap(ofLanguage)];
}

/** What is too heavy or too much, in words; nothing where all is within its budget. */
export function overBudget(built: BuiltFiles, all: readonly Weighed[]): string[] {
  const heavy = all
    .filter(({ kib, max }) => kib > max)
    .map(({ name, kib, max }) => `${name}: ${kib.toFixed(1)} KiB of ${max}`);
  const many = Object.entries(built.code).flatMap(([language, { shared }]) =>
    shared.length + 1 > SHARED_FILES_MAX
      ? [`shared files (${language}): ${shared.length + 1} of ${SHARED_FILES_MAX}`]
      : [],
  );
  return [...heavy, ...many];
}
