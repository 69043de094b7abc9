/** How many files and sockets this process may have open, as the system tells it. */
import { readFileSync } from 'node:fs';
import { limits } from '../core/limits.ts';

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

/** Of so many open files, how many bodies may be on their way whatever else is, to calls and to the console. */
export function bodiesWithin(openFiles: number | null): { calls: number; console: number } {
  const calls = Math.max(
    2,
    Math.floor(Math.min((openFiles ?? Number.POSITIVE_INFINITY) / 32, limits.comingBodies)),
  );
  return { calls, console: Math.floor(calls / 2) };
}

/** Of so many open files, how many answers beside calls may be under way, and how many connections kept behind given ones. */
export function answersWithin(openFiles: number | null): { atOnce: number; kept: number } {
  const atOnce = Math.max(
    2,
    Math.floor(Math.min((openFiles ?? Number.POSITIVE_INFINITY) / 8, limits.answersAtOnce)),
  );
  return { atOnce, kept: Math.min(Math.floor(atOnce / 2), limits.answersKept) };
}

/** How many passwords may wait for their hash: each keeps the place of an answer for up to a minute, so half of these at most. */
export const passwordsWithin = (openFiles: number | null): number =>
  Math.min(limits.passwordQueue, Math.floor(answersWithin(openFiles).atOnce / 2));
