import { expect, it } from 'bun:test';
import { ownText } from './own-text.ts';

const ANY = { before: '', names: ['m'] };
const COMPOUND = { before: '', names: ['groq/compound-mini', 'fast'] };
const AT_GROQ = { ...COMPOUND, freeFinds: true } as const;

const line = 'A'.repeat(76);
it.each([
  ['![](data:image/png;base64,AAAA+/==)', '![](data:image/png)'],
  [`a;base64,${line}\r\n${line}\n${line}==\nb`, 'a\r\nb'],
  [';base64, one two', ' one two'],
  [';base64,one\ntwo\nthree', '\ntwo\nthree'],
  ['base64,AAAA', 'base64,AAAA'],
])('data in a text is not its own: %#', (said, own) => {
  expect(ownText(said, ANY)).toBe(own);
});

it('what its caller has said is not, where it begins with that', () => {
  expect(ownText('So it is.', { ...ANY, before: 'So it' })).toBe(' is.');
  expect(ownText('So it is.', { ...ANY, before: 'it' })).toBe('So it is.');
});

it.each([
  ['<tool>search(a)</tool> <output>b\nc</output> d', '<tool>search(a)</tool>  d'],
  ['<output>a</output><output>b</output>c', 'c'],
  ['<output>a<output>b</output>c</output>', 'c</output>'],
  ['a</output><output>b', 'a</output><output>b'],
  ['a', 'a'],
])(
  'what tools have found is not where it is shown among the thoughts, and elsewhere it is: %#',
  (said, own) => {
    expect(ownText(said, AT_GROQ)).toBe(own);
    expect(ownText(said, { ...ANY, freeFinds: true })).toBe(said);
    // Who sells Groq's systems on bills what is shown.
    expect(ownText(said, COMPOUND)).toBe(said);
  },
);
