/** What is fetched runs nothing while it is installed, and the Bun that is fetched is the very one that is pinned. */
import { describe, expect, it } from 'bun:test';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { tempFolder } from '../support/database.ts';

const ROOT = join(import.meta.dir, '../..');

/** Runs a command, and tells what came of it. */
async function run(command: readonly string[], cwd: string, env: Record<string, string>) {
  const child = Bun.spawn([...command], { cwd, env, stdout: 'pipe', stderr: 'pipe' });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { status: await child.exited, out, err };
}

describe('a package that wants to run something while it is installed', () => {
  /** The files that such scripts have made: of a package that is trusted, and of our own. */
  async function made(config: string | null): Promise<string[]> {
    const folder = await tempFolder();
    await Bun.write(
      `${folder}/package.json`,
      JSON.stringify({
        dependencies: { eager: 'file:./eager' },
        trustedDependencies: ['eager'],
        scripts: { postinstall: 'echo own > own.txt' },
      }),
    );
    const scripts = { postinstall: `echo theirs > ${folder}/theirs.txt` };
    await Bun.write(
      `${folder}/eager/package.json`,
      JSON.stringify({ name: 'eager', version: '1.0.0', scripts }),
    );
    if (config !== null) await Bun.write(`${folder}/bunfig.toml`, config);
    const { status, err } = await run([process.execPath, 'install'], folder, {
      PATH: process.env.PATH ?? '',
      HOME: folder,
    });
    expect([status, status === 0 ? '' : err]).toEqual([0, '']);
    return Array.fromAsync(new Bun.Glob('*.txt').scan(folder)).then((files) => files.sort());
  }

  it('does not, by our settings', async () => {
    expect(await made(await Bun.file(`${ROOT}/bunfig.toml`).text())).toEqual([]);
    expect(await made(null)).toEqual(['own.txt', 'theirs.txt']);
  });
});

describe('the Bun that scripts/bun-path.sh takes', () => {
  const NAME = 'bun-linux-x64';
  const TOOLS = ['basename', 'dirname', 'grep', 'ln', 'mkdir', 'rm', 'sh'];

  /** Sources the script where a package claims to be the pinned version, and its lock file tells `integrity`. */
  async function taken(integrity: string) {
    const root = await tempFolder();
    const script = await Bun.file(`${ROOT}/scripts/bun-path.sh`).text();
    const version = /^BUN_VERSION=(.+)$/m.exec(script)?.[1];
    const folder = `${root}/.tools/node_modules/@oven/${NAME}/bin`;
    await mkdir(folder, { recursive: true });
    await Bun.write(`${folder}/bun`, `#!/bin/sh\n: > ${root}/ran\necho ${version}\n`);
    await chmod(`${folder}/bun`, 0o755);
    const lock = { packages: { [`node_modules/@oven/${NAME}`]: { version, resolved: '', integrity } } };
    await Bun.write(`${root}/.tools/package-lock.json`, JSON.stringify(lock, null, 2));
    // Neither another Bun nor what could fetch one.
    const path = `${root}/path`;
    await mkdir(path);
    for (const tool of TOOLS) await symlink(Bun.which(tool) ?? tool, `${path}/${tool}`);
    const source = `root=${root}; . ${ROOT}/scripts/bun-path.sh; echo "$BUN"`;
    const { status, out, err } = await run([`${path}/sh`, '-c', source], root, { PATH: path });
    const wasRun = await Bun.file(`${root}/ran`).exists();
    return { status, bun: out.trim().replace(root, ''), err, wasRun };
  }

  it('is the package of the pinned hash', async () => {
    const script = await Bun.file(`${ROOT}/scripts/bun-path.sh`).text();
    const hash = new RegExp(`^ +${NAME}\\) echo (\\S+) ;;`, 'm').exec(script)?.[1];
    expect(await taken(`sha512-${hash}`)).toMatchObject({
      status: 0,
      bun: `/.tools/node_modules/@oven/${NAME}/bin/bun`,
      wasRun: true,
    });
  });

  it('is no other, of which nothing runs', async () => {
    const { status, bun, err, wasRun } = await taken(`sha512-${'A'.repeat(86)}==`);
    expect([status, bun, wasRun]).toEqual([1, '', false]);
    expect(err).toContain(`The package @oven/${NAME}`);
    expect(err).toContain('is not the one that is pinned');
  });
});
