/** What of a prompt would be the work of several drawings stays behind, or is refused: one is paid. */
import { expect, it } from 'bun:test';
import { imagine, plusCalls } from './midjourney.ts';

const settings = { choosesAccount: false, clearsMode: false, mode: null, notify: null };

it.each<[string, string, string[]]>([
  [
    'https://a.example/p.png a cat --video 1 --bs 4',
    'https://a.example/p.png a cat',
    ['prompt.video', 'prompt.bs'],
  ],
  ['a cat --repeat 40 --ar 16:9', 'a cat   --ar 16:9', ['prompt.repeat']],
  ['a cat --R 40', 'a cat', ['prompt.r']],
  ['a cat \u2014video --motion high', 'a cat     high', ['prompt.video', 'prompt.motion']],
  ['a cat --q 4 --hd', 'a cat', ['prompt.q', 'prompt.hd']],
  ['a cat --re--r 4 peat 40', 'a cat --re  peat 40', ['prompt.r']],
  ['a cat --quality .5 --v 7 --raw --no red', 'a cat   --v 7 --raw --no red', ['prompt.quality']],
  ['a cat ---r 1.5 --bs 4.', 'a cat -    4.', ['prompt.r', 'prompt.bs']],
  [
    'a cat \u2014\u2014repeat=4 --r 4a --r .5.',
    'a cat \u2014    4a   .5.',
    ['prompt.repeat', 'prompt.r', 'prompt.r'],
  ],
  ['a {red} cat, re--r-used', 'a {red} cat, re--r-used', []],
  ['a }{red {x}}}, b', 'a }{red {x}}}, b', []],
])('%s goes up as %s', (prompt, sent, lost) => {
  expect(() => imagine.readRequest({ prompt }, {})).not.toThrow();
  for (const { task } of [imagine, ...plusCalls]) {
    expect(task.sent?.({ prompt }, settings).prompt).toBe(sent);
    expect(task.lost?.({ prompt })).toEqual(lost);
  }
});

it.each([
  '{red, green, blue} cat',
  'a {cat {a, b}',
  'a \uff5b\u7ea2\uff0c\u7eff\uff5d cat',
  'a {red {x}, blue {y}} bird',
  'a {red \uff5d, blue} bird',
  'a {red \\}, blue} bird',
  'a } {red\u3001 blue} bird',
])('%s is refused', (prompt) => {
  expect(() => imagine.readRequest({ prompt }, {})).toThrow('invalid_request');
});

it.each<[string, string, string[]]>([
  ['a cat --fast --ar 1:1 --turbo', 'a cat --ar 1:1', []],
  ['a cat --r--fast 4', 'a cat 4', ['prompt.r']],
  ['a cat --repeat--turbo 10', 'a cat 10', ['prompt.repeat']],
  ['a cat --bs--relax 4', 'a cat 4', ['prompt.bs']],
  ['a cat ---fast-r 4', 'a cat - -r 4', []],
  ['a cat --r--bs 4 4', 'a cat    4', ['prompt.r', 'prompt.bs']],
])('%s has no word left once its mode is taken out, and none is made', (prompt, sent, lost) => {
  expect(imagine.task.sent?.({ prompt }, { ...settings, clearsMode: true }).prompt).toBe(sent);
  expect(imagine.task.lost?.({ prompt })).toEqual(lost);
});

it.each([
  ['prompt', 6_000],
  ['content', 6_000],
  // A client's own note, of which less is kept.
  ['state', 16_000],
])('nobody asks for a drawing in a %s of more than %p characters', (field, most) => {
  const asked = (length: number) => imagine.readRequest({ prompt: 'a cat', [field]: '-'.repeat(length) }, {});
  expect(() => asked(most)).not.toThrow();
  expect(() => asked(most + 1)).toThrow('invalid_request');
});
