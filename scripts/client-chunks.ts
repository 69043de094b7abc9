/**
 * Bundles the code of the console for browsers, in few files: what every page loads in files of its own kind, of the rest
 * together what is mostly loaded together. Each file brings the texts that its code asks for, so there is one of each
 * language, but for those that ask for none.
 */
import { join } from 'node:path';
import { type OutputChunk, type Plugin, type RolldownOptions, rolldown } from 'rolldown';
import type { Locale } from '../src/core/text.ts';
import { bringing, type CodeFile, keysBrought, keysIn, type Texts } from './client-texts.ts';

/** What one file more costs a page, in bytes of code: a request, and a gzip that begins anew. */
const FILE_BYTES = 6000;

/** How many bytes of code that is not minified yet weigh as much as one of a text, which stays as it is. */
const TEXT_WEIGHT = 2;

const PAGE = /\.page-/;

/** The page that most see first, with nothing in their browser's cache, counts as so many. */
const FIRST_PAGE = /^login\.page-/;
const FIRST_COUNTS = 3;

/**
 * As how much of a page the others count. What comes later is asked for by a page that can be used already: of a drawer the
 * frame stands there meanwhile, and late parts lie on pages that have most of what they need.
 */
const COUNTS = { page: 1, drawer: 0.5, part: 0.1 };

type Asked = keyof typeof COUNTS;

/** How many pages these count as. */
const countOf = (users: Iterable<User>): number => [...users].reduce((sum, { count }) => sum + count, 0);

/** The files of what every page loads: they change at different times, so that a browser keeps most of them. */
const ALWAYS = [
  {
    name: 'react',
    test: /node_modules\/(react|react-dom|scheduler|use-sync-external-store)\/|rolldown\/runtime/,
  },
  { name: 'packages', test: /node_modules\// },
  { name: 'shell', test: /\/(web|src)\// },
].map((group, at, all) => ({ ...group, tags: ['$initial' as const], priority: all.length + 1 - at }));

/**
 * Read by Chromium (v8.dev, explicit compile hints): it compiles such a file whole while it arrives, beside the page, instead
 * of each function when it is first called. A list on a slow line can be used some 20 ms earlier.
 */
const COMPILED_AT_ONCE = '//# allFunctionsCalledOnLoad';

/** A file with all that it imports at once. */
function closureOf(
  name: string,
  importsOf: (name: string) => readonly string[] | undefined,
  found = new Set<string>(),
): Set<string> {
  if (!found.has(name)) {
    found.add(name);
    for (const imported of importsOf(name) ?? []) closureOf(imported, importsOf, found);
  }
  return found;
}

/**
 * Has what a file asks for later fetched together with all that it imports: else a browser would learn of that a round trip
 * later, from what it has fetched. Pages are left as they are: theirs the document tells, and a link that is reached for.
 */
const atOnce: Plugin = {
  name: 'at-once',
  renderChunk(code, { fileName, isEntry }, _options, { chunks }) {
    if (isEntry) return null;
    const importsOf = (name: string) => chunks[name]?.imports;
    const entries = Object.values(chunks).filter((chunk) => chunk.isEntry);
    const loaded = new Set(
      [fileName, ...entries.map((entry) => entry.fileName)].flatMap((name) => [
        ...closureOf(name, importsOf),
      ]),
    );
    return code.replace(/\bimport\("\.\/([^"]+)"\)/g, (asked, file) => {
      const more = [...closureOf(file, importsOf)].filter((name) => name !== file && !loaded.has(name));
      if (more.length === 0) return asked;
      return `Promise.all([${[file, ...more].map((name) => `import("./${name}")`)}]).then((all) => all[0])`;
    });
  },
};

/** Puts before each file the texts that it must bring. */
const withTexts = (texts: Texts, keysOf: (ids: readonly string[]) => Set<string>): Plugin => {
  let brought: Map<string, string[]> | undefined;
  return {
    name: 'texts',
    renderChunk(code, { fileName }, _options, { chunks }) {
      brought ??= keysBrought(
        new Map(
          Object.values(chunks).map((chunk): [string, CodeFile] => [
            chunk.fileName,
            { imports: chunk.imports, keys: keysOf(chunk.moduleIds) },
          ]),
        ),
      );
      // On the first line, of imports: a map of the rest stays right.
      return { code: bringing(brought.get(fileName) ?? [], texts) + code, map: null };
    },
  };
};

/**
 * The code for browsers from one entry, by language, minified in production, else with a source map inside. Throws where
 * it asks for a text that is not known.
 */
export async function bundleClient(
  root: string,
  entry: string,
  { production, texts }: { production: boolean; texts: Readonly<Record<Locale, Texts>> },
): Promise<Record<Locale, OutputChunk[]>> {
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
    // 'use client' means nothing here.
    checks: { moduleLevelDirective: false },
  };
  const bundle = await rolldown(options);
  const generate = async (chunkOf: ReadonlyMap<string, string>, plugins: Plugin[] = []) => {
    const { output } = await bundle.generate({
      format: 'esm',
      minify: production,
      sourcemap: production ? false : 'inline',
      // What told the bundler what may be left out says nothing to browsers.
      comments: { annotation: !production, jsdoc: !production },
      entryFileNames: '[name]-[hash].js',
      chunkFileNames: '[name]-[hash].js',
      ...(production && {
        postBanner: ({ name, isEntry }) =>
          isEntry || ALWAYS.some((group) => group.name === name) ? COMPILED_AT_ONCE : '',
      }),
      // It gives no map of what it changes: those of a development build would point beside it.
      plugins: production ? [atOnce, ...plugins] : plugins,
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
    const nowhere = new Map<string, string>();
    const parted = await generate(nowhere);
    const keys = keysOfModules(parted, new Set(Object.keys(texts.zh)));
    const textBytes = (id: string) =>
      [...(keys.get(id) ?? [])].reduce(
        (sum, key) => sum + key.length + Buffer.byteLength(texts.zh[key] ?? ''),
        0,
      );
    const chunkOf = production ? together(parted.map((chunk) => fileOf(chunk, textBytes))) : nowhere;
    const keysOf = (ids: readonly string[]) => new Set(ids.flatMap((id) => [...(keys.get(id) ?? [])]));
    return {
      zh: await generate(chunkOf, [withTexts(texts.zh, keysOf)]),
      en: await generate(chunkOf, [withTexts(texts.en, keysOf)]),
    };
  } finally {
    await bundle.close();
  }
}

/** Packages have no texts of ours. */
const isOurs = (id: string) => /\/(web|src)\//.test(id) && !id.includes('/node_modules/');

/** The keys of each module's code, once nothing is left in it that nobody uses. */
function keysOfModules(chunks: readonly OutputChunk[], known: ReadonlySet<string>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { modules } of chunks) {
    for (const [id, { code }] of Object.entries(modules)) {
      if (code && isOurs(id)) found.set(id, keysIn(code, known));
    }
  }
  return found;
}

/** A file of the bundler's own cut. */
export interface CutFile {
  name: string;
  /** The ids of its modules. */
  modules: string[];
  /** Of code that is not minified yet, and as much as the texts that it asks for weigh beside that. */
  bytes: number;
  imports: readonly string[];
  isEntry: boolean;
  /** As what it is asked for by its own name. */
  asked: Asked | null;
}

const fileOf = (chunk: OutputChunk, textBytes: (id: string) => number): CutFile => ({
  name: chunk.fileName,
  modules: Object.keys(chunk.modules),
  bytes: Object.entries(chunk.modules).reduce(
    (sum, [id, one]) => sum + one.renderedLength + TEXT_WEIGHT * textBytes(id),
    0,
  ),
  imports: chunk.imports,
  isEntry: chunk.isEntry,
  asked: askedAs(chunk),
});

/** Drawers are in files of pages, and their components are not called one. */
function askedAs({ fileName, exports, isDynamicEntry }: OutputChunk): Asked | null {
  if (!isDynamicEntry) return null;
  if (!PAGE.test(fileName)) return 'part';
  return exports.some((name) => name.endsWith('Page')) ? 'page' : 'drawer';
}

/** What is asked for by its own name. */
interface User {
  count: number;
}

/** Such a file, or what becomes of several. */
interface Part {
  modules: string[];
  bytes: number;
  /** Which load it. */
  users: Set<User>;
  imports: Set<Part>;
}

/**
 * Which modules go into one file: of the bundler's own files each two become one for which all pages together load less, a
 * file counted as FILE_BYTES, until there are no such two. Those of one page alone stay its own.
 */
export function together(files: readonly CutFile[]): Map<string, string> {
  const byName = new Map(files.map((file) => [file.name, file]));
  const closure = (name: string) => closureOf(name, (one) => byName.get(one)?.imports);
  const always = new Set(files.flatMap(({ isEntry, name }) => (isEntry ? [...closure(name)] : [])));
  const rest = files.filter(({ name }) => !always.has(name));

  const parts = new Map<string, Part>();
  for (const { name, modules, bytes } of rest) {
    parts.set(name, { modules: [...modules], bytes, users: new Set(), imports: new Set() });
  }
  for (const { name, imports, asked } of rest) {
    for (const imported of imports) {
      const part = parts.get(imported);
      if (part) parts.get(name)?.imports.add(part);
    }
    if (asked === null) continue;
    const user = { count: FIRST_PAGE.test(name) ? FIRST_COUNTS : COUNTS[asked] };
    for (const file of closure(name)) parts.get(file)?.users.add(user);
  }

  const all = new Set(parts.values());
  const mergeable = rest.flatMap(({ name, asked }) => (asked === null ? (parts.get(name) ?? []) : []));
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
