/** Filling the line for hashing passwords, by who is wrong nowhere, so that no count of wrong tries stops him. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, spyOn } from 'bun:test';
import { limits } from '../../src/core/limits.ts';
import type { Turn } from '../../src/platform/fair-gate.ts';
import { createPasswords, type Passwords } from '../../src/platform/passwords.ts';
import { sha256 } from '../../src/platform/secrets.ts';
import { type Answer, openApi, PASSWORD, passwordWork, type TestApi } from '../support/api.ts';
import { usually } from '../support/long.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi('postgres');
  // What bounds them here is the line alone.
  await api.deps.options.set({ ApiRateLimitAddress: '100000', CriticalRateLimitCount: '1000' });
});
afterAll(() => api.close());

/** While it is held nobody's turn ends: the one whose password is just hashed rests. */
let held = Promise.withResolvers<void>();
let asked: Promise<unknown>[] = [];
let begun = 0;
let over = 0;
/** How many are in line, the one under way too. */
const inLine = (): number => api.deps.metrics.snapshot().tollgate_passwords_waiting?.samples.at(-1)?.[1] ?? 0;
/** Calls of which each wants one hash; resolves when all of them are in line or answered. */
async function queue<T>(calls: readonly (() => Promise<T>)[]): Promise<Promise<T>[]> {
  begun += calls.length;
  const made = calls.map(async (call) => {
    try {
      return await call();
    } finally {
      over++;
    }
  });
  asked.push(Promise.allSettled(made));
  while (over + inLine() < begun) await Bun.sleep(5);
  return made;
}

/** So many make a crowd, after each of which there is a rest. */
const PLUG = limits.passwordCrowd + 2;
/** Whose passwords were hashed, one after the other. */
let turns: string[] = [];
beforeEach(() => {
  held = Promise.withResolvers<void>();
  [asked, begun, over] = [[], 0, 0];
  const { metrics } = api.deps;
  const passwords = createPasswords(metrics, { ...passwordWork, rest: () => held.promise });
  turns = [];
  const noted = async <T>(turn: Turn | undefined, work: Promise<T>): Promise<T> => {
    const value = await work;
    turns.push(turn?.who ?? '');
    return value;
  };
  Object.assign(api.deps, {
    passwords: {
      ...passwords,
      hash: (password, turn) => noted(turn, passwords.hash(password, turn)),
      verify: (password, hash, turn) => noted(turn, passwords.verify(password, hash, turn)),
    } satisfies Passwords,
  });
});
afterEach(async () => {
  held.resolve();
  await Promise.all(asked);
});

let addresses = 0;
const newAddress = (): string =>
  `198.${18 + (++addresses >> 16)}.${(addresses >> 8) & 255}.${addresses & 255}`;

/** Right passwords from so many addresses at once, `each` times; they stay in line until it is let go. */
async function fill(count: number, each = 1, ip = newAddress): Promise<Promise<Answer>[]> {
  turns = [];
  const plug = () => api.deps.passwords.verify('x', null, { who: 'plug' });
  await queue(Array.from({ length: PLUG }, () => plug));
  while (over === 0) await Bun.sleep(5);
  // The first is answered, and keeps its place while it rests.
  over = 0;
  const { username } = await api.createUser();
  const clients = Array.from({ length: count }, () => api.guest({ ip: ip(), locale: 'en' }));
  return queue(
    clients.flatMap((client) =>
      Array.from(
        { length: each },
        () => () => client.post('/api/user/login', { username, password: PASSWORD }),
      ),
    ),
  );
}

/** What comes of somebody's call when the line is let go, and how many had their turn before an account's. */
async function turnOf(filling: readonly Promise<Answer>[], call: () => Promise<Answer>) {
  const [answer] = await queue([call]);
  held.resolve();
  const given = await answer;
  await Promise.all(filling);
  return {
    success: given?.success,
    code: given?.code,
    after: turns.findIndex((who) => who.startsWith('user:')),
  };
}

/** A link that set a new password, as it came by mail. */
async function resetLink(): Promise<{ email: string; token: string }> {
  const { id } = await api.createUser();
  const email = `reset${id}@mail.example`;
  const token = `token-of-${id}`;
  await api.deps.db.query(`update users set email = '${email}' where id = ${id}`);
  const [row] = await api.deps.db.query<{ password_hash: string }>(
    `select password_hash from users where id = ${id}`,
  );
  const mark = sha256(row?.password_hash ?? '');
  await api.deps.oneTime.put(`reset:${sha256(token)}`, `${id}:${mark}:${email}`, limits.resetSec);
  return { email, token };
}

/** The places that one address fills had 31 others taken one each: as many as there were. */
const FEW = 32;
/** More than there are places. */
const MANY = limits.passwordQueue + 60;

describe.each(usually([MANY], FEW))('right passwords from %p addresses at once', (count) => {
  it.each<[string, () => Promise<() => Promise<Answer>>]>([
    [
      'who holds a link for a new password',
      async () => {
        const link = await resetLink();
        return () => api.guest({ ip: newAddress() }).post('/api/user/reset', link);
      },
    ],
    [
      'who changes his password in his session',
      async () => {
        const session = await api.as(await api.createUser(), { ip: newAddress() });
        return () => session.put('/api/user/self', { password: 'Changed0word' });
      },
    ],
    [
      'who proves himself in his session',
      async () => {
        const session = await api.as(await api.createUser(), { ip: newAddress() });
        return () => session.post('/api/user/confirm', { password: PASSWORD });
      },
    ],
    [
      'the administrator who makes an account',
      async () => {
        const root = await api.root();
        const username = `made${++addresses}`;
        return () => root.post('/api/user/', { username, password: 'Another0word', display_name: '' });
      },
    ],
    [
      'the administrator who sets a password',
      async () => {
        const root = await api.root();
        const { id } = await api.createUser();
        return () => root.put('/api/user/', { id, password: 'Another0word' });
      },
    ],
    [
      'who signs in with a browser that was in before',
      async () => {
        const { username } = await api.createUser();
        const browser = api.guest({ ip: newAddress() });
        await browser.login(username);
        browser.cookies.delete('session');
        browser.userId = null;
        return () => browser.post('/api/user/login', { username, password: PASSWORD });
      },
    ],
  ])('do not keep out %s, who waits for few of them', async (_who, prepare) => {
    const call = await prepare();
    const filling = await fill(count);
    expect(await turnOf(filling, call)).toEqual({ success: true, code: undefined, after: 1 });
  });
});

describe('the line', () => {
  it('has room for a stranger besides some dozens who come with right passwords', async () => {
    const { username } = await api.createUser();
    const filling = await fill(FEW * 3);
    const stranger = (): Promise<Answer> =>
      api.guest({ ip: newAddress() }).post('/api/user/login', { username, password: PASSWORD });
    expect((await turnOf(filling, stranger)).success).toBe(true);
  });

  it.each<[string, (n: number) => string]>([
    ['one address', () => '203.0.113.1'],
    ['one holder of many small networks', (n) => `2001:db8:5:${n.toString(16)}::1`],
  ])('holds no more of %s than its share, and tells it so', async (_who, ip) => {
    let made = 0;
    const filling = await fill(100, 1, () => ip(++made));
    expect(inLine()).toBe(PLUG + limits.passwordQueueOfOne);
    held.resolve();
    const answers = await Promise.all(filling);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(100 - limits.passwordQueueOfOne);
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('is never longer than its places, whoever comes', async () => {
    const filling = await fill(MANY);
    expect(inLine()).toBeLessThanOrEqual(limits.passwordQueue);
    held.resolve();
    await Promise.all(filling);
  });

  it('gives the places of who holds many to those who hold none', async () => {
    const filling = await fill(10, 40);
    const { username } = await api.createUser();
    const others = await queue(
      Array.from({ length: 20 }, () => api.guest({ ip: newAddress() })).map(
        (client) => () => client.post('/api/user/login', { username, password: PASSWORD }),
      ),
    );
    held.resolve();
    const answers = await Promise.all(others);
    expect(answers.map(({ success }) => success)).toEqual(new Array(20).fill(true));
    await Promise.all(filling);
  });

  it.each([
    ['of the right shape', (id: number) => `${id}.${'A'.repeat(22)}.${'B'.repeat(43)}`],
    ['of another account', (id: number, other: string) => other.replace(/^\d+/, String(id))],
  ])('costs no look at the database when it is full, by a mark %s that nobody made', async (_how, made) => {
    const { id, username } = await api.createUser();
    const other = api.guest({ ip: newAddress() });
    await other.login((await api.createUser()).username);
    const attacker = api.guest({ ip: newAddress() });
    attacker.cookies.set('known', made(id, other.cookies.get('known') ?? ''));
    const filling = await fill(MANY);
    const { orm } = api.deps.db;
    const looks = spyOn(orm, 'select');
    try {
      const answer = await attacker.post('/api/user/login', { username, password: PASSWORD });
      expect(answer.status).toBe(429);
      expect(looks).not.toHaveBeenCalled();
    } finally {
      looks.mockRestore();
      held.resolve();
      await Promise.all(filling);
    }
  });

  it('takes and counts nothing when it is full, by a good mark of another account than the one that is tried', async () => {
    const { username } = await api.createUser();
    const attacker = api.guest({ ip: newAddress() });
    const own = await api.createUser();
    await attacker.login(own.username);
    attacker.cookies.delete('session');
    attacker.userId = null;
    const filling = await fill(MANY);
    const counting = spyOn(api.deps.limiter, 'takeAll');
    try {
      for (const name of [username, 'nobody-at-all']) {
        const answer = await attacker.post('/api/user/login', { username: name, password: 'Passw0rd2' });
        expect([answer.status, answer.code]).toEqual([429, 'RATE_LIMIT']);
      }
      const counted = counting.mock.calls.flatMap(([rules]) => rules.map(({ key }) => key));
      expect(counted.filter((key) => key.includes('critical:'))).toEqual([]);
      // His own account still takes him in.
      counting.mockRestore();
      const call = () => attacker.post('/api/user/login', { username: own.username, password: PASSWORD });
      expect(await turnOf(filling, call)).toMatchObject({ success: true });
    } finally {
      counting.mockRestore();
      held.resolve();
      await Promise.all(filling);
    }
  });
});
