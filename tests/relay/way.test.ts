import { beforeAll, describe, expect, it } from 'bun:test';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');
/** A line of the README's list: its number and its file. */
const LINE = /^ ?(\d+) {2}(src\/\S+\.ts) {2,}\S/gm;
/** What is said below it, and the files of the relay that are named there. */
const BELOW = /^14 {2}.*\n```\n([^#]+)^## /m;
const NAMED = /`([\w/-]+\.ts)`/g;

const transpiler = new Bun.Transpiler({ loader: 'ts' });
const imports = new Map<string, Promise<string[]>>();

/** The files of ours that a file imports; types are none. */
function importsOf(file: string): Promise<string[]> {
  const known = imports.get(file) ?? readImports(file);
  imports.set(file, known);
  return known;
}

async function readImports(file: string): Promise<string[]> {
  const found = transpiler.scanImports(await Bun.file(join(ROOT, file)).text());
  return found
    .map(({ path }) => path)
    .filter((path) => path.startsWith('.') && path.endsWith('.ts'))
    .map((path) => join(dirname(file), path));
}

/** All files that one needs, by way of others too. */
async function reachOf(file: string): Promise<ReadonlySet<string>> {
  const reach = new Set<string>();
  const open = [file];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const next of await importsOf(at)) {
      if (!reach.has(next)) open.push(next);
      reach.add(next);
    }
  }
  return reach;
}

describe("the README's way of a chat call", () => {
  let numbers: number[];
  let files: string[];
  let named: string[];
  beforeAll(async () => {
    const readme = await Bun.file(join(ROOT, 'README.md')).text();
    const lines = [...readme.matchAll(LINE)];
    numbers = lines.map(([, number]) => Number(number));
    files = lines.map(([, , file = '']) => file);
    const [, below = ''] = BELOW.exec(readme) ?? [];
    named = [...below.matchAll(NAMED)].map(([, file]) => `src/relay/${file}`);
  });

  it('is a list of at most 14 files that exist, none of them twice', async () => {
    expect(files.length).toBeWithin(10, 15);
    expect(numbers).toEqual(files.map((_, at) => at + 1));
    expect(new Set(files).size).toBe(files.length);
    expect(named.length).toBeGreaterThan(5);
    for (const file of [...files, ...named]) {
      expect([file, await Bun.file(join(ROOT, file)).exists()]).toEqual([file, true]);
    }
  });

  it('begins at the socket and ends at the ledger', async () => {
    const first = await Bun.file(join(ROOT, files.at(0) ?? '')).text();
    expect(first).toContain('Bun.serve(');
    expect(files.at(-1)).toStartWith('src/billing/');
  });

  it('runs the way of the imports, never back', async () => {
    for (const [at, file] of files.entries()) {
      const reach = await reachOf(file);
      expect([file, files.slice(0, at).filter((earlier) => reach.has(earlier))]).toEqual([file, []]);
    }
    const all = await reachOf(files.at(0) ?? '');
    expect(files.slice(1).filter((file) => !all.has(file))).toEqual([]);
  });

  it('goes by an import from one file to the next, or back to one that it came by', async () => {
    const near = new Set<string>();
    const strangers: string[] = [];
    for (const file of files) {
      if (near.size > 0 && !near.has(file)) strangers.push(file);
      const imports = await importsOf(file);
      const theirs = file === files[0] ? await Promise.all(imports.map(importsOf)) : [];
      for (const known of [...imports, ...theirs.flat()]) near.add(known);
    }
    // What puts the server together gives the relay its ledger.
    expect(strangers).toEqual([files.at(-1) ?? '']);
  });
});
