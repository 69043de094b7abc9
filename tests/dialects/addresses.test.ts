import { describe, expect, test } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { anthropicMessages } from '../../src/dialects/anthropic-messages/dialect.ts';
import type { Dialect } from '../../src/dialects/dialect.ts';
import { gemini } from '../../src/dialects/gemini/dialect.ts';
import { openaiChat } from '../../src/dialects/openai-chat/dialect.ts';
import { openaiResponses } from '../../src/dialects/openai-responses/dialect.ts';

const user = (part: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: [part] }] });
const input = (part: JsonObject): JsonObject => ({ input: [{ role: 'user', content: [part] }] });

import { openaiImageEdits, openaiImages } from '../../src/dialects/plain/openai-images.ts';
import { openaiModerations } from '../../src/dialects/plain/openai-moderations.ts';

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
  ['image to edit', openaiImageEdits, (image_url) => ({ prompt: 'a: b', images: [{ image_url }] })],
  ['image to draw from', openaiImages, (url) => ({ prompt: 'a: b', image: [url] })],
];

describe('an address in a request', () => {
  test.each(places)('of the web, of data or of a bucket is taken: %s', (_name, dialect, bodyOf) => {
    for (const url of [
      'https://a.example/x.png',
      'HTTP://a.example/x',
      'data:image/png;base64,aGk=',
      'gs://b/x',
    ]) {
      expect(dialect.readRequest({ model: 'm', ...bodyOf(url) }, { model: 'm' }).model).toBe('m');
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
});
