import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { editedRole, laidOut, sentRole } from './role-text.ts';

describe('a role in the form', () => {
  it('is TOML, and JSON with four spaces on the wire', () => {
    const toml =
      '# a writer\nname = "笔者"\nsteps = [ "read", "write" ]\n\n[tools.search]\nlimit = 3\nfast = true\n';
    const json = sentRole({ syntax: 'toml', text: toml }) ?? '';
    const value = { name: '笔者', steps: ['read', 'write'], tools: { search: { limit: 3, fast: true } } };
    expect(json).toBe(JSON.stringify(value, null, 4));
    expect(editedRole(json).syntax).toBe('toml');
    expect(sentRole(editedRole(json))).toBe(json);
  });

  it.each<[string, string]>([
    ['no value', 'name ='],
    ['a name twice', 'a = 1\na = 2'],
    ['JSON', '{"a": 1}'],
    ['plain words', 'You are a writer.'],
    ['what JSON has no number for', 'a = inf'],
    ['what is no number', 'a = [1.5, nan]'],
    ['a number that would lose digits', 'a = 9007199254740993'],
  ])('does not parse as TOML with %s', (_, text) => {
    expect(sentRole({ syntax: 'toml', text })).toBeNull();
  });

  it.each([
    '1979-05-27',
    '07:32:00',
    '07:32:00.5',
    '1979-05-27T07:32:00',
    '1979-05-27 07:32:00',
    '1979-05-27T07:32:00Z',
    '1979-05-27T00:32:00.999999-07:00',
  ])('keeps a date as it is written: %s', (moment) => {
    const toml = `# since ${moment}\nsaid = "on ${moment}"\nsince = ${moment}\ndays = [ ${moment}, "x" ]\n`;
    const json = sentRole({ syntax: 'toml', text: toml }) ?? '';
    expect(JSON.parse(json)).toEqual({ said: `on ${moment}`, since: moment, days: [moment, 'x'] });
    const edited = editedRole(json);
    expect(edited.text).toContain(`since = ${moment}\n`);
    expect(sentRole(edited)).toBe(json);
  });

  it('takes no day that there is not for another, and no name of days for a date', () => {
    expect(sentRole({ syntax: 'toml', text: 'a = 1979-02-30' })).toBeNull();
    const named = sentRole({ syntax: 'toml', text: '1979-05-27 = 1\na.2001-01-01x = 2' }) ?? '';
    expect(JSON.parse(named)).toEqual({ '1979-05-27': 1, a: { '2001-01-01x': 2 } });
    expect(editedRole('{"a": "1979-02-30"}').text).toContain('a = "1979-02-30"');
  });

  it('finds no dates in strings, however they are written', () => {
    const toml = 'a = """\n"x" 1979-05-27\n"""\nb = \'1979-05-27\'\nc = \'\'\'\n1979-05-27\'\'\'\n';
    expect(JSON.parse(sentRole({ syntax: 'toml', text: toml }) ?? '')).toEqual({
      a: '"x" 1979-05-27\n',
      b: '1979-05-27',
      c: '1979-05-27',
    });
  });

  it.each<[string, string]>([
    ['a null', '{"a": null}'],
    ['a null deep within', '{"a": [{"b": null}]}'],
    ['a list at the top', '[1, 2]'],
    ['a text at the top', '"writer"'],
    ['nothing', '{}'],
    ['more digits than a number keeps', '{"id": 12345678901234567890}'],
    ['a fraction that would become whole', '{"temperature": 1.0}'],
    ['an exponent', '{"n": 1e400}'],
    ['a name twice', '{"a": 1, "a": 2}'],
  ])('is JSON where it has %s, and goes back as it came', (_, json) => {
    const edited = editedRole(json);
    expect(edited.syntax).toBe('json');
    for (const text of [edited.text, sentRole(edited)])
      expect(text?.replace(/\s/g, '')).toBe(json.replace(/\s/g, ''));
  });

  it('is sent no deeper than it is read', () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    for (const syntax of ['json', 'toml'] as const) {
      const text = (depth: number) =>
        syntax === 'json' ? nested(depth) : `x = ${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}`;
      expect(sentRole({ syntax, text: text(64) })).not.toBeNull();
      expect(sentRole({ syntax, text: text(65) })).toBeNull();
    }
    expect(editedRole(nested(65)).syntax).toBe('json');
  });

  it.each(['', '{', '{"a": 1,}', "{'a': 1}"])('does not parse as JSON: %j', (text) => {
    expect(sentRole({ syntax: 'json', text })).toBeNull();
  });

  it('is laid out as JSON is, whatever it holds', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(8), (json, spaces) => {
        const value = JSON.parse(json);
        expect(laidOut(JSON.stringify(value, null, spaces))).toBe(JSON.stringify(value, null, 4));
      }),
    );
  });

  it('is the same value after the form, whatever it holds and however it is edited', () => {
    const dates = fc.constantFrom('1979-05-27', '07:32:00', '1979-05-27T07:32:00Z', '1979-02-30', '25:00:00');
    const role = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue({ noUnicodeString: false }), dates));
    fc.assert(
      fc.property(role, (value) => {
        const json = JSON.stringify(value);
        expect(JSON.parse(sentRole(editedRole(json)) ?? '')).toEqual(JSON.parse(json));
      }),
    );
  });
});
