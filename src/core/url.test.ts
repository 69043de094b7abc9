import { afterAll, afterEach, expect, it, spyOn } from 'bun:test';
import { HOST_END_MAX, URL_MAX, urlOf } from './url.ts';

const parse = spyOn(URL, 'parse');
afterEach(() => {
  parse.mockClear();
});
afterAll(() => {
  parse.mockRestore();
});

const LONG = `https://host.example/${'a'.repeat(URL_MAX - 100)}`;
const LONG_NAME = `https://${'a'.repeat(60)}.${'b'.repeat(60)}.example`;
const TOO_LONG_NAME = 'é.'.repeat(HOST_END_MAX / 2);

it.each([
  ['a plain one', `https://${TOO_LONG_NAME}`],
  ['behind backslashes', `https:\\\\${TOO_LONG_NAME}/`],
  ['behind many slashes', `https:/\\//\t/\n${TOO_LONG_NAME}/`],
  ['without slashes', `https:${TOO_LONG_NAME}/`],
  ['in pieces', `ht\ntps:\t/\r/${TOO_LONG_NAME.replaceAll('.', '.\n')}/`],
  ['behind blanks', `  https://${TOO_LONG_NAME}?q`],
  ['behind a sign-in', `https://me:you@${TOO_LONG_NAME}#h`],
  ['in front of a backslash that ends it', `https://${TOO_LONG_NAME}\\@host/`],
  ['without a scheme', `//${TOO_LONG_NAME}/`],
  ['without a scheme, with backslashes', `\\\\${TOO_LONG_NAME}/`],
  ['with a path that is too long', `https://host/${'a'.repeat(URL_MAX)}`],
])('what is too long is not parsed: %s', (_, text) => {
  expect(urlOf(text, 'https://base.example')).toBeNull();
  expect(parse).not.toHaveBeenCalled();
});

it.each([
  ['a plain one', 'https://host.example/a?b#c', 'https://host.example/a?b#c'],
  ['a long one', LONG, LONG],
  ['one of a long name', `${LONG_NAME}:8080`, `${LONG_NAME}:8080/`],
  ['a path', '/path?q', 'https://base.example/path?q'],
  ['no host', 'https://[', null],
  ['a blank', 'http://a b/', null],
])('%s is read', (_, text, href) => {
  expect(urlOf(text, 'https://base.example')?.href ?? null).toBe(href);
});
