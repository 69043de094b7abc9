import { describe, expect, it } from 'bun:test';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { createApi } from '../../src/api.ts';
import { openPostgres } from '../../src/db/client.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { lockFolder } from '../../src/db/folder-lock.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { type Runtime, runtimeOver } from '../../src/runtime.ts';
import { Client, PASSWORD, SETUP_TOKEN, testEnv } from '../support/api.ts';
import { embeddedFolder, freshPostgresUrl, tempFolder } from '../support/database.ts';
import { patience } from '../support/patience.ts';

const quiet = createLogger('error', () => undefined);
const FORM = {
  username: 'boss',
  password: PASSWORD,
  confirmPassword: PASSWORD,
  setup_token: SETUP_TOKEN,
};

/** Runs the script with its standard input, or on a terminal where `answers` are typed. */
async function run(env: Record<string, string>, input: string, { terminal = false } = {}) {
  const spawn = {
    cwd: join(import.meta.dir, '../..'),
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
  };
  const command = [join(import.meta.dir, '../../scripts/root-password')];
  let seen = '';
  if (!terminal) {
    const child = Bun.spawn(command, { ...spawn, stdin: Buffer.from(input), stdout: 'pipe', stderr: 'pipe' });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { status: await child.exited, output: out + err };
  }
  const lines = input.split('\n');
  const child = Bun.spawn(command, {
    ...spawn,
    terminal: {
      data(pty, data) {
        const text = data.toString();
        seen += text;
        // Each answer is typed when it is asked for.
        if (/: $/.test(text)) pty.write(`${lines.shift() ?? ''}\r`);
      },
    },
  });
  return { status: await child.exited, output: seen };
}

const clientOf = (deps: Runtime): Client => {
  const api = createApi(deps);
  return new Client(async (request) => api.handle(request));
};

async function makeFolder(): Promise<string> {
  const dir = await embeddedFolder();
  const deps = await runtimeOver(await testEnv({ DATA_DIR: dir }), await openEmbedded(dir), quiet);
  await clientOf(deps).post('/api/setup', FORM);
  await deps.close();
  return dir;
}

let made: Promise<string> | undefined;
/** A data folder whose server was set up and stopped: each is a copy of the first. */
async function setUpFolder(): Promise<string> {
  made ??= makeFolder();
  const dir = await tempFolder();
  await cp(await made, dir, { recursive: true });
  return dir;
}

describe('./scripts/root-password', () => {
  it('sets the password while servers run on Postgres, and ends root’s sessions there', async () => {
    const url = await freshPostgresUrl();
    const deps = await runtimeOver(await testEnv({ DATABASE_URL: url }), await openPostgres(url), quiet);
    const before = clientOf(deps);
    await before.post('/api/setup', FORM);
    await before.login('boss');
    // Keys that are wrong lock everybody out, and root himself cannot come to set it right.
    const wrong = { TurnstileSiteKey: 'wrong', TurnstileSecretKey: 'wrong', TurnstileCheckEnabled: 'true' };
    await deps.options.set(wrong);
    const script = await run({ DATABASE_URL: url, DATA_DIR: await tempFolder() }, 'Fresh0Start\n');
    expect(script).toEqual({
      status: 0,
      output:
        'The password of boss was set, two-factor authentication and the human check are off, and every session and passkey of his is gone.\n',
    });
    const end = performance.now() + patience(1_000);
    let status = 200;
    while (status === 200 && performance.now() < end) status = (await before.get('/api/user/self')).status;
    expect(status).toBe(401);
    const isChecked = () => deps.options.get('TurnstileCheckEnabled');
    while (isChecked() && performance.now() < end) await Bun.sleep(10);
    expect(isChecked()).toBe(false);
    expect(
      (await clientOf(deps).post('/api/user/login', { username: 'boss', password: PASSWORD })).success,
    ).toBe(false);
    await clientOf(deps).login('boss', 'Fresh0Start');
    await deps.close();
  });

  it('works on the embedded database when its server is stopped, and refuses while it runs', async () => {
    const dir = await setUpFolder();
    const unlock = await lockFolder(dir);
    const refused = await run({ DATA_DIR: dir }, 'Fresh0Start\n');
    expect(refused.status).toBe(1);
    expect(refused.output).toContain('a server is using the embedded database');
    unlock();
    expect((await run({ DATA_DIR: dir }, 'Fresh0Start\n')).status).toBe(0);
    const deps = await runtimeOver(await testEnv({ DATA_DIR: dir }), await openEmbedded(dir), quiet);
    await clientOf(deps).login('boss', 'Fresh0Start');
    await deps.close();
  });

  it('asks twice on a terminal, showing nothing of what is typed', async () => {
    const dir = await setUpFolder();
    const differing = await run({ DATA_DIR: dir }, 'Fresh0Start\nFresh0Stray', { terminal: true });
    expect(differing.status).toBe(1);
    expect(differing.output).toContain('do not match');
    const same = await run({ DATA_DIR: dir }, 'Fresh0Stx\x7fart\nFresh0Start', { terminal: true });
    expect(same.status).toBe(0);
    expect(same.output).not.toContain('Fresh0');
  });

  it('says what is wrong and changes nothing', async () => {
    const dir = await setUpFolder();
    const short = await run({ DATA_DIR: dir }, 'short\n');
    expect(short.status).toBe(1);
    expect(short.output).toContain('8 to 20 characters');
    const nowhere = await run({ DATA_DIR: await tempFolder() }, 'Fresh0Start\n');
    expect(nowhere.status).toBe(1);
    expect(nowhere.output).toContain('there is no database');
    const empty = await run({ DATABASE_URL: await freshPostgresUrl() }, 'Fresh0Start\n');
    expect(empty.output).toContain('There is no root yet');
  });
});
