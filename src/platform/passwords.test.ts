import { describe, expect, it } from 'bun:test';
import { AppError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { Metrics } from './metrics.ts';
import { answersWithin, passwordsWithin } from './open-files.ts';
import { createPasswords } from './passwords.ts';

/** Hashes that take no time to speak of, and rests that are noted and not taken. */
const quick = (rests: number[] = []) => ({
  cost: { memoryCost: 8, timeCost: 1 },
  rest: async (ms: number) => void rests.push(ms),
});

const figure = (metrics: Metrics, family: string, name: string): number =>
  metrics.snapshot()[family]?.samples.find(([key]) => key === name)?.[1] ?? 0;

describe('hashing passwords', () => {
  it('takes 32 in line and refuses the rest at once, with 429 and when to come again', async () => {
    const metrics = new Metrics();
    const passwords = createPasswords(metrics, quick());
    const settled = Promise.allSettled(
      Array.from({ length: 50 }, async () => passwords.verify('Passw0rd1', null)),
    );
    expect(figure(metrics, 'tollgate_passwords_waiting', 'tollgate_passwords_waiting')).toBe(32);
    expect(() => passwords.requireRoom()).toThrow(AppError);
    const results = await settled;
    const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason);
    expect(refused).toHaveLength(18);
    for (const error of refused) {
      expect(error).toMatchObject({ code: 'RATE_LIMIT', apiStatus: 429, detail: { retryAfterSec: 2 } });
    }
    expect(results.filter((result) => result.status === 'fulfilled').map(({ value }) => value)).toEqual(
      new Array(32).fill(false),
    );
    expect(figure(metrics, 'tollgate_password_seconds', 'tollgate_password_seconds_count')).toBe(32);
    passwords.requireRoom();
  });

  it('takes no more in line than there are places for their answers, but a half', async () => {
    for (const openFiles of [1_024, 2_048, 20_000]) {
      const most = passwordsWithin(openFiles);
      expect(most).toBeLessThanOrEqual(answersWithin(openFiles).atOnce / 2);
      const metrics = new Metrics();
      const passwords = createPasswords(metrics, quick(), most);
      const waiting = Array.from({ length: 500 }, (_, n) =>
        passwords.verify('Passw0rd1', null, { who: `one ${n}`, network: `network ${n}` }),
      );
      expect(figure(metrics, 'tollgate_passwords_waiting', 'tollgate_passwords_waiting')).toBe(most);
      await Promise.allSettled(waiting);
    }
  });

  it('rests between hashes while many wait, and not when few do', async () => {
    const rests = async (count: number) => {
      const taken: number[] = [];
      const passwords = createPasswords(undefined, quick(taken));
      await Promise.all(Array.from({ length: count }, () => passwords.verify('x', null)));
      return taken;
    };
    const crowd = limits.passwordCrowd;
    // After a hash so many wait; the last of a crowd find themselves few.
    expect(await rests(crowd + 3)).toEqual(new Array(3).fill(limits.passwordRestMs));
    expect(await rests(crowd)).toEqual([]);
  });

  it('knows the same password typed on another keyboard, and no other', async () => {
    const passwords = createPasswords();
    const hash = await passwords.hash('caf\u00e9Passw0rd');
    expect(hash).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$');
    expect(await passwords.verify('cafe\u0301Passw0rd', hash)).toBe(true);
    expect(await passwords.verify('cafePassw0rd', hash)).toBe(false);
  });
});
