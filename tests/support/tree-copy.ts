/** A copy of the project as it stands, for tests that change it: every tracked file, with the packages of this one. */
import { cp, mkdir, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { embeddedTemplates, tempFolder } from './database.ts';

export const projectRoot = join(import.meta.dir, '../..');

export interface TreeCopy {
  readonly root: string;
  /** Runs Bun in the copy; all that it said, and how it ended. */
  bun(...args: string[]): Promise<{ code: number; output: string }>;
}

export async function copyOfTree(): Promise<TreeCopy> {
  const root = join(await tempFolder(), 'copy');
  const listed = await Bun.$`git ls-files -z --cached --others --exclude-standard`.cwd(projectRoot).text();
  for (const name of listed.split('\0').filter(Boolean)) {
    const from = join(projectRoot, name);
    // What is deleted and not yet committed is listed all the same.
    if (!(await Bun.file(from).exists())) continue;
    await mkdir(dirname(join(root, name)), { recursive: true });
    await cp(from, join(root, name));
  }
  await symlink(join(projectRoot, 'node_modules'), join(root, 'node_modules'));
  const kept = relative(projectRoot, embeddedTemplates);
  await cp(join(projectRoot, 'dist'), join(root, 'dist'), {
    recursive: true,
    filter: (from) => from !== embeddedTemplates,
  });
  await symlink(embeddedTemplates, join(root, kept));
  return {
    root,
    async bun(...args) {
      const child = Bun.spawn([process.execPath, ...args], {
        cwd: root,
        env: { ...process.env, TEST_LONG: '' },
        stdout: 'pipe',
        stderr: 'pipe',
      });
      const [out, err] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      return { code: await child.exited, output: out + err };
    },
  };
}
