import { afterAll, afterEach, expect, it, spyOn } from 'bun:test';
import { HOST_END_MAX, URL_MAX, urlOf } from './url.ts';

const parse = spyOn(URL, 'canParse');
afterEach(() => {
  parse.mockClear();
});
afterAll(() => {
  parse.mockRestore();
});

const LONG = `https://host.example/${'a'.repeat(URL_MAX - 100)}`;
const NAME = `https://${'a'.repeat(60)}.${'b'.repeat(60)}.example`;

const name = 'é.'.repeat(HOST_END_MAX / 2);

it.each([
  ['a plain one', `https://${name}`],
  ['behind a lean', `https:\\\\${name}/`],
  ['behind many slashes', `https:/\\//\t/\n${name}/`],
  ['without slashes', `https:${name}/`],
  ['in pieces', `ht\ntps:\t/\r/${name.replaceAll('.', '.\n')}/`],
  ['behind blanks', `  https://${name}?q`],
  ['behind a sign-in', `https://me:you@${name}#h`],
  ['in front of a lean that ends it', `https://${name}\\@host/`],
  ['without a scheme', `//${name}/`],
  ['without a scheme, leaning', `\\\\${name}/`],
  ['in a path of no length', `https://host/${'a'.repeat(URL_MAX)}`],
])('what is too long is not parsed: %s', (_, text) => {
  expect(urlOf(text, 'https://base.example')).toBeNull();
  expect(parse).not.toHaveBeenCalled();
});

it.each([
  ['a plain one', 'https://host.example/a?b#c', 'https://host.example/a?b#c'],
  ['a long one', LONG, LONG],
  ['one of a long name', `${NAME}:8080`, `${NAME}:8080/`],
  ['a path', '/path?q', 'https://base.example/path?q'],
  ['no host', 'https://[', null],
  ['a blank', 'http://a b/', null],
])('%s is read', (_, text, href) => {
  expect(urlOf(text, 'https://base.example')?.href ?? null).toBe(href);
});
