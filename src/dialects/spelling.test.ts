import { describe, expect, it, spyOn } from 'bun:test';
import fc from 'fast-check';
import { BY_SECRET } from '../../tests/support/alike-names.ts';
import { ALIKE_MOST } from '../core/alike.ts';
import { CAPS, FIELDS } from './gateway-fields.ts';
import { folded } from './spelling.ts';

/** Every character of the basic plane that a reader without case may take for this one, by the engine's own tables. */
function likes(letter: string): string[] {
  const same = new RegExp(`^${letter}$`, 'iu');
  const found: string[] = [];
  for (let code = 1; code < 0xffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const char = String.fromCharCode(code);
    if (same.test(char) || char.toLowerCase() === letter || char.toUpperCase() === letter.toUpperCase()) {
      found.push(char);
    }
  }
  return found;
}
const LIKE = new Map([...'abcdefghijklmnopqrstuvwxyz'].map((letter) => [letter, likes(letter)]));

const spelled = fc
  .constantFrom(...FIELDS)
  .chain((name) =>
    fc
      .tuple(
        ...[...name].map((char) =>
          fc.constantFrom(...(LIKE.get(char) ?? (char === '_' ? ['_', '', '-'] : [char]))),
        ),
      )
      .map((chars) => ({ name, other: chars.join('') })),
  );

describe('a name', () => {
  it('is kept for the next time, but of those in one place no more than a few', () => {
    const crowd = BY_SECRET.latin(1_000);
    for (const name of [...crowd, 'Lone_name_ä']) folded(name);
    const worked = spyOn(String.prototype, 'normalize');
    try {
      folded('Lone_name_ä');
      expect(worked).not.toHaveBeenCalled();
      for (const name of crowd) folded(name);
      expect(crowd.length - worked.mock.calls.length).toBeLessThanOrEqual(ALIKE_MOST);
    } finally {
      worked.mockRestore();
    }
  });

  it('in ASCII folds as it does beside a mark that means nothing', () => {
    const ascii = fc.string({ unit: fc.constantFrom(...'aZ_k-. 9~\\^@'), maxLength: 80 });
    fc.assert(fc.property(ascii, (name) => expect(folded(`\u0307${name}`)).toBe(folded(name))));
  });

  it('folds to the field that any reader without case takes it for', () => {
    // A long s, a Kelvin sign, an i without its dot: each is somebody's s, k and i.
    expect(LIKE.get('s')).toContain('ſ');
    expect(LIKE.get('k')).toContain('\u212a');
    expect(LIKE.get('i')).toContain('ı');
    fc.assert(
      fc.property(spelled, ({ name, other }) => expect(folded(other)).toBe(folded(name))),
      {
        numRuns: 2000,
      },
    );
  });

  it.each([
    ['MODEL', 'model'],
    ['ſtream', 'stream'],
    ['max_to\u212aens', 'max_tokens'],
    ['ﬆream', 'stream'],
    ['ｍｏｄｅｌ', 'model'],
    ['serviceTier', 'service_tier'],
    ['Service-Tier', 'service_tier'],
    ['CACHEDCONTENTİ', 'cachedcontenti'],
    ['model\0x', 'model'],
    ['model[]', 'model'],
    ['_model', 'model'],
    // PHP and its like make a line of these.
    ['max tokens', 'max_tokens'],
    ['max.tokens', 'max_tokens'],
    [' model', 'model'],
    ['model.', 'model'],
    ['model\u00a0', 'model'],
  ])('such as %j is %s', (other, name) => {
    expect(folded(other)).toBe(folded(name));
  });

  it.each(['models', 'top_p', 'temperature', 'modèl', 'mоdel', 'стрим', 'max_tokens_per_doc', ''])(
    'such as %j is no other field',
    (name) => {
      expect(FIELDS.filter((field) => folded(field) === folded(name) && field !== name)).toEqual([]);
    },
  );

  it('stands in the table once', () => {
    const names = FIELDS.map(folded);
    expect(new Set(names).size).toBe(names.length);
    expect(CAPS.every((name) => FIELDS.includes(name))).toBe(true);
  });
});
