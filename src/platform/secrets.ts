/**
 * The one secret key and what is made of it. HKDF-SHA256 gives three independent keys: `seal` for what must be shown
 * or used again, `lookup` for finding relay keys without storing them, `session` for the console's cookie.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface Secrets {
  /** AES-256-GCM; `owner` (a table and row like `token:7`) is bound in, so that a sealed text opens only in its own row. */
  seal(text: string, owner: string): string;
  open(sealed: string, owner: string): string;
  /** HMAC-SHA256 of a relay key, base64url: what the database is searched by. */
  lookup(key: string): string;
  /** Key for the signed session cookie. */
  readonly sessionKey: Uint8Array;
}

export function createSecrets(secretKey: string): Secrets {
  const root = Buffer.from(secretKey, 'base64');
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', root, '', `tollgate ${purpose}`, 32));
  const sealKey = derive('seal');
  const lookupKey = derive('lookup');
  // Says which key sealed a text, so that a later change of keys can tell old texts from new ones.
  const keyId = createHash('sha256').update(sealKey).digest('base64url').slice(0, 6);
  return {
    sessionKey: derive('session'),
    lookup: (key) => createHmac('sha256', lookupKey).update(key).digest('base64url'),
    seal(text, owner) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', sealKey, iv).setAAD(Buffer.from(owner));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `${keyId}.${Buffer.concat([iv, body, cipher.getAuthTag()]).toString('base64url')}`;
    },
    open(sealed, owner) {
      const [id, packed = ''] = sealed.split('.');
      if (id !== keyId) throw new Error(`sealed with another secret key (${owner})`);
      const bytes = Buffer.from(packed, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(0, 12)).setAAD(
        Buffer.from(owner),
      );
      decipher.setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
    },
  };
}

/** SHA-256 as base64url, for random values that are only ever compared (session ids, access tokens). */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Compares in constant time; texts of different length are simply different. */
export function sameSecret(a: string, b: string): boolean {
  const left = createHash('sha256').update(a).digest();
  const right = createHash('sha256').update(b).digest();
  return timingSafeEqual(left, right);
}

/** The text kept in `path`, made by `make` when the file is not there; two processes that race agree on one. */
export async function keptSecret(path: string, make: () => string): Promise<string> {
  if (!existsSync(path)) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // Written aside, flushed, then linked into place: the file is there whole or not at all, and the first one wins.
    const draft = join(dirname(path), `.${crypto.randomUUID()}`);
    const file = await open(draft, 'wx', 0o600);
    await file.writeFile(`${make()}\n`);
    await file.sync();
    await file.close();
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await unlink(draft);
  }
  return (await readFile(path, 'utf8')).trim();
}

/** SECRET_KEY, or the one that this data folder keeps (made on the first start). */
export const secretKeyOf = (env: { SECRET_KEY: string; DATA_DIR: string }): Promise<string> =>
  env.SECRET_KEY
    ? Promise.resolve(env.SECRET_KEY)
    : keptSecret(join(env.DATA_DIR, 'secret-key'), () => randomBytes(32).toString('base64'));
