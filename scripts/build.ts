/**
 * Builds the console into dist/web and prints what it weighs. With --if-changed it does nothing while the sources are
 * those of the last build. One that is heavier than it may be fails and leaves what stands; with --serve-heavy it is told,
 * and built all the same: who wants to serve it cannot mend it.
 */
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import tailwind from 'bun-plugin-tailwind';
import type { OutputChunk } from 'rolldown';
import en from '../web/locales/en.ts';
import zh from '../web/locales/zh.ts';
import { type BuiltCode, type BuiltFiles, overBudget, weighed } from './budget.ts';
import { bundleClient } from './client-chunks.ts';
import { iconFiles } from './icons.ts';

const root = join(import.meta.dir, '..');
const target = join(root, 'dist/web');
const stamp = join(root, 'dist/.built');
const ENTRY = 'web/entry-client.tsx';
const production = process.env.NODE_ENV !== 'development';

/** What a build depends on: the console, the core and the facts that it shares, the packages and this script. */
async function sourceHash(): Promise<string> {
  const patterns = [
    'web/**/*',
    'src/core/**/*',
    'src/modules/*/facts.ts',
    'bun.lock',
    'tsconfig.json',
    'scripts/{build,budget,icons}.ts',
    'scripts/client-*.ts',
  ];
  const files = (
    await Promise.all(patterns.map((pattern) => Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: root }))))
  ).flat();
  const hash = new Bun.CryptoHasher('sha256').update(production ? 'production' : 'development');
  for (const file of files.sort()) hash.update(file).update(await Bun.file(join(root, file)).bytes());
  return hash.digest('hex');
}

const mayBeHeavy = process.argv.includes('--serve-heavy');
const hash = await sourceHash();
/** A build that is too heavy is none for who does not ask to serve it. */
const heavyHash = `${hash} heavy`;
const stamped = await Bun.file(stamp)
  .text()
  .catch(() => '');
const isBuilt =
  (await Bun.file(join(target, 'manifest.json')).exists()) &&
  (stamped === hash || (mayBeHeavy && stamped === heavyHash));
if (process.argv.includes('--if-changed') && isBuilt) process.exit(0);

const startedAt = performance.now();
const work = join(root, `dist/.work-${process.pid}`);
const [chunks, styles] = await Promise.all([
  bundleClient(root, ENTRY, { production, texts: { zh, en } }),
  bundleStyles(),
]);

/** The styles of all pages, in one file. */
async function bundleStyles(): Promise<{ file: string; text: string }> {
  const { outputs } = await Bun.build({
    entrypoints: [join(root, 'web/styles/app.css')],
    minify: production,
    plugins: [tailwind],
  });
  const [output] = outputs;
  if (!output) throw new Error('the bundler gave no styles');
  const text = withoutAny(await output.text());
  return { file: `app-${Bun.hash(text).toString(36)}.css`, text };
}

/**
 * The bundler writes each rule with `:is()` also with its forerunners, for browsers that cannot run the console anyway. To
 * one that still knows them they weigh more than `:is()` does, and win over rules that are meant to win over them.
 */
function withoutAny(css: string): string {
  return css.replace(/[^{};]*:-(?:webkit|moz)-any\([^{}]*\{[^{}]*\}/g, '');
}

/** The files of a language: of the entry, of every page beside it, and of each page. */
function codeOf(all: readonly OutputChunk[]): BuiltCode {
  // Every module lies in exactly one file.
  const fileOf = new Map(
    all.flatMap(({ fileName, modules }) =>
      Object.keys(modules).map((id) => [relative(root, id), fileName] as const),
    ),
  );
  const importsOf = new Map(all.map(({ fileName, imports }) => [fileName, imports]));
  const need = (source: string): string => {
    const file = fileOf.get(source);
    if (!file) throw new Error(`${source} is in no output file`);
    return file;
  };
  /** A source's file with all that it imports at once. */
  const closure = (source: string): Set<string> => {
    const found = new Set<string>();
    const visit = (file: string) => {
      if (found.has(file)) return;
      found.add(file);
      for (const imported of importsOf.get(file) ?? []) visit(imported);
    };
    visit(need(source));
    return found;
  };
  const entry = need(ENTRY);
  const shared = closure(ENTRY);
  // A page that no route names yet is in no file.
  const sources = [...new Bun.Glob('web/pages/*.page.tsx').scanSync({ cwd: root })]
    .filter((source) => fileOf.has(source))
    .sort();
  return {
    entry,
    shared: [...shared].filter((file) => file !== entry),
    pages: Object.fromEntries(
      sources.map((source) => [
        basename(source, '.page.tsx'),
        [...closure(source)].filter((file) => !shared.has(file)),
      ]),
    ),
  };
}

const built: BuiltFiles = { css: [styles.file], code: { zh: codeOf(chunks.zh), en: codeOf(chunks.en) } };

// What asks for no texts is the same file in both languages.
const outputs = new Map<string, string>([[styles.file, styles.text]]);
for (const { fileName, code } of Object.values(chunks).flat()) {
  if (outputs.has(fileName) && outputs.get(fileName) !== code) throw new Error(`${fileName} is two files`);
  outputs.set(fileName, code);
}

// Compressed once, here: the server only picks what the browser takes.
const sizes = new Map<string, number>();
for (const [file, text] of outputs) {
  const bytes = new TextEncoder().encode(text);
  // libdeflate's best is 3 % less than zlib's, and takes a second for all of them.
  const gzip = Bun.gzipSync(bytes, { level: 12, library: 'libdeflate' });
  sizes.set(file, gzip.length);
  const params = { [constants.BROTLI_PARAM_QUALITY]: production ? 11 : 4 };
  await Bun.write(join(work, file), bytes);
  await Bun.write(join(work, `${file}.gz`), gzip);
  await Bun.write(join(work, `${file}.br`), brotliCompressSync(bytes, { params }));
}

const icons = iconFiles();
for (const [file, bytes] of icons) await Bun.write(join(work, file), bytes);

/** What the server reads at start: the files of every page, as `src/http/assets.ts` expects them. */
await Bun.write(
  join(work, 'manifest.json'),
  JSON.stringify({ ...built, files: [...sizes.keys()], icons: [...icons.keys()] }),
);

const weights = weighed(built, (file) => sizes.get(file) ?? 0);
const over = production ? overBudget(built, weights) : [];
if (production) {
  console.log(
    [
      `built the console in ${Math.round(performance.now() - startedAt)} ms`,
      ...weights.map(({ name, kib }) => `  ${name.padEnd(30)} ${kib.toFixed(1).padStart(6)} KiB gz`),
    ].join('\n'),
  );
}
if (over.length > 0) {
  console.error(`The console is heavier than it may be.\n  ${over.join('\n  ')}`);
  if (!mayBeHeavy) {
    await rm(work, { recursive: true, force: true });
    process.exit(1);
  }
}

await mkdir(target, { recursive: true });
const old = join(root, `dist/.old-${process.pid}`);
await rename(target, old);
await rename(work, target);
await rm(old, { recursive: true, force: true });
await Bun.write(stamp, over.length > 0 ? heavyHash : hash);
