/** What is made from options: kept for as long as none of them changes, and made again when it is next asked for. */
import type { Options } from './store.ts';

interface Made<T> {
  version: number;
  value: T;
}

/** `make` is told what it made of the same options before, where something of it may stay. */
export function keptByVersion<T>(
  make: (options: Options, before: T | undefined) => T,
): (options: Options) => T {
  const made = new WeakMap<Options, Made<T>>();
  return (options) => {
    const known = made.get(options);
    const { version } = options;
    if (known?.version === version) return known.value;
    const value = make(options, known?.value);
    made.set(options, { version, value });
    return value;
  };
}
