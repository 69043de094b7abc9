import { expect, test } from 'bun:test';
import { inlineMedia } from './inline-media.ts';
import type { ChatRequest, MediaSource, Part } from './neutral.ts';

const url = (address: string): MediaSource => ({ kind: 'url', url: address });
const request = (parts: Part[]): ChatRequest => ({
  dialect: 'openai-chat',
  model: 'm',
  stream: false,
  messages: [{ role: 'user', parts }],
  tools: [],
  extra: {},
});
const load = async (address: string) => ({ mediaType: 'image/png', data: `bytes of ${address}` });

test('every address of the web becomes bytes, also inside of the results of tools', async () => {
  const image: Part = { type: 'image', source: url('https://a.example/x') };
  const inner: Part = {
    type: 'file',
    source: { kind: 'url', url: 'http://b.example', mediaType: 'text/plain' },
  };
  const result: Part = { type: 'tool-result', id: 'c', kind: 'function', content: [inner] };
  await inlineMedia(request([image, result]), load);
  expect(image.source).toEqual({
    kind: 'data',
    mediaType: 'image/png',
    data: 'bytes of https://a.example/x',
  });
  expect(inner.source).toEqual({ kind: 'data', mediaType: 'text/plain', data: 'bytes of http://b.example' });
});

test('a sound gets the format of its bytes', async () => {
  const audio: Part = { type: 'audio', source: url('https://a.example/x'), format: 'mp3' };
  await inlineMedia(request([audio]), async () => ({ mediaType: 'audio/wav', data: '' }));
  expect(audio.format).toBe('wav');
});

test('what is no address of the web stays', async () => {
  const sources: MediaSource[] = [
    { kind: 'file', id: 'file-1' },
    { kind: 'data', mediaType: 'image/png', data: 'x' },
    url('gs://bucket/x'),
  ];
  const parts: Part[] = sources.map((source) => ({ type: 'image', source }));
  await inlineMedia(request(parts), () => Promise.reject(new Error('asked')));
  expect(parts.map((part) => 'source' in part && part.source)).toEqual(sources);
});

test('what was held as a picture must be one', async () => {
  const at = (address: string): Part => ({ type: 'image', source: url(address) });
  const film = async () => ({ mediaType: 'video/mp4', data: 'AAAAIGZ0eXBpc29tAAACAGlzb20=' });
  const called = async () => ({ mediaType: 'image/png', data: 'AAAAIGZ0eXBpc29tAAACAGlzb20=' });
  const drawn = async () => ({ mediaType: 'video/mp4', data: 'R0lGODlhAQABAAAAACw=' });
  for (const load of [film, called, drawn]) {
    const refused = inlineMedia(request([at('https://a.example/x')]), load);
    expect(await refused.catch((error: unknown) => error)).toMatchObject({ code: 'invalid_request' });
  }
  // That one was held as a film.
  await inlineMedia(request([at('https://a.example/x.mp4')]), film);
});
