import { describe, expect, it } from 'bun:test';
import { limits } from '../../core/limits.ts';
import { pause } from '../../platform/pause.ts';
import { SessionLine } from './session-line.ts';

const MOST = Math.ceil(limits.sessionTurnChars / (limits.sessionEventChars + 1));

function open(pass: (event: string) => Promise<void> | undefined = () => undefined) {
  const passed: string[] = [];
  const reading: string[] = [];
  let waited = 0;
  const socket = { pause: () => void reading.push('paused'), resume: () => void reading.push('resumed') };
  const line = new SessionLine(socket, {
    pass: (event) => {
      passed.push(event);
      return pass(event);
    },
    stillWaits: () => void waited++,
  });
  return { line, passed, reading, waited: () => waited };
}

const events = (count: number): string[] => Array.from({ length: count }, (_, n) => `${n}`);

describe('the events of a session’s caller', () => {
  it('are passed at once where they are few, and read on', async () => {
    const { line, passed, reading } = open();
    for (const event of events(MOST)) line.push(event);
    expect(passed).toEqual(events(MOST));
    await pause();
    for (const event of events(MOST)) line.push(event);
    expect(passed).toHaveLength(2 * MOST);
    expect([reading, line.bytes]).toEqual([[], 0]);
  });

  it('of one read are passed some a turn, in their order, while nothing more is read', async () => {
    const { line, passed, reading, waited } = open();
    for (const event of events(10 * MOST)) line.push(event);
    for (let turn = 1; turn <= 10; turn++) {
      expect(passed).toEqual(events(turn * MOST));
      expect(reading).toEqual(turn < 10 ? ['paused'] : ['paused', 'resumed']);
      await pause();
    }
    expect([line.bytes, waited()]).toEqual([0, 8]);
  });

  it('are passed one a turn where they are large', async () => {
    const { line, passed } = open();
    const large = Array.from({ length: 3 }, (_, n) => `${n}`.repeat(limits.sessionTurnChars));
    for (const event of large) line.push(event);
    for (let turn = 1; turn <= 3; turn++) {
      expect(passed).toHaveLength(turn);
      await pause();
    }
    expect(passed).toEqual(large);
  });

  it('wait for one that takes time, which takes room and none of the loop', async () => {
    const held = Promise.withResolvers<void>();
    const { line, passed, reading, waited } = open((event) => (event === '1' ? held.promise : undefined));
    for (const event of events(4)) line.push(event);
    for (let turn = 0; turn < 5; turn++) await pause();
    expect([passed, reading, waited()]).toEqual([['0', '1'], ['paused'], 1]);
    expect(line.bytes).toBeGreaterThan(100);
    held.resolve();
    await pause();
    expect([passed, reading]).toEqual([events(4), ['paused', 'resumed']]);
  });

  it('are passed no more once it has ended, and are read for nobody', async () => {
    const { line, passed, reading } = open();
    for (const event of events(3 * MOST)) line.push(event);
    line.end();
    line.push('late');
    await pause();
    expect([passed.length, reading, line.bytes]).toEqual([MOST, ['paused', 'resumed'], 0]);
  });
});
