/**
 * Bundles the code of the console for browsers, in few files: what every page loads in files of its own kind, of the rest
 * together what is mostly loaded together.
 */
import { join } from 'node:path';
import compile from 'icu-minify/compile';
import { type OutputChunk, type Plugin, type RolldownOptions, rolldown } from 'rolldown';

/** What one file more costs a page, in bytes of code: a request, and a gzip that begins anew. */
const FILE_BYTES = 6000;

/** The page that most see first, with nothing in their browser's cache, counts as so many. */
const FIRST_PAGE = /^login\.page-/;
const FIRST_COUNTS = 3;

/** How many pages and late parts these are. */
const countOf = (users: Iterable<string>): number =>
  [...users].reduce((sum, user) => sum + (FIRST_PAGE.test(user) ? FIRST_COUNTS : 1), 0);

/** The files of what every page loads: they change at different times, so that a browser keeps most of them. */
const ALWAYS = [
  {
    name: 'react',
    test: /node_modules\/(react|react-dom|scheduler|use-sync-external-store)\/|rolldown\/runtime/,
  },
  { name: 'packages', test: /node_modules\// },
  { name: 'shell', test: /\/(web|src)\// },
].map((group, at, all) => ({ ...group, tags: ['$initial' as const], priority: all.length + 1 - at }));

/** Texts reach the browser compiled: it fills their holes and needs no parser. */
const compiledTexts: Plugin = {
  name: 'compiled texts',
  load: {
    filter: { id: /web\/locales\/\w+\/[\w-]+\.json$/ },
    async handler(path) {
      const texts: Record<string, string> = await Bun.file(path).json();
      const compiled = Object.entries(texts).map(([key, text]) => [key, compile(text)] as const);
      return { code: JSON.stringify(Object.fromEntries(compiled)), moduleType: 'json' };
    },
  },
};

/** The code for browsers from one entry, minified in production, else with a source map inside. */
export async function bundleClient(root: string, entry: string, production: boolean): Promise<OutputChunk[]> {
  const options: RolldownOptions = {
    input: join(root, entry),
    cwd: root,
    platform: 'browser',
    tsconfig: join(root, 'tsconfig.json'),
    resolve: { conditionNames: ['browser', production ? 'production' : 'development', 'import', 'default'] },
    transform: {
      define: { 'process.env.NODE_ENV': JSON.stringify(production ? 'production' : 'development') },
    },
    preserveEntrySignatures: 'allow-extension',
    plugins: [compiledTexts],
    // 'use client' means nothing here.
    checks: { moduleLevelDirective: false },
  };
  const bundle = await rolldown(options);
  const generate = async (chunkOf: ReadonlyMap<string, string>) => {
    const { output } = await bundle.generate({
      format: 'esm',
      minify: production,
      sourcemap: production ? false : 'inline',
      entryFileNames: '[name]-[hash].js',
      chunkFileNames: '[name]-[hash].js',
      codeSplitting: {
        groups: [
          ...ALWAYS,
          {
            name: (id) => chunkOf.get(id) ?? null,
            debugName: 'parts',
            includeDependenciesRecursively: false,
          },
        ],
      },
    });
    return output.filter((one) => one.type === 'chunk');
  };
  try {
    const parted = await generate(new Map());
    return production ? await generate(together(parted)) : parted;
  } finally {
    await bundle.close();
  }
}

/** A file of the bundler's own cut, or what becomes of several. */
interface Part {
  modules: string[];
  /** Of code that is not minified yet. */
  bytes: number;
  /** Which pages and late parts load it. */
  users: Set<string>;
  imports: Set<Part>;
}

/**
 * Which modules go into one file: of the bundler's own files each two become one for which all pages together load less, a
 * file counted as FILE_BYTES, until there are no such two. Those of one page alone stay its own.
 */
function together(chunks: readonly OutputChunk[]): Map<string, string> {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const closure = (file: string, found = new Set<string>()): Set<string> => {
    if (!found.has(file)) {
      found.add(file);
      for (const imported of byFile.get(file)?.imports ?? []) closure(imported, found);
    }
    return found;
  };
  const always = new Set(chunks.flatMap(({ isEntry, fileName }) => (isEntry ? [...closure(fileName)] : [])));
  const rest = chunks.filter(({ fileName }) => !always.has(fileName));

  const parts = new Map<string, Part>();
  for (const { fileName, modules } of rest) {
    const bytes = Object.values(modules).reduce((sum, { renderedLength }) => sum + renderedLength, 0);
    parts.set(fileName, { modules: Object.keys(modules), bytes, users: new Set(), imports: new Set() });
  }
  for (const { fileName, imports, isDynamicEntry } of rest) {
    for (const imported of imports) {
      const part = parts.get(imported);
      if (part) parts.get(fileName)?.imports.add(part);
    }
    if (isDynamicEntry) for (const file of closure(fileName)) parts.get(file)?.users.add(fileName);
  }

  const all = new Set(parts.values());
  const mergeable = rest.flatMap(({ fileName, isDynamicEntry }) =>
    isDynamicEntry ? [] : (parts.get(fileName) ?? []),
  );
  const merged = mergeAll(mergeable, all);
  return new Map(merged.flatMap(({ modules }, at) => modules.map((id) => [id, `part-${at}`] as const)));
}

/** A part and all that it imports. */
function reach(part: Part, found = new Set<Part>()): Set<Part> {
  if (!found.has(part)) {
    found.add(part);
    for (const imported of part.imports) reach(imported, found);
  }
  return found;
}

/** What the users of two save when both are one, in bytes; below zero they lose. */
function gainOf(one: Part, other: Part): number {
  const both = countOf(one.users.intersection(other.users));
  const saved = both * FILE_BYTES;
  // Most are settled by this, and need not be followed further.
  const [alone, otherAlone] = [countOf(one.users) - both, countOf(other.users) - both];
  if (saved <= alone * other.bytes + otherAlone * one.bytes) return 0;
  return saved - bytesNew(one, other) - bytesNew(other, one);
}

/** What those who load one would load in addition with the other, which brings what it imports. */
function bytesNew(one: Part, other: Part): number {
  const users = [...one.users.difference(other.users)];
  if (users.length === 0) return 0;
  const brought = [...reach(other)];
  return users.reduce(
    (sum, user) =>
      sum + countOf([user]) * brought.reduce((own, part) => own + (part.users.has(user) ? 0 : part.bytes), 0),
    0,
  );
}

/** Merges in place, the greatest gain first. */
function mergeAll(parts: readonly Part[], all: Set<Part>): Part[] {
  const left = new Set(parts);
  for (;;) {
    const pairs = [...left].flatMap((one, at, list) =>
      list.slice(at + 1).map((other) => ({ one, other, gain: gainOf(one, other) })),
    );
    const best = pairs
      .filter(({ gain }) => gain > 0)
      .sort((a, b) => b.gain - a.gain)
      .find(({ one, other }) => !isRound(one, other) && !isRound(other, one));
    if (!best) return [...left];
    const { one, other } = best;
    left.delete(other);
    all.delete(other);
    one.modules.push(...other.modules);
    one.bytes += other.bytes;
    one.users = one.users.union(other.users);
    one.imports = one.imports.union(other.imports).difference(new Set([one, other]));
    for (const { imports } of all) if (imports.delete(other)) imports.add(one);
    one.imports.delete(one);
    for (const part of reach(one)) part.users = part.users.union(one.users);
  }
}

/** Whether the way from one to the other leads by a third: as one file they would import it, and it them. */
function isRound(from: Part, to: Part): boolean {
  const seen = new Set<Part>([from, to]);
  const leads = (part: Part): boolean =>
    [...part.imports].some((next) => {
      if (next === to) return part !== from;
      if (seen.has(next)) return false;
      seen.add(next);
      return leads(next);
    });
  return leads(from);
}
