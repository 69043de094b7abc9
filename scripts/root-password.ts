/** `./scripts/root-password`: exit status 1, and why, when the password was not set. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../src/core/errors.ts';
import { openChanges } from '../src/db/changes.ts';
import { type Database, openPostgres } from '../src/db/client.ts';
import { openEmbedded } from '../src/db/embedded.ts';
import { lockFolder } from '../src/db/folder-lock.ts';
import { type Env, readEnv, StartError } from '../src/env.ts';
import { setRootPassword } from '../src/modules/auth/password/root-password.ts';
import { endAccess } from '../src/modules/session/endings.ts';
import { createLogger } from '../src/platform/logger.ts';
import { createPasswords } from '../src/platform/passwords.ts';

const CTRL_C = '\x03';
const CTRL_D = '\x04';

/** One line of the terminal, typed unseen. */
async function typed(question: string): Promise<string> {
  const { stdin, stderr } = process;
  // First, so that the terminal does not show what is typed quickly.
  stdin.setRawMode(true);
  stderr.write(question);
  stdin.setEncoding('utf8');
  let line = '';
  try {
    for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
      for (const letter of String(chunk)) {
        if (letter === '\r' || letter === '\n') return line;
        if (letter === CTRL_C || letter === CTRL_D) throw new StartError('Nothing was changed.');
        if (letter === '\x7f' || letter === '\b') line = [...line].slice(0, -1).join('');
        else line += letter;
      }
    }
    return line;
  } finally {
    stdin.setRawMode(false);
    stderr.write('\n');
  }
}

async function askPassword(): Promise<string> {
  if (!process.stdin.isTTY) {
    const [line = ''] = (await Bun.stdin.text()).split(/\r?\n/);
    return line;
  }
  const password = await typed('New password of root: ');
  if (password !== (await typed('Once more: '))) {
    throw new StartError('The two passwords do not match. Nothing was changed.');
  }
  return password;
}

/** The database, held so that no server works in the folder at the same time. */
async function openForChange(env: Env): Promise<Database> {
  if (env.DATABASE_URL) return openPostgres(env.DATABASE_URL);
  if (!existsSync(join(env.DATA_DIR, 'pg'))) {
    throw new StartError(`DATA_DIR: there is no database in ${env.DATA_DIR}. Nothing was changed.`);
  }
  await lockFolder(env.DATA_DIR).catch(() => {
    throw new StartError(
      `DATA_DIR: a server is using the embedded database in ${env.DATA_DIR}. Stop it, then set the password. Nothing was changed.`,
    );
  });
  return openEmbedded(env.DATA_DIR);
}

async function main(): Promise<void> {
  const db = await openForChange(readEnv());
  const changes = await openChanges(
    db,
    createLogger('error', (line) => void process.stderr.write(line)),
  );
  try {
    const username = await setRootPassword(
      { changes, passwords: createPasswords(), sessions: { endAccess } },
      await askPassword(),
    );
    if (username === null) throw new StartError('There is no root yet: set the system up first.');
    process.stdout.write(
      `The password of ${username} was set, two-factor authentication and the human check are off, and every session and passkey of his is gone.\n`,
    );
  } finally {
    await changes.close();
    await db.close();
  }
}

try {
  await main();
  process.exit(0);
} catch (error) {
  const text = error instanceof AppError ? error.text('en') : error instanceof Error ? error.message : error;
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
