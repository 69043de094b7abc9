/** The files of a form on the disk: without a name once it is open, so that nothing is left however the process ends. */
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, fail } from '../../core/errors.ts';
import type { HeldBytes } from '../../platform/body-budget.ts';
import type { Held } from '../request.ts';

/** Parts follow one another in the body, so that they do on the disk. */
export interface Spool extends Held {
  readonly size: number;
  /** How many read from it. */
  readers: number;
  write(bytes: Uint8Array): Promise<void>;
  /** Fills the buffer from there on; how many bytes there were. */
  read(into: Uint8Array, from: number): Promise<number>;
}

export async function openSpool(folder: string, held: HeldBytes, inMemory: HeldBytes): Promise<Spool> {
  const handle = await openNameless(folder).catch((error: unknown) => {
    held.release();
    throw diskFault(error);
  });
  let size = 0;
  let isOpen = true;
  return {
    readers: 0,
    get size() {
      return size;
    },
    async write(bytes) {
      held.grow(bytes.length);
      const at = size;
      size += bytes.length;
      try {
        for (let done = 0; done < bytes.length; ) {
          const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at + done);
          done += bytesWritten;
        }
      } catch (error) {
        throw diskFault(error);
      }
    },
    async read(into, from) {
      return (await handle.read(into, 0, into.length, from)).bytesRead;
    },
    release() {
      held.release();
      inMemory.release();
      if (!isOpen) return;
      isOpen = false;
      // It has no name: closed, it is gone.
      void handle.close().catch(() => undefined);
    },
  };
}

async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, crypto.randomUUID());
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  return handle;
}

/** A disk that is full or broken is nobody's mistake who sends a form. */
const diskFault = (error: unknown): AppError =>
  error instanceof AppError
    ? error
    : fail('unavailable', { cause: error, internal: 'no form can be written' });
