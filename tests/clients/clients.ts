/**
 * The programs of others for which the console prints settings, by pinned versions, in a folder beside the project's
 * dependencies which stays from run to run. No install script of theirs runs: what they are started by needs none.
 */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

const PACKAGES = {
  '@anthropic-ai/claude-code': '2.1.330',
  '@google/gemini-cli': '0.61.0',
  '@openai/codex': '0.169.0',
  cline: '3.0.65',
};
const PYTHON_PACKAGES = { anthropic: '2.12.0', 'google-genai': '3.4.0', openai: '3.54.0' };

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tollgate-clients');

/** The folder of what is installed there by this command, for these versions of it. */
async function installed(
  versions: Record<string, string>,
  install: (folder: string) => Promise<string[]>,
): Promise<string> {
  const folder = join(cache, Bun.hash(JSON.stringify(versions)).toString(36));
  if (existsSync(folder)) return folder;
  // What breaks off leaves nothing that looks whole.
  const half = `${folder}.${process.pid}`;
  await mkdir(half, { recursive: true });
  const child = Bun.spawn(await install(half), { cwd: half, stdout: 'pipe', stderr: 'pipe' });
  const said = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) {
    await rm(half, { recursive: true });
    throw new Error(
      `The programs to be tried could not be fetched: is the package registry within reach?\n${said.join('')}`,
    );
  }
  await rename(half, folder).catch(async (error: unknown) => {
    // Another run was first.
    if (!existsSync(folder)) throw error;
    await rm(half, { recursive: true });
  });
  return folder;
}

function programOf(name: string): string {
  const path = Bun.which(name);
  if (!path) throw new Error(`The programs to be tried need ${name}, which is not on this machine`);
  return path;
}

/** How each command line is started, by the command that the console prints. Throws where they cannot be fetched. */
export async function commandLines(): Promise<Record<'claude' | 'gemini' | 'codex' | 'cline', string[]>> {
  const node = programOf('node');
  const folder = await installed(PACKAGES, async (half) => {
    await writeFile(join(half, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES }));
    return [process.execPath, 'install', '--ignore-scripts', '--no-progress'];
  });
  const started = (path: string): string[] => [node, join(folder, 'node_modules', path)];
  return {
    claude: started('@anthropic-ai/claude-code/cli-wrapper.cjs'),
    gemini: started('@google/gemini-cli/bundle/gemini.js'),
    codex: started('@openai/codex/bin/codex.js'),
    cline: started('cline/bin/cline'),
  };
}

/** Python, and the folder where it finds the SDKs. Throws where they cannot be fetched. */
export async function pythonSdks(): Promise<{ python: string; path: string }> {
  const python = programOf('python3');
  const wanted = Object.entries(PYTHON_PACKAGES).map(([name, version]) => `${name}==${version}`);
  const path = await installed(PYTHON_PACKAGES, async (half) => [
    python,
    ...['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', '--target', half],
    ...wanted,
  ]);
  return { python, path };
}
