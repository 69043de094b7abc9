import { describe, expect, it } from 'bun:test';
import { BY_SECRET, plainNames } from '../../../tests/support/alike-names.ts';
import { limits } from '../../core/limits.ts';
import type { JsonFault } from '../../dialects/json-guard.ts';
import { pause } from '../../platform/pause.ts';
import { SessionLine } from './session-line.ts';
import { SessionTurns } from './session-turns.ts';

/** Small events that one turn passes. */
const MOST = Math.ceil(limits.sessionsTurnChars / (limits.sessionEventChars + 1));

interface Opened {
  turns?: SessionTurns;
  userId?: number;
  network?: string;
  passed?: string[];
  pass?: (event: string) => Promise<void> | undefined;
}

function open({ turns = new SessionTurns(), passed = [], pass, userId = 1, network = 'a' }: Opened = {}) {
  const reading: string[] = [];
  const faults: (JsonFault | null)[] = [];
  let waited = 0;
  const socket = { pause: () => void reading.push('paused'), resume: () => void reading.push('resumed') };
  const owner = {
    pass: (event: string, fault: JsonFault | null) => {
      passed.push(event);
      faults.push(fault);
      return pass?.(event);
    },
    stillWaits: () => void waited++,
  };
  const line = new SessionLine(socket, owner, { userId, network }, turns);
  return { line, passed, faults, reading, waited: () => waited };
}

const events = (count: number): string[] => Array.from({ length: count }, (_, n) => `${n % 10}`);

/** How many are passed in each of the next turns. */
async function inTurns(turns: number, passed: readonly string[]): Promise<number[]> {
  const counts: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const before = passed.length;
    await pause();
    counts.push(passed.length - before);
  }
  return counts;
}

describe('the events of a session’s caller', () => {
  it('are passed at once where they are few, and read on', async () => {
    const { line, passed, reading, waited } = open();
    for (const event of events(MOST)) line.push(event);
    expect(passed).toEqual(events(MOST));
    await pause();
    for (const event of events(MOST)) line.push(event);
    expect(passed).toHaveLength(2 * MOST);
    expect([reading, line.bytes, waited()]).toEqual([[], 0, 0]);
  });

  it('of one read are passed some a turn, in their order, while nothing more is read', async () => {
    const { line, passed, reading, waited } = open();
    const all = Array.from({ length: 10 * MOST }, (_, n) => `${n}`.padStart(4, ' '));
    for (const event of all) line.push(event);
    expect(passed.length).toBeLessThanOrEqual(MOST);
    expect(reading).toEqual(['paused']);
    for (const count of await inTurns(9, passed)) expect(count).toBeLessThanOrEqual(MOST);
    await pause();
    expect(passed).toEqual(all);
    expect([reading, line.bytes, waited()]).toEqual([['paused', 'resumed'], 0, 1]);
  });

  it('wait for one that takes time, which takes room and none of the loop', async () => {
    const held = Promise.withResolvers<void>();
    const { line, passed, reading, waited } = open({
      pass: (event) => (event === '1' ? held.promise : undefined),
    });
    for (const event of events(4)) line.push(event);
    for (let turn = 0; turn < 5; turn++) await pause();
    expect([passed, reading, waited()]).toEqual([['0', '1'], ['paused'], 1]);
    expect(line.bytes).toBeGreaterThan(100);
    held.resolve();
    await pause();
    expect([passed, reading]).toEqual([events(4), ['paused', 'resumed']]);
  });

  it('take room for whatever letters they are of', () => {
    const { line } = open({ pass: () => new Promise(() => undefined) });
    line.push('{}');
    // One that is beyond Latin makes all of them wide.
    line.push(`${'x'.repeat(999)}话`);
    expect(line.bytes).toBeWithin(2_000, 2_100);
  });

  it('are passed no more once it has ended, and are read for nobody', async () => {
    const { line, passed, reading } = open();
    for (const event of events(3 * MOST)) line.push(event);
    line.end();
    line.push('late');
    await pause();
    expect([passed.length, reading, line.bytes]).toEqual([MOST, ['paused', 'resumed'], 0]);
  });

  it('that hold more than any needs are passed as such', async () => {
    const { line, faults } = open();
    const many = (count: number, of: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => of(n)).join();
    const all = [
      `{${many(limits.sessionEventKeys, (n) => `"k.${n}":1`)}}`,
      `{${many(limits.sessionEventKeys + 1, (n) => `"k.${n}":1`)}}`,
      `{${many(2_100, (n) => `"\u017f\u017f${n}":1`)}}`,
      `{"a":[${many(limits.sessionEventValues, () => '1')}]}`,
      `{"a":${'['.repeat(100)}`,
    ];
    for (const event of all) line.push(event);
    await inTurns(20, []);
    expect(faults).toEqual([null, 'keys', 'keys', 'values', 'depth']);
  });
});

describe('short texts and names of a session', () => {
  const item = (texts: readonly string[]) =>
    JSON.stringify({ type: 'conversation.item.create', item: { content: texts.map((text) => ({ text })) } });
  const named = (names: readonly string[]) =>
    JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));
  const inEvents = (texts: readonly string[], each: number, of: (texts: readonly string[]) => string) =>
    Array.from({ length: texts.length / each }, (_, n) => of(texts.slice(n * each, (n + 1) * each)));

  it.each([
    ['texts', item],
    ['names', named],
  ])('that stand in one place are counted over its events: %s', async (_what, of) => {
    const { line, faults } = open();
    const [first = '', ...others] = inEvents(BY_SECRET.latin(60), 12, of);
    for (const event of [first, ...others, first, first, ...others]) line.push(event);
    await inTurns(20, []);
    const refused = others.map(() => 'alike');
    expect(faults).toEqual([null, ...refused, null, null, ...refused] as JsonFault[]);
  });

  it('are not counted with those of others', async () => {
    const all = BY_SECRET.latin(60);
    const faults = inEvents(all, 12, item).flatMap((event) => {
      const session = open();
      session.line.push(event);
      return session.faults;
    });
    expect(faults).toEqual([null, null, null, null, null]);
  });

  it('may be as many as they like in a long one', async () => {
    const { line, faults } = open();
    const events = inEvents(plainNames(20_000), 50, item);
    for (const event of events) line.push(event);
    await inTurns(50, []);
    expect(faults).toEqual(events.map(() => null));
  });
});

describe('the events of all sessions', () => {
  it('are passed some a turn together, however many sessions there are', async () => {
    const turns = new SessionTurns();
    const passed: string[] = [];
    const lines = events(64).map((_, n) => open({ turns, passed, userId: n, network: `${n}` }).line);
    for (const line of lines) for (const event of events(4)) line.push(event);
    expect(passed).toHaveLength(MOST);
    for (const count of await inTurns(3, passed)) expect(count).toBeLessThanOrEqual(MOST);
    await pause();
    expect(passed).toHaveLength(64 * 4);
  });

  it('lack in the turns after a large one what that took, as after one of many names', async () => {
    const large = 'x'.repeat(8 * limits.sessionsTurnChars - limits.sessionEventChars);
    const names = Math.floor((4 * limits.sessionsTurnChars) / limits.sessionNameChars);
    const named = `{${Array.from({ length: names }, (_, n) => `"${n}.":1`).join()}}`;
    const turns = new SessionTurns();
    const passed: string[] = [];
    for (const [n, event] of [large, large, named, named].entries())
      open({ turns, passed, userId: n, network: `${n}` }).line.push(event);
    expect(passed).toHaveLength(1);
    expect(await inTurns(8, passed)).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
    expect(await inTurns(8, passed)).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
    expect(await inTurns(5, passed)).toEqual([0, 0, 0, 1, 0]);
  });

  it('are passed by who has had least, by network, and behind one by user', async () => {
    const turns = new SessionTurns();
    const passed: string[] = [];
    const sessionOf = (userId: number, network: string) => open({ turns, passed, userId, network }).line;
    // Ten sessions of two users send what takes a turn or more, a third one of that network and another one hardly anything.
    const large = limits.sessionsTurnChars;
    for (let n = 0; n < 10; n++) sessionOf(n % 2, 'busy').push(`${n % 2}`.repeat(large));
    const neighbour = sessionOf(2, 'busy');
    const other = sessionOf(3, 'other');
    for (const event of events(MOST)) {
      neighbour.push(`n${event}`);
      other.push(`o${event}`);
    }
    await inTurns(30, passed);
    const order = passed.map((event) => event[0]).join('');
    expect(order).toHaveLength(10 + 2 * MOST);
    // The other network has all of his before a second large one, and the neighbour before a second one of the same user.
    expect(order.lastIndexOf('o')).toBeLessThan(order.indexOf('1'));
    expect(order.slice(order.lastIndexOf('n')).replaceAll('n', '')).toHaveLength(8);
  });
});
