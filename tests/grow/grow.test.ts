/**
 * The product grows where it is meant to: each addition is put into a copy of the project, in as few files as it may
 * take, and there it is built, tried and checked. `./scripts/test long` does so, any other run looks for their places.
 */
import { beforeAll, describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inLong } from '../support/long.ts';
import { patience } from '../support/patience.ts';
import { copyOfTree, projectRoot, type TreeCopy } from '../support/tree-copy.ts';
import { additions, newFiles } from './additions.ts';

const PATIENCE_MS = patience(300_000);
const each = additions.map((addition) => [addition.name, addition] as const);

const isNewFolder = (folder: string): boolean => !existsSync(join(projectRoot, folder));

/** What a run said, without the tests that it passed; empty for one that ended well. */
const failureOf = ({ code, output }: { code: number; output: string }): string =>
  code === 0 ? '' : `it ended with ${code}:\n${output.replace(/^\(pass\).*\n/gm, '').slice(-8_000)}`;

/** How often `part` stands in `text`. */
const timesIn = (text: string, part: string): number => text.split(part).length - 1;

describe.each(each)('there is room for %s', (_name, addition) => {
  it('in the files that it may take', async () => {
    const created = newFiles(addition);
    const touched = new Set(addition.lines.map(({ file }) => file));
    const places = new Set(created.map((file) => (isNewFolder(dirname(file)) ? dirname(file) : file)));
    expect(places.size + touched.size).toBe(addition.files);
    for (const file of created) expect([file, existsSync(join(projectRoot, file))]).toEqual([file, false]);
    for (const { file, after } of addition.lines) {
      const text = await Bun.file(join(projectRoot, file)).text();
      expect([file, after, timesIn(text, after)]).toEqual([file, after, 1]);
    }
  });
});

// The build and the checks of a copy are worth a minute of both cores, so that they are proven apart.
inLong.describe('the project with all additions', () => {
  let copy: TreeCopy;
  beforeAll(async () => {
    copy = await copyOfTree();
    for (const addition of additions) {
      const from = join(import.meta.dir, addition.folder);
      for (const file of newFiles(addition)) {
        await mkdir(dirname(join(copy.root, file)), { recursive: true });
        await cp(join(from, file), join(copy.root, file));
      }
      for (const { file, after, lines } of addition.lines) {
        const path = join(copy.root, file);
        const text = await Bun.file(path).text();
        await Bun.write(
          path,
          text.replace(after, () => after + lines),
        );
      }
      await cp(join(from, 'proof.ts'), join(copy.root, `tests/grown/${addition.folder}.test.ts`));
    }
  }, PATIENCE_MS);

  it(
    'builds, and each addition does what it should',
    async () => {
      expect(await copy.bun('scripts/build.ts')).toMatchObject({ code: 0 });
      expect(failureOf(await copy.bun('test', '--timeout', '60000', 'tests/grown'))).toBe('');
    },
    PATIENCE_MS,
  );

  // What walks all errors, options, providers and texts has nothing to say against them.
  it(
    'passes the tests of the lists that they stand in',
    async () => {
      const tests = [
        'src/core/errors.test.ts',
        'src/options/registry.test.ts',
        'src/dialects/folders.test.ts',
        'web/locales/locales.test.ts',
      ];
      expect(failureOf(await copy.bun('test', '--timeout', '60000', ...tests))).toBe('');
    },
    PATIENCE_MS,
  );

  it.each(['check:types', 'check:style', 'check:layers'])(
    'passes %s',
    async (check) => {
      expect(failureOf(await copy.bun('run', check))).toBe('');
    },
    PATIENCE_MS,
  );
});
