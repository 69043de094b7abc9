import { describe, expect, it } from 'bun:test';
import { ReaderPlaces, Stay } from './reader-places.ts';

/** So many who have a place, all that there are, and what was told to end. */
function open(most: number) {
  const places = new ReaderPlaces(most, []);
  const ended: string[] = [];
  const stays = Array.from({ length: most }, () => new Stay(places.take()));
  const stands = (stay: Stay, what: string, sinceMs = 0) =>
    stay.standsStill(() => void ended.push(what), sinceMs);
  return { places, stays, stands, ended };
}

/** The same of one alone. */
function openOne() {
  const {
    stays: [stay = new Stay()],
    ...opened
  } = open(1);
  return { ...opened, stay };
}

describe('who waits for several things', () => {
  it('stands still as long as any of them does not move', () => {
    const { places, stay, stands, ended } = openOne();
    const pictureMoves = stands(stay, 'picture');
    const readerMoves = stands(stay, 'reader');
    pictureMoves();
    pictureMoves();
    const laterMoves = stands(stay, 'later');
    laterMoves();
    expect(places.take()).not.toBeNull();
    expect(ended).toEqual(['reader']);
    readerMoves();
    expect(places.take()).toBeNull();
  });

  it('is told by all that wait, and moves once none does', () => {
    const { places, stay, stands, ended } = openOne();
    const moves = [stands(stay, 'picture'), stands(stay, 'reader')];
    for (const each of moves) each();
    expect(places.take()).toBeNull();
    stands(stay, 'picture');
    stands(stay, 'reader');
    expect(places.take()).not.toBeNull();
    expect(ended).toEqual(['picture', 'reader']);
  });

  it('has stood still since the first of them that waits yet', () => {
    const {
      places,
      stays: [one = new Stay(), other = new Stay()],
      stands,
      ended,
    } = open(2);
    stands(one, 'later', 3);
    const moves = stands(one, 'first', 1);
    stands(other, 'other', 2);
    expect(places.take()).not.toBeNull();
    expect(ended).toEqual(['later', 'first']);
    moves();

    const again = open(2);
    const [mine = new Stay(), hers = new Stay()] = again.stays;
    again.stands(mine, 'later', 3);
    again.stands(mine, 'first', 1)();
    again.stands(hers, 'hers', 2);
    expect(again.places.take()).not.toBeNull();
    expect(again.ended).toEqual(['hers']);
  });
});

it('who goes on though his place is another’s ends as soon as he stands still again', () => {
  const { places, stay, stands, ended } = openOne();
  stands(stay, 'picture');
  expect(places.take()).not.toBeNull();
  const moves = stands(stay, 'reader');
  expect(ended).toEqual(['picture', 'reader']);
  moves();
  expect([stay.isOver, places.taken, places.take()]).toEqual([true, 1, null]);
});

it('who has left by himself is not told to end', () => {
  const { places, stay, stands, ended } = openOne();
  stands(stay, 'reader');
  stay.leave();
  stands(stay, 'later');
  expect(places.take()).not.toBeNull();
  expect(ended).toEqual([]);
});

describe('who has most places gives way first', () => {
  /** All places are taken: of each so many by his name and that of his network, and all stand still, the first the longest. */
  function openTaken(...taken: [name: string, network: string, places: number][]) {
    const most = taken.reduce((sum, [, , places]) => sum + places, 0);
    const places = new ReaderPlaces(most, [1, 1]);
    const ended: string[] = [];
    for (const [name, network, count] of taken) {
      for (let n = 0; n < count; n++) {
        new Stay(places.take(name, network)).standsStill(() => void ended.push(name), n);
      }
    }
    expect(places.take('newcomer', 'elsewhere')).not.toBeNull();
    return ended;
  }
  const at = (network: string, names: string, each: number) =>
    [...names].map((name): [string, string, number] => [name, network, each]);

  it('of one alone and one with neighbours who has the more himself', () => {
    expect(openTaken(...at('office', 'abcdef', 1), ['alone', 'home', 3])).toEqual(['alone']);
  });

  it('of one alone and many names of one network, each with less, one of these where all of them have far more', () => {
    expect(openTaken(['alone', 'home', 3], ...at('hired', 'abcdef', 2))).toEqual(['a']);
  });

  it('of neighbours who has the most himself', () => {
    expect(openTaken(['a', 'office', 1], ['b', 'office', 2], ['alone', 'home', 1])).toEqual(['b']);
  });
});

describe('whose wait is dear', () => {
  /** Four places, all of them taken: two are the first one's. */
  function openShared(few = 0) {
    const places = new ReaderPlaces(4, [3 / 4, 1], few);
    const ended: string[] = [];
    const of = (name: string) => new Stay(places.take(name, 'network'));
    const [first, again, second, third] = [of('first'), of('first'), of('second'), of('third')] as const;
    const stands = (stay: Stay, what: string, { sinceMs = 0, isDear = false } = {}) =>
      stay.standsStill(() => void ended.push(what), sinceMs, isDear);
    return { places, ended, first, again, second, third, stands };
  }

  it('gives way to others behind all who have as many places', () => {
    const { places, ended, second, third, stands } = openShared();
    stands(second, 'tools', { sinceMs: 1, isDear: true });
    stands(third, 'picture', { sinceMs: 2 });
    for (const name of ['fourth', 'fifth']) expect(places.take(name)).not.toBeNull();
    expect(ended).toEqual(['picture', 'tools']);
  });

  it('gives way before all who have fewer places', () => {
    const { places, ended, first, second, stands } = openShared();
    stands(first, 'tools', { sinceMs: 2, isDear: true });
    stands(second, 'picture', { sinceMs: 1 });
    expect(places.take('fourth')).not.toBeNull();
    expect(ended).toEqual(['tools']);
  });

  it('gives way to himself as any other does', () => {
    const { places, ended, first, again, stands } = openShared(2);
    stands(first, 'tools', { sinceMs: 1, isDear: true });
    stands(again, 'picture', { sinceMs: 2 });
    expect(places.take('first', 'network')).not.toBeNull();
    expect(ended).toEqual(['tools']);
  });

  it('is dear only where nothing else waits in his place', () => {
    const { places, ended, first, second, stands } = openShared(2);
    const moves = stands(first, 'reader', { sinceMs: 1 });
    stands(first, 'tools', { sinceMs: 1, isDear: true });
    stands(second, 'picture', { sinceMs: 2 });
    expect(places.take('fourth')).not.toBeNull();
    expect(ended).toEqual(['reader', 'tools']);
    moves();
  });

  it.each([
    ['of the house', ['fourth', 'elsewhere']],
    ['of his network', ['fourth', 'network']],
  ])('gives no place to others %s as long as he has few', (_, others) => {
    const { places, ended, first, again, second, stands } = openShared(1);
    stands(second, 'tools', { isDear: true });
    expect(places.take(...others)).toBeNull();
    // One of who has more of them, though it is as dear.
    stands(first, 'two', { sinceMs: 1, isDear: true });
    stands(again, 'one', { sinceMs: 2, isDear: true });
    expect(places.take(...others)).not.toBeNull();
    expect(places.take('fifth', 'elsewhere')).toBeNull();
    expect(ended).toEqual(['two']);
    // For himself he has it.
    expect(places.take('second', 'network')).not.toBeNull();
    expect(ended).toEqual(['two', 'tools']);
  });

  it('is remembered for whoever goes on though he has given way', () => {
    const { places, ended, first, stands } = openShared();
    stands(first, 'picture');
    expect(places.take('fourth')).not.toBeNull();
    stands(first, 'reader');
    expect(ended).toEqual(['picture', 'reader']);
  });
});
