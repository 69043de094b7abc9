import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setSystemTime, test } from 'bun:test';
import { type Client, openApi, type TestApi, type TestUser } from '../../../tests/support/api.ts';
import { callEngines } from '../../../tests/support/database.ts';
import { registerApp } from '../../../tests/support/oauth-app.ts';
import type { Database } from '../../db/client.ts';
import { inRanges, parseAddress } from '../../platform/networks.ts';
import { type Callers, createCallers } from './callers.ts';

const HERE = { ip: '203.0.113.1', apart: '' };

/** The database, counting the reads that begin with `select()`. */
function counting(db: Database): { db: Database; reads(): number } {
  let reads = 0;
  const orm = new Proxy(db.orm, {
    get(target, name, receiver) {
      if (name === 'select') reads++;
      return Reflect.get(target, name, receiver);
    },
  });
  return { db: { ...db, orm }, reads: () => reads };
}

describe.each(callEngines)('callers, on %s', (engine) => {
  let api: TestApi;
  let user: TestUser;
  let mine: Client;
  let callers: Callers;
  let reads: () => number;
  beforeAll(async () => {
    api = await openApi(engine);
    user = await api.createUser({ username: 'una', group: 'vip' });
    mine = await api.as(user);
  });
  afterAll(() => api.close());
  beforeEach(() => {
    const counted = counting(api.deps.db);
    reads = counted.reads;
    callers = createCallers({ ...api.deps, db: counted.db });
  });
  afterEach(() => void setSystemTime());

  const make = async (body: object = {}, owner = mine): Promise<{ id: number; key: string }> =>
    (await owner.post('/api/token/', { name: 'call', ...body })).data;

  test('a key finds its token and user, with what a call is judged by', async () => {
    const { id, key } = await make({
      model_limits_enabled: true,
      model_limits: 'a,b',
      allow_ips: '10.0.0.0/8\n::1',
      unlimited_quota: true,
    });
    const caller = await callers.find(key, HERE);
    expect(caller).toMatchObject({
      tokenId: id,
      tokenName: 'call',
      tokenStatus: 1,
      expiredTime: -1,
      unlimited: true,
      modelLimits: new Set(['a', 'b']),
      group: 'vip',
      userGroup: 'vip',
      userId: user.id,
      username: 'una',
      role: 1,
      userStatus: 1,
      acceptUnset: false,
    });
    const address = parseAddress('10.1.2.3');
    expect(address && caller && inRanges(address, caller.allowIps)).toBe(true);
    expect(JSON.stringify(caller)).not.toContain(key);
  });

  test('without limits every model may be called, and the token’s group goes before the user’s', async () => {
    const { key } = await make({ model_limits: 'a', group: 'default' });
    expect(await callers.find(key, HERE)).toMatchObject({
      modelLimits: null,
      group: 'default',
      userGroup: 'vip',
    });
  });

  test('a token that an application made has no rights but those of an ordinary user', async () => {
    const admin = await api.as(await api.createUser({ role: 10 }));
    const [own, made] = [await make({}, admin), await make({}, admin)];
    const app = await registerApp(await api.root());
    await api.deps.db.query(`update tokens set oauth_app_id = ${app.id} where id = ${made.id}`);
    expect(await callers.find(own.key, HERE)).toMatchObject({ role: 10, appId: null });
    expect(await callers.find(made.key, HERE)).toMatchObject({ role: 1, appId: app.id });
  });

  test('the setting for models without a price is told', async () => {
    const { key } = await make();
    await api.deps.db.query(
      `update users set setting = '{"accept_unset_model_ratio_model": true}' where id = ${user.id}`,
    );
    expect(await callers.find(key, HERE)).toMatchObject({ acceptUnset: true });
    await api.deps.db.query(`update users set setting = '{}' where id = ${user.id}`);
  });

  test('what cannot be a key is never looked up', async () => {
    for (const text of [
      '',
      'nope',
      `sk-${'a'.repeat(48)}`,
      'a'.repeat(47),
      `${'a'.repeat(47)}'`,
      'a'.repeat(49),
    ]) {
      expect(await callers.find(text, HERE)).toBeNull();
    }
    expect(reads()).toBe(0);
  });

  test('a key that nobody has is asked for again only after five seconds', async () => {
    const guess = 'z'.repeat(48);
    setSystemTime(new Date('2026-01-01T00:00:00Z'));
    for (let i = 0; i < 3; i++) expect(await callers.find(guess, HERE)).toBeNull();
    expect(reads()).toBe(1);
    setSystemTime(new Date('2026-01-01T00:00:06Z'));
    await callers.find(guess, HERE);
    expect(reads()).toBe(2);
  });

  test('many calls at once read once, later ones not at all for a minute', async () => {
    const { key } = await make();
    setSystemTime(new Date('2026-01-01T00:00:00Z'));
    const found = await Promise.all(Array.from({ length: 50 }, () => callers.find(key, HERE)));
    expect(new Set(found).size).toBe(1);
    setSystemTime(new Date('2026-01-01T00:00:59Z'));
    await callers.find(key, HERE);
    expect(reads()).toBe(1);
    setSystemTime(new Date('2026-01-01T00:01:01Z'));
    await callers.find(key, HERE);
    expect(reads()).toBe(2);
  });

  test('the very next call sees a change of the token, and its removal', async () => {
    const { id, key } = await make();
    await callers.find(key, HERE);
    await mine.put('/api/token/', { id, status: 2, name: 'renamed' });
    expect(await callers.find(key, HERE)).toMatchObject({ tokenStatus: 2, tokenName: 'renamed' });
    await mine.del(`/api/token/${id}`);
    expect(await callers.find(key, HERE)).toBeNull();
  });

  test('a change of one token leaves the others in memory', async () => {
    const [changed, kept] = [await make(), await make()];
    await callers.find(kept.key, HERE);
    await mine.put('/api/token/', { id: changed.id, name: 'changed' });
    await callers.find(kept.key, HERE);
    expect(reads()).toBe(1);
  });

  test('whoever removes many tokens, or his account, leaves those of others in memory', async () => {
    const other = await api.as(await api.createUser());
    const held: { id: number; key: string }[] = [];
    for (let i = 0; i < 21; i++) held.push((await other.post('/api/token/', { name: `x${i}` })).data);
    const kept = await make();
    await callers.find(kept.key, HERE);
    for (const { key } of held) expect(await callers.find(key, HERE)).not.toBeNull();
    const before = reads();
    await other.post('/api/token/batch', { ids: held.map(({ id }) => id) });
    expect((await other.del('/api/user/self')).success).toBe(true);
    await callers.find(kept.key, HERE);
    expect(reads()).toBe(before);
    for (const { key } of held) expect(await callers.find(key, HERE)).toBeNull();
  });

  test('the very next call sees that its user was banned', async () => {
    const victim = await api.createUser();
    const { key } = (await (await api.as(victim)).post('/api/token/', { name: 'x' })).data;
    expect(await callers.find(key, HERE)).toMatchObject({ userStatus: 1 });
    await (await api.root()).post('/api/user/manage', { id: victim.id, action: 'disable' });
    expect(await callers.find(key, HERE)).toMatchObject({ userStatus: 2 });
  });

  test('a read that began before a change is not kept', async () => {
    const { id, key } = await make({ name: 'old' });
    // Begun, but the row may already be read when the change commits.
    const early = callers.find(key, HERE);
    await mine.put('/api/token/', { id, name: 'new' });
    await early;
    expect(await callers.find(key, HERE)).toMatchObject({ tokenName: 'new' });
  });

  test('of more keys than are remembered the oldest is read anew, of nobody’s keys apart from the others', async () => {
    const counted = counting(api.deps.db);
    const few = createCallers({ ...api.deps, db: counted.db }, { known: 2, unknown: 2 });
    const ask = async (key: string) => {
      const before = counted.reads();
      await few.find(key, HERE);
      return counted.reads() - before;
    };
    const keys = [(await make()).key, (await make()).key, (await make()).key];
    const guesses = ['x', 'y', 'z'].map((letter) => letter.repeat(48));
    for (const key of [...keys, ...guesses]) expect(await ask(key)).toBe(1);
    for (const [first = '', ...later] of [keys, guesses]) {
      for (const key of later) expect(await ask(key)).toBe(0);
      expect(await ask(first)).toBe(1);
    }
  });

  test('of long lists of models no more are remembered than there is room for', async () => {
    const counted = counting(api.deps.db);
    const few = createCallers({ ...api.deps, db: counted.db }, { known: 50, unknown: 2, bytes: 500_000 });
    const find = (key: string) => few.find(key, HERE);
    const model_limits = Array.from({ length: 2_000 }, (_, n) => `m${n}`).join(',');
    const owner = await api.as(await api.createUser());
    const keys: string[] = [];
    for (let n = 0; n < 4; n++) {
      keys.push((await make({ model_limits_enabled: true, model_limits }, owner)).key);
    }
    const plain = (await make()).key;
    await find(plain);
    for (const key of keys) await find(key);
    const before = counted.reads();
    for (const key of keys.slice(-2)) await find(key);
    expect(counted.reads() - before).toBe(0);
    await find(plain);
    await find(keys[0] ?? '');
    expect(counted.reads() - before).toBe(2);
  });

  test('what is over its time is not kept for who never asks again', async () => {
    const kept = new Set<WeakRef<object>>();
    setSystemTime(new Date('2026-01-01T00:00:00Z'));
    for (let n = 0; n < 5; n++) {
      const caller = await callers.find((await make()).key, HERE);
      if (caller) kept.add(new WeakRef(caller));
    }
    setSystemTime(new Date('2026-01-01T00:01:01Z'));
    await callers.find((await make()).key, HERE);
    const left = () => [...kept].filter((each) => each.deref() !== undefined).length;
    // Old stack frames may hold one for a while.
    for (let tries = 0; tries < 50 && left() > 0; tries++) {
      await Bun.sleep(1);
      Bun.gc(true);
    }
    expect(left()).toBeLessThanOrEqual(1);
  });

  test('a database that is away is an error, never an unknown key', async () => {
    const away = createCallers({ ...api.deps, db: { ...api.deps.db, orm: brokenOrm(api.deps.db.orm) } });
    const { key } = await make();
    await expect(away.find(key, HERE)).rejects.toThrow('away');
    await expect(away.find(key, HERE)).rejects.toThrow('away');
  });
});

const brokenOrm = (orm: Database['orm']): Database['orm'] =>
  new Proxy(orm, {
    get(target, name, receiver) {
      if (name === 'select') throw new Error('away');
      return Reflect.get(target, name, receiver);
    },
  });
