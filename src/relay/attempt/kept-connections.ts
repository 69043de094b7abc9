/** Which connections of earlier calls wait for the next one. */
import { limits } from '../../core/limits.ts';

/** A connection that waits for the next call, until its host closes it without a word. */
interface Idle {
  name: string;
  /** performance.now() */
  until: number;
}

/**
 * Which connections wait for the next call. `fetch` does not tell whether it takes one of them or makes a new one; it
 * takes one whenever there is one, so that it is known as long as every end is: of an answer, of a connection that was
 * idle for too long, of one that had to make room. What is not told is counted as one too few, which errs on the safe
 * side: a call that is taken for a new connection's is not made again.
 */
export class KeptConnections {
  /** Those of each scheme together, as Bun keeps them; the longest idle first. */
  readonly #pools = new Map<string, Idle[]>();
  readonly #busy = new WeakMap<Response, string>();

  /** True when the next call takes a connection of earlier ones. */
  take(name: string): boolean {
    const pool = this.#poolOf(name);
    const now = performance.now();
    // Whichever is taken, those that remain may be the older ones.
    const at = pool.findLastIndex((idle) => idle.name === name && idle.until > now);
    if (at >= 0) pool.splice(at, 1);
    return at >= 0;
  }

  /** The connection of this answer can be kept, unless the upstream says otherwise. */
  carries(answer: Response, name: string): void {
    if (!/close/i.test(answer.headers.get('connection') ?? '')) this.#busy.set(answer, name);
  }

  free(answer: Response): void {
    const name = this.#busy.get(answer);
    if (name === undefined) return;
    this.#busy.delete(answer);
    // `Keep-Alive: timeout=5` says when the upstream itself closes it (RFC 2068, 19.7.1).
    const [, seconds] = /timeout=(\d+)/i.exec(answer.headers.get('keep-alive') ?? '') ?? [];
    const keptMs = Math.min(seconds ? Number(seconds) * 1_000 : Infinity, limits.keptConnectionMs);
    const pool = this.#poolOf(name);
    pool.push({ name, until: performance.now() + keptMs });
    if (pool.length > limits.keptConnections) pool.shift();
  }

  /** One was found closed, and the others are as old. */
  forget(name: string): void {
    const others = this.#poolOf(name).filter((idle) => idle.name !== name);
    this.#pools.set(schemeOf(name), others);
  }

  #poolOf(name: string): Idle[] {
    const scheme = schemeOf(name);
    const pool = this.#pools.get(scheme) ?? [];
    this.#pools.set(scheme, pool);
    return pool;
  }
}

const schemeOf = (name: string): string => name.slice(0, name.indexOf(':'));
