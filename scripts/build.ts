/**
 * Builds the console into dist/web and prints what it weighs. With --if-changed it does nothing while the sources are
 * those of the last build.
 */
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import tailwind from 'bun-plugin-tailwind';
import { bundleClient } from './client-chunks.ts';

const root = join(import.meta.dir, '..');
const target = join(root, 'dist/web');
const stamp = join(root, 'dist/.built');
const production = process.env.NODE_ENV !== 'development';

/** What a build depends on: the console, the core and the facts that it shares, the packages and this script. */
async function sourceHash(): Promise<string> {
  const patterns = [
    'web/**/*',
    'src/core/**/*',
    'src/modules/*/facts.ts',
    'bun.lock',
    'tsconfig.json',
    'scripts/build.ts',
    'scripts/client-chunks.ts',
  ];
  const files = (
    await Promise.all(patterns.map((pattern) => Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: root }))))
  ).flat();
  const hash = new Bun.CryptoHasher('sha256').update(production ? 'production' : 'development');
  for (const file of files.sort()) hash.update(file).update(await Bun.file(join(root, file)).bytes());
  return hash.digest('hex');
}

const hash = await sourceHash();
const isBuilt =
  (await Bun.file(join(target, 'manifest.json')).exists()) &&
  (await Bun.file(stamp)
    .text()
    .catch(() => '')) === hash;
if (process.argv.includes('--if-changed') && isBuilt) process.exit(0);

const startedAt = performance.now();
const work = join(root, `dist/.work-${process.pid}`);
const [chunks, styles] = await Promise.all([
  bundleClient(root, 'web/entry-client.tsx', production),
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

/** Output files by their source: every module lies in exactly one. */
const chunkOf = new Map<string, string>();
const importsOf = new Map<string, string[]>();
for (const { fileName, imports, modules } of chunks) {
  for (const id of Object.keys(modules)) chunkOf.set(relative(root, id), fileName);
  importsOf.set(fileName, imports);
}

function need(source: string): string {
  const file = chunkOf.get(source);
  if (!file) throw new Error(`${source} is in no output file`);
  return file;
}

/** A source's file with all that it imports at once. */
function closure(source: string): Set<string> {
  const found = new Set<string>();
  const visit = (file: string) => {
    if (found.has(file)) return;
    found.add(file);
    for (const imported of importsOf.get(file) ?? []) visit(imported);
  };
  visit(need(source));
  return found;
}

const entry = need('web/entry-client.tsx');
const shared = closure('web/entry-client.tsx');
const own = (source: string) => [...closure(source)].filter((file) => !shared.has(file));
// A page that no route names yet is in no file.
const pageSources = [...new Bun.Glob('web/pages/*.page.tsx').scanSync({ cwd: root })]
  .filter((source) => chunkOf.has(source))
  .sort();
const pages = Object.fromEntries(pageSources.map((source) => [basename(source, '.page.tsx'), own(source)]));
const locales = { zh: own('web/locales/zh.ts'), en: own('web/locales/en.ts') };
const css = [styles.file];

// Compressed once, here: the server only picks what the browser takes.
const sizes = new Map<string, number>();
for (const { file, text } of [
  styles,
  ...chunks.map(({ fileName, code }) => ({ file: fileName, text: code })),
]) {
  const bytes = new TextEncoder().encode(text);
  const gzip = Bun.gzipSync(bytes, { level: 9 });
  sizes.set(file, gzip.length);
  const params = { [constants.BROTLI_PARAM_QUALITY]: production ? 11 : 4 };
  await Bun.write(join(work, file), bytes);
  await Bun.write(join(work, `${file}.gz`), gzip);
  await Bun.write(join(work, `${file}.br`), brotliCompressSync(bytes, { params }));
}

/** What the server reads at start: the files of every page, as `src/http/assets.ts` expects them. */
const manifest = {
  entry,
  css,
  shared: [...shared].filter((file) => file !== entry),
  locales,
  pages,
  files: [...sizes.keys()],
};
await Bun.write(join(work, 'manifest.json'), JSON.stringify(manifest));

const KIB = 1024;
/** React and the router are 105 of them; the rest is the shell and every page's route. */
const SHARED_KIB_MAX = 135;
const SHARED_FILES_MAX = 8;
const PAGE_KIB_MAX = 45;
const CSS_KIB_MAX = 25;
const weight = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0) / KIB;
const weighed = [
  { name: 'shared code', kib: weight(shared), max: SHARED_KIB_MAX },
  { name: 'texts (zh)', kib: weight(locales.zh), max: PAGE_KIB_MAX },
  { name: 'styles', kib: weight(css), max: CSS_KIB_MAX },
  ...Object.entries(pages).map(([name, files]) => ({
    name: `page ${name}`,
    kib: weight(files),
    max: PAGE_KIB_MAX,
  })),
];
const isOver = weighed.some(({ kib, max }) => kib > max) || shared.size > SHARED_FILES_MAX;

if (production) {
  console.log(
    [
      `built the console in ${Math.round(performance.now() - startedAt)} ms`,
      ...weighed.map(
        ({ name, kib, max }) =>
          `  ${name.padEnd(24)} ${kib.toFixed(1).padStart(6)} KiB gz${kib > max ? `  over ${max}` : ''}`,
      ),
      `  ${shared.size} shared files of ${SHARED_FILES_MAX}`,
    ].join('\n'),
  );
}
// What stands is kept: a console that has grown too heavy is mended, not served.
if (production && isOver) {
  await rm(work, { recursive: true, force: true });
  console.error('The console is heavier than it may be.');
  process.exit(1);
}

await mkdir(target, { recursive: true });
const old = join(root, `dist/.old-${process.pid}`);
await rename(target, old);
await rename(work, target);
await rm(old, { recursive: true, force: true });
await Bun.write(stamp, hash);
