import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  audioFormat,
  audioType,
  likelySource,
  schemeOf,
  sourceOfUrl,
  typeOfName,
  urlOfSource,
} from './media.ts';

test.each([
  ['data:image/png;base64,aGk=', { kind: 'data', mediaType: 'image/png', data: 'aGk=' }],
  ['data:;base64,aGk=', { kind: 'data', mediaType: 'audio/wav', data: 'aGk=' }],
  ['data:text/plain,h%20i', { kind: 'data', mediaType: 'text/plain', data: 'aCBp' }],
  ['data:text/plain;charset=utf-8;base64,aGk=', { kind: 'data', mediaType: 'text/plain', data: 'aGk=' }],
  ['https://a.example/x.png', { kind: 'url', url: 'https://a.example/x.png', mediaType: 'audio/wav' }],
] as const)('%s is read', (url, expected) => {
  expect(sourceOfUrl(url, 'audio/wav')).toEqual(expected);
});

test.each([
  'data:text/plain,%E0%A4%A',
  'data:text/plain,%',
  'data:text/plain,%ff',
  'data:image/png,%41',
  'data:;base64,%41',
  'data: no comma',
  'file:///etc/passwd',
])('what is not well written is the caller’s mistake, where it is no text: %s', (url) => {
  expect(() => sourceOfUrl(url)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  expect(likelySource(url, 'image/png')).toBeUndefined();
});

test('what is escaped is read as every reader of addresses does', () => {
  const pieces = fc.constantFrom(
    '%',
    '%C3',
    '%A4',
    '%e4',
    '%BD%A0',
    '%41',
    '%ED%A0%80',
    'ä',
    'é',
    '好',
    'a',
    '+',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 6 }), (all) => {
      const source = likelySource(`data:text/plain,${all.join('')}`, '');
      let read: string | undefined;
      try {
        read = decodeURIComponent(all.join(''));
      } catch {
        read = undefined;
      }
      expect(source?.kind === 'data' ? Buffer.from(source.data, 'base64').toString() : undefined).toBe(read);
    }),
  );
});

/** What stands before the colon, with anything that cannot be seen before it and in it. */
const SCHEME = /^[^\x21-\x7e]*([a-z](?:[^\x21-\x7e]*[a-z0-9+.-]){0,31})[^\x21-\x7e]*:/i;

test('a scheme is found behind and between whatever readers pass over', () => {
  const far = ' '.repeat(9_000);
  for (const url of [`${far}gs://a`, `g${far}s://a`, `gs${far}://a`, `\u3000GS\t:\n//a`]) {
    expect(schemeOf(url)).toMatchObject({ scheme: 'gs' });
  }
  const pieces = fc.constantFrom(
    'a',
    'Z',
    '7',
    '+',
    '-',
    '.',
    '/',
    ':',
    ' ',
    '\t',
    '好',
    '\0',
    'gs',
    'a'.repeat(29),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (all) => {
      const url = all.join('');
      const [whole, scheme] = SCHEME.exec(url) ?? [];
      const told = scheme?.replace(/[^\x21-\x7e]+/g, '').toLowerCase();
      expect(schemeOf(url)).toEqual(
        told === undefined ? undefined : { scheme: told, rest: url.slice(whole?.length) },
      );
    }),
  );
});

test('a source is written as the address it was read from', () => {
  for (const url of ['data:image/png;base64,aGk=', 'https://a.example/x.png']) {
    expect(urlOfSource(sourceOfUrl(url))).toBe(url);
  }
  expect(urlOfSource({ kind: 'file', id: 'file-1' })).toBeUndefined();
});

test('each format has a media type that leads back to it', () => {
  for (const format of ['wav', 'mp3', 'flac', 'opus', 'ogg', 'aac', 'pcm16']) {
    expect(audioFormat(audioType(format))).toBe(format);
  }
  expect(audioFormat('audio/x-wav')).toBe('wav');
  expect(audioFormat('audio/L16;rate=24000')).toBe('pcm16');
});

test('names tell types, as far as they are known', () => {
  expect(typeOfName('https://a.example/clip.MP4?x=1')).toBe('video/mp4');
  expect(typeOfName('https://a.example/clip')).toBeUndefined();
  expect(typeOfName('notes.constructor')).toBeUndefined();
});
