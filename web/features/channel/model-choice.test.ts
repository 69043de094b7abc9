import { describe, expect, it } from 'bun:test';
import { afterChoice, choosable, firstChoice } from './model-choice.ts';

describe('the choice among the models of an upstream', () => {
  const known = { listed: ['a', 'b', 'c'], chosen: ['own', 'b'], unpriced: ['c', 'own'] };

  it('marks what is new, what the upstream does not list, and what has no price', () => {
    const marks = choosable(known).map(({ name, isNew, isUnlisted, isUnpriced }) =>
      [name, isNew && 'new', isUnlisted && 'unlisted', isUnpriced && 'unpriced'].filter(Boolean).join(' '),
    );
    expect(marks).toEqual(['a new', 'b', 'c new unpriced', 'own unlisted unpriced']);
  });

  it('begins with what the channel has, and for an empty one with what has a price', () => {
    expect([...firstChoice(known)]).toEqual(['own', 'b']);
    expect([...firstChoice({ ...known, chosen: [] })]).toEqual(['a', 'b']);
    expect([...firstChoice({ ...known, chosen: [], unpriced: ['a', 'b', 'c'] })]).toEqual(['a', 'b', 'c']);
  });

  it('keeps the order of what was there', () => {
    expect(afterChoice(known, new Set(['c', 'a', 'b', 'own']))).toEqual(['own', 'b', 'a', 'c']);
    expect(afterChoice(known, new Set(['c']))).toEqual(['c']);
  });
});
