/** How many files and sockets this process may have open, as the system tells it. */
import { readFileSync } from 'node:fs';

/** Null where it cannot be found out; Infinity for no limit. */
export function openFilesLimit(): number | null {
  try {
    return limitIn(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    // No Linux: the shell is asked, whose limit is ours.
    const { stdout } = Bun.spawnSync(['sh', '-c', 'ulimit -n'], { stderr: 'ignore' });
    return numberIn(stdout.toString().trim());
  }
}

/** The soft limit in the text of `/proc/PID/limits`. */
export const limitIn = (text: string): number | null =>
  numberIn(/^Max open files\s+(\S+)/m.exec(text)?.[1] ?? '');

function numberIn(word: string): number | null {
  if (word === 'unlimited') return Number.POSITIVE_INFINITY;
  return /^\d+$/.test(word) ? Number(word) : null;
}
