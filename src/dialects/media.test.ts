import { expect, test } from 'bun:test';
import { audioFormat, audioType, sourceOfUrl, typeOfName, urlOfSource } from './media.ts';

test.each([
  ['data:image/png;base64,aGk=', { kind: 'data', mediaType: 'image/png', data: 'aGk=' }],
  ['data:;base64,aGk=', { kind: 'data', mediaType: 'audio/wav', data: 'aGk=' }],
  ['data:text/plain,h%20i', { kind: 'data', mediaType: 'text/plain', data: 'aCBp' }],
  ['data:text/plain;charset=utf-8;base64,aGk=', { kind: 'data', mediaType: 'text/plain', data: 'aGk=' }],
  ['https://a.example/x.png', { kind: 'url', url: 'https://a.example/x.png', mediaType: 'audio/wav' }],
] as const)('%s is read', (url, expected) => {
  expect(sourceOfUrl(url, 'audio/wav')).toEqual(expected);
});

test('a data URL that is not well written is the caller’s mistake', () => {
  expect(() => sourceOfUrl('data:text/plain,%E0%A4%A')).toThrow(
    expect.objectContaining({ code: 'invalid_request' }),
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
});
