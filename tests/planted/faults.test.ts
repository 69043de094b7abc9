/** Plants each fault alone in a copy of the sources and runs the tests that must notice it; only with `./scripts/test long`. */
import { beforeAll, describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { tempFolder } from '../support/database.ts';
import { plantedFaults } from './faults.ts';

const root = join(import.meta.dir, '../..');
/** All tests of one fault, on a busy machine. */
const PATIENCE_MS = 600_000;

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
if (process.env.TEST_LONG) {
  describe('a planted fault is noticed', () => {
    let copy = '';
    beforeAll(async () => {
      copy = join(await tempFolder(), 'planted');
      await mkdir(copy);
      for (const name of await files()) await cp(join(root, name), join(copy, name), { recursive: true });
      await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
      await cp(join(root, 'dist'), join(copy, 'dist'), { recursive: true });
    }, PATIENCE_MS);

    const run = async (tests: readonly string[]): Promise<{ code: number; output: string }> => {
      const child = Bun.spawn([process.execPath, 'test', '--timeout', '60000', ...tests], {
        cwd: copy,
        env: { ...process.env, TEST_LONG: '' },
        stdout: 'pipe',
        stderr: 'pipe',
      });
      const [out, err] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      return { code: await child.exited, output: out + err };
    };

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
        const path = join(copy, file);
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

/** What stands under version control at the top: all that tests read. */
async function files(): Promise<string[]> {
  const listed = await Bun.$`git ls-files`.cwd(root).text();
  return [
    ...new Set(
      listed
        .trim()
        .split('\n')
        .map((name) => name.split('/')[0] ?? ''),
    ),
  ];
}
