/**
 * Builds the console into dist/web and prints what it weighs. With --if-changed it does nothing while the sources are
 * those of the last build.
 */
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { BunPlugin } from 'bun';
import tailwind from 'bun-plugin-tailwind';
import compile from 'icu-minify/compile';

const root = join(import.meta.dir, '..');
const target = join(root, 'dist/web');
const stamp = join(root, 'dist/.built');
const PREFIX = '/_a/';
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

/** Texts reach the browser compiled: it fills their holes and needs no parser. */
const compiledTexts: BunPlugin = {
  name: 'compiled texts',
  setup(build) {
    build.onLoad({ filter: /web\/locales\/\w+\/[\w-]+\.json$/ }, async ({ path }) => {
      const texts: Record<string, string> = await Bun.file(path).json();
      const compiled = Object.entries(texts).map(([key, text]) => [key, compile(text)] as const);
      return { contents: JSON.stringify(Object.fromEntries(compiled)), loader: 'json' };
    });
  },
};

const startedAt = performance.now();
const work = join(root, `dist/.work-${process.pid}`);
const built = await Bun.build({
  entrypoints: [join(root, 'web/entry-client.tsx')],
  outdir: work,
  target: 'browser',
  splitting: true,
  minify: production,
  sourcemap: production ? 'none' : 'inline',
  naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
  publicPath: PREFIX,
  plugins: [tailwind, compiledTexts],
  define: { 'process.env.NODE_ENV': JSON.stringify(production ? 'production' : 'development') },
  conditions: production ? ['browser', 'production'] : ['browser'],
  env: 'disable',
  metafile: true,
});

if (!built.metafile) throw new Error('the bundler gave no metafile');

/** Output files by their source: every module lies in exactly one. */
const chunkOf = new Map<string, string>();
const importsOf = new Map<string, string[]>();
for (const [path, output] of Object.entries(built.metafile.outputs)) {
  const file = basename(path);
  if (!file.endsWith('.js')) continue;
  for (const source of Object.keys(output.inputs)) chunkOf.set(source, file);
  importsOf.set(
    file,
    output.imports.filter(({ kind }) => kind !== 'dynamic-import').map((one) => basename(one.path)),
  );
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
const css = built.outputs.map(({ path }) => basename(path)).filter((file) => file.endsWith('.css'));

// Compressed once, here: the server only picks what the browser takes.
const sizes = new Map<string, number>();
for (const output of built.outputs) {
  const bytes = new Uint8Array(await output.arrayBuffer());
  const file = join(work, basename(output.path));
  const gzip = Bun.gzipSync(bytes, { level: 9 });
  sizes.set(basename(output.path), gzip.length);
  await Bun.write(`${file}.gz`, gzip);
  const params = { [constants.BROTLI_PARAM_QUALITY]: production ? 11 : 4 };
  await Bun.write(`${file}.br`, brotliCompressSync(bytes, { params }));
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

await mkdir(target, { recursive: true });
const old = join(root, `dist/.old-${process.pid}`);
await rename(target, old);
await rename(work, target);
await rm(old, { recursive: true, force: true });
await Bun.write(stamp, hash);

if (!production) process.exit(0);

const KIB = 1024;
/** React and the router are 105 of them; the rest is the shell and every page's route. */
const SHARED_KIB_MAX = 157;
const PAGE_KIB_MAX = 45;
const CSS_KIB_MAX = 25;
const weight = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0) / KIB;
const line = (name: string, kib: number, max: number) =>
  `  ${name.padEnd(24)} ${kib.toFixed(1).padStart(6)} KiB gz${kib > max ? `  over ${max}` : ''}`;
console.log(
  [
    `built the console in ${Math.round(performance.now() - startedAt)} ms`,
    line('shared code', weight(shared), SHARED_KIB_MAX),
    line('texts (zh)', weight(locales.zh), PAGE_KIB_MAX),
    line('styles', weight(css), CSS_KIB_MAX),
    ...Object.entries(pages).map(([name, files]) => line(`page ${name}`, weight(files), PAGE_KIB_MAX)),
  ].join('\n'),
);
