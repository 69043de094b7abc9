/** States what must be true if the program is right. A broken one is a bug: it is logged and answered as 500, never handled. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant: ${message}`);
}
