/** Values that live for minutes and are used once: codes, captcha answers, OAuth states. Redis, or this process when there is none. */

/** Where so many values are kept: the oldest gives way to the next. */
export interface Shelf {
  key: string;
  limit: number;
  /** Whether it is that of one who is known. */
  isKnown?: boolean;
}

export interface OneTimeStore {
  /**
   * Keeps it on each of the shelves, so that whoever begins much and ends nothing fills no more than his own. What lies on
   * one lives as long as all that lies there.
   */
  put(key: string, value: string, ttlSec: number, shelves?: readonly Shelf[]): Promise<void>;
  /** Reads without using it up. */
  get(key: string): Promise<string | null>;
  /** The same of many at once, each in its place. */
  getAll(keys: readonly string[]): Promise<(string | null)[]>;
  /** Reads and removes in one step; of two callers one gets it. */
  take(key: string): Promise<string | null>;
  /** True for the first who claims the key, false for everyone after him until it has outlived `ttlSec`. */
  claim(key: string, ttlSec: number): Promise<boolean>;
}
