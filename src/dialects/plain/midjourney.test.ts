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
  ['a {red} cat, re--r-used', 'a {red} cat, re--r-used', []],
])('%s goes up as %s', (prompt, sent, lost) => {
  expect(() => imagine.readRequest({ prompt }, {})).not.toThrow();
  for (const { task } of [imagine, ...plusCalls]) {
    expect(task.sent?.({ prompt }, settings).prompt).toBe(sent);
    expect(task.lost?.({ prompt })).toEqual(lost);
  }
});

it.each(['{red, green, blue} cat', 'a {cat {a, b}', 'a \uff5b\u7ea2\uff0c\u7eff\uff5d cat'])(
  '%s is refused',
  (prompt) => {
    expect(() => imagine.readRequest({ prompt }, {})).toThrow('invalid_request');
  },
);
