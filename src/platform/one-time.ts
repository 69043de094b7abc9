/** Values that live for minutes and are used once: codes, captcha answers, OAuth states. Redis, or this process when there is none. */
export interface OneTimeStore {
  put(key: string, value: string, ttlSec: number): Promise<void>;
  /** Reads without using it up. */
  get(key: string): Promise<string | null>;
  /** Reads and removes in one step; of two callers one gets it. */
  take(key: string): Promise<string | null>;
  /** True for the first who claims the key, false for everyone after him until it has outlived `ttlSec`. */
  claim(key: string, ttlSec: number): Promise<boolean>;
}
