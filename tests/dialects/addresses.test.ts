import { describe, expect, test } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { anthropicMessages } from '../../src/dialects/anthropic-messages/dialect.ts';
import type { Dialect } from '../../src/dialects/dialect.ts';
import { gemini } from '../../src/dialects/gemini/dialect.ts';
import { openaiChat } from '../../src/dialects/openai-chat/dialect.ts';
import { openaiResponses } from '../../src/dialects/openai-responses/dialect.ts';

import { drawingCalls, plusCalls } from '../../src/dialects/plain/midjourney.ts';
import { openaiImageEdits, openaiImages } from '../../src/dialects/plain/openai-images.ts';
import { openaiModerations } from '../../src/dialects/plain/openai-moderations.ts';

const user = (part: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: [part] }] });
const input = (part: JsonObject): JsonObject => ({ input: [{ role: 'user', content: [part] }] });
const drawing = (path: string): Dialect => {
  const found = [...drawingCalls, ...plusCalls].find((call) => call.path === path);
  if (!found) throw new Error(`nothing is drawn at ${path}`);
  return found;
};

/** A request that names a picture, a sound or a file by its address. */
const places: [string, Dialect, (url: string) => JsonObject][] = [
  ['chat image', openaiChat, (url) => user({ type: 'image_url', image_url: { url } })],
  ['chat image as text', openaiChat, (url) => user({ type: 'image_url', image_url: url })],
  ['chat video', openaiChat, (url) => user({ type: 'video_url', video_url: { url } })],
  ['chat sound', openaiChat, (url) => user({ type: 'audio_url', audio_url: { url } })],
  [
    'chat sound as data',
    openaiChat,
    (data) => user({ type: 'input_audio', input_audio: { data, format: 'wav' } }),
  ],
  ['chat file', openaiChat, (file_url) => user({ type: 'file', file: { file_url } })],
  ['responses image', openaiResponses, (image_url) => input({ type: 'input_image', image_url })],
  ['responses file', openaiResponses, (file_url) => input({ type: 'input_file', file_url })],
  ['responses sound', openaiResponses, (audio_url) => input({ type: 'input_audio', audio_url })],
  [
    'messages image',
    anthropicMessages,
    (url) => ({ max_tokens: 5, ...user({ type: 'image', source: { type: 'url', url } }) }),
  ],
  [
    'messages document',
    anthropicMessages,
    (url) => ({ max_tokens: 5, ...user({ type: 'document', source: { type: 'url', url } }) }),
  ],
  [
    'gemini file',
    gemini,
    (file_uri) => ({ contents: [{ parts: [{ file_data: { file_uri, mime_type: 'image/png' } }] }] }),
  ],
  ['moderated image', openaiModerations, (url) => ({ input: [{ type: 'image_url', image_url: { url } }] })],
  [
    'moderated image as text',
    openaiModerations,
    (image_url) => ({ input: [{ type: 'image_url', image_url }] }),
  ],
  ['image to edit', openaiImageEdits, (image_url) => ({ prompt: 'a: b', images: [{ image_url }] })],
  ['mask of an edit', openaiImageEdits, (mask) => ({ prompt: 'a: b', images: ['aGk='], mask })],
  ['image to draw from', openaiImages, (url) => ({ prompt: 'a: b', image: [url] })],
  ['image to draw from in an object', openaiImages, (url) => ({ prompt: 'a: b', image_url: { url } })],
  ['images to draw from', openaiImages, (url) => ({ prompt: 'a: b', image_urls: ['aGk=', url] })],
  // Proxies fetch what stands there in place of bytes.
  ['imagined', drawing('/submit/imagine'), (url) => ({ prompt: 'a: b', base64Array: ['aGk=', url] })],
  ['imagined from one', drawing('/submit/imagine'), (base64) => ({ prompt: 'a: b', base64 })],
  ['blended', drawing('/submit/blend'), (url) => ({ base64Array: ['aGk=', url] })],
  ['described', drawing('/submit/describe'), (base64) => ({ base64 })],
  ['described by address', drawing('/submit/describe'), (link) => ({ link })],
  ['uploaded', drawing('/submit/upload-discord-images'), (url) => ({ base64Array: [url] })],
  ['mask', drawing('/submit/modal'), (maskBase64) => ({ taskId: '1', maskBase64 })],
  [
    'face',
    drawing('/insight-face/swap'),
    (sourceBase64) => ({ sourceBase64, targetBase64: 'aGk=', sourceUrl: sourceBase64 }),
  ],
  [
    'face by address',
    drawing('/insight-face/swap'),
    (targetUrl) => ({ sourceBase64: 'aGk=', targetBase64: 'aGk=', targetUrl }),
  ],
];

/** Of one dot, as short as a name. */
const GIF = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

const OPENED = /^(chat (image|video|sound$|file)|responses|messages|moderated|images? to|mask of)/;

describe('an address in a request', () => {
  test.each(places)('of the web, of data or of a bucket is taken: %s', (_name, dialect, bodyOf) => {
    for (const url of [
      'https://a.example/x.png',
      'HTTP://a.example/x',
      'data:image/png;base64,aGk=',
      'gs://b/x',
    ]) {
      expect(() => dialect.readRequest({ model: 'm', ...bodyOf(url) }, { model: 'm' })).not.toThrow();
    }
  });

  test.each(places)('of anything else is refused: %s', (_name, dialect, bodyOf) => {
    for (const url of [
      'file:///etc/passwd',
      'ftp://a.example/x',
      ' FILE:/etc/passwd',
      'fi\nle:///x',
      'unix:/x',
    ]) {
      expect(() => dialect.readRequest({ model: 'm', ...bodyOf(url) }, { model: 'm' })).toThrow(
        expect.objectContaining({ code: 'invalid_request' }),
      );
    }
  });

  /** Servers of open models open such a file of theirs. */
  test.each(places.filter(([name]) => OPENED.test(name)))(
    'of no scheme is refused, and base64 is taken: %s',
    (_name, dialect, bodyOf) => {
      const read = (url: string) => () => dialect.readRequest({ model: 'm', ...bodyOf(url) }, { model: 'm' });
      for (const url of [
        ...['/mnt/x.png', ' ../x.png', '~/my x.png', 'x.png', '/mnt/xpng', '//a.example/x'],
        ...['mnt/secret', 'mnt/sec ret'],
      ]) {
        expect(read(url)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
      }
      for (const url of [`/9j/${'4AAQSkZJRg+/'.repeat(9)}==`, `iVBORw0K\n${'Ggo '.repeat(20)}`, GIF, '']) {
        expect(read(url)).not.toThrow();
      }
    },
  );

  test('is refused by the name that its caller wrote', () => {
    const body = { max_tokens: 5, ...user({ type: 'image', source: { type: 'url', url: '/mnt/x.png' } }) };
    expect(() => anthropicMessages.readRequest({ model: 'm', ...body }, { model: 'm' })).toThrow(
      expect.objectContaining({ detail: expect.objectContaining({ field: 'url' }) }),
    );
  });
});
