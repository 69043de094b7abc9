/** Plants each fault alone in a copy of the sources and runs the tests that must notice it; only with `./scripts/test long`. */
import { beforeAll, describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isLong } from '../support/long.ts';
import { patience } from '../support/patience.ts';
import { copyOfTree, projectRoot as root, type TreeCopy } from '../support/tree-copy.ts';
import { plantedFaults } from './faults.ts';

/** All tests of one fault, on a busy machine. */
const PATIENCE_MS = patience(600_000);

/** How often `part` stands in `text`. */
const timesIn = (text: string, part: string): number => text.split(part).length - 1;

describe('a planted fault', () => {
  it.each(plantedFaults.map((fault) => [fault.name, fault] as const))(
    'has its place: %s',
    async (_name, { file, was, becomes, noticedBy }) => {
      expect(timesIn(await Bun.file(join(root, file)).text(), was)).toBe(1);
      expect(becomes).not.toBe(was);
      for (const test of noticedBy) expect([test, existsSync(join(root, test))]).toEqual([test, true]);
    },
  );
});

// The tests of a run on a copy are worth minutes, so that they are proven apart.
if (isLong) {
  describe('a planted fault is noticed', () => {
    let copy: TreeCopy;
    beforeAll(async () => {
      copy = await copyOfTree();
    }, PATIENCE_MS);

    const run = (tests: readonly string[]) => copy.bun('test', '--timeout', '60000', ...tests);

    it(
      'and nothing is where none is planted',
      async () => {
        const all = [...new Set(plantedFaults.flatMap(({ noticedBy }) => noticedBy))];
        const { code, output } = await run(all);
        expect([code, output.match(/^\(fail\).*$/gm)]).toEqual([0, null]);
      },
      PATIENCE_MS,
    );

    it.each(plantedFaults.map((fault) => [fault.name, fault] as const))(
      '%s',
      async (_name, { file, was, becomes, noticedBy }) => {
        const path = join(copy.root, file);
        const text = await Bun.file(path).text();
        await Bun.write(
          path,
          text.replace(was, () => becomes),
        );
        try {
          const { code, output } = await run(noticedBy);
          // A test has failed: a run that ends otherwise has noticed nothing.
          expect([code === 0, /^\(fail\)/m.test(output)]).toEqual([false, true]);
        } finally {
          await Bun.write(path, text);
        }
      },
      PATIENCE_MS,
    );
  });
}
