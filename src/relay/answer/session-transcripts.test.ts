import { expect, it } from 'bun:test';
import fc from 'fast-check';
import { limits } from '../../core/limits.ts';
import { type Heard, Transcripts } from './session-transcripts.ts';

interface Doing {
  what: 'append' | 'commit' | 'name' | 'speech' | 'told' | 'untold' | 'write';
  at: number;
}
const anyDoing: fc.Arbitrary<Doing> = fc.record({
  what: fc.constantFrom(
    'append',
    'append',
    'commit',
    'commit',
    'name',
    'name',
    'speech',
    'told',
    'untold',
    'write',
  ),
  at: fc.nat(20),
});

/** An upstream that names items in order and tells of them in any, as often as it likes. */
it('pays for each item once, with all of its sound', () => {
  fc.assert(
    fc.property(fc.array(anyDoing, { maxLength: 150 }), (doings) => {
      const transcripts = new Transcripts();
      const paid: (Heard | null)[] = [];
      const named: string[] = [];
      const ended = new Set<string>();
      let [ear, inItems, items, unnamed] = [0, 0, 0, 0];
      const take = () => {
        const bytes = ear;
        ear = 0;
        return bytes;
      };
      const name = () => {
        const id = `item_${named.length}`;
        named.push(id);
        paid.push(transcripts.name(id, take, true));
      };
      for (const { what, at } of doings) {
        const id = named[at % Math.max(named.length, 1)];
        switch (what) {
          case 'append':
            ear += at + 1;
            break;
          case 'commit':
            if (ear === 0 || unnamed > 30) break;
            inItems += ear;
            items++;
            unnamed++;
            paid.push(transcripts.commit(take(), true));
            break;
          case 'name':
            if (unnamed === 0) break;
            unnamed--;
            name();
            break;
          case 'speech':
            if (unnamed > 0 || ear === 0) break;
            inItems += ear;
            items++;
            name();
            break;
          case 'write':
            if (id !== undefined) transcripts.hear(id)?.said.add('word');
            break;
          default:
            if (id === undefined) break;
            ended.add(id);
            paid.push(transcripts.end(id));
        }
      }
      const { bytes: waiting } = transcripts.waiting;
      const rest = transcripts.rest();
      expect(rest.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(waiting);
      const all = [...paid.filter((each) => each !== null), ...rest];
      expect(all).toHaveLength(items);
      expect(new Set(all).size).toBe(items);
      expect(all.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(inItems);
      expect(rest.length).toBeLessThanOrEqual(limits.transcriptsWaiting);
    }),
    { numRuns: 500 },
  );
});

it('has the oldest paid for where too many wait, and not again when it is told', () => {
  const transcripts = new Transcripts();
  const name = (n: number) => transcripts.name(`item_${n}`, () => n, true);
  for (let n = 0; n < limits.transcriptsWaiting; n++) expect(name(n)).toBeNull();
  expect(name(limits.transcriptsWaiting)).toMatchObject({ bytes: 0 });
  expect(transcripts.end('item_0')).toBeNull();
  expect(transcripts.end('item_1')).toMatchObject({ bytes: 1 });
});

it('gives back what was no item, and takes what is heard before it is one', () => {
  const transcripts = new Transcripts();
  transcripts.commit(5, true);
  transcripts.commit(7, true);
  expect(transcripts.refuse()).toBe(5);
  transcripts.name('a', () => 100, true);
  transcripts.hear('b')?.said.add('so');
  transcripts.name('b', () => 9, false);
  transcripts.name('b', () => 99, false);
  expect([transcripts.end('a'), transcripts.end('b')]).toMatchObject([{ bytes: 7 }, { bytes: 9 }]);
  expect(transcripts.refuse()).toBe(0);
});

it('pays for nothing that nobody writes down', () => {
  const transcripts = new Transcripts();
  for (let n = 0; n < 2 * limits.transcriptsWaiting; n++) {
    expect(transcripts.commit(5, false)).toBeNull();
    expect(transcripts.name(`item_${n}`, () => 0, false)).toBeNull();
  }
  expect([transcripts.rest(), transcripts.waiting]).toEqual([[], { bytes: 0, items: 0 }]);
});
