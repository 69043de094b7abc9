/**
 * A transcription is paid by the sound in its form: no field may name another one, in whatever spelling; and what is held
 * for a sound whose length is not found is the most that it can last, which is not what it is charged.
 */
import { expect, it } from 'bun:test';
import { speechTokens } from '../../core/media-tokens.ts';
import type { FormFile } from '../dialect.ts';
import { openaiTranscriptions } from './openai-audio.ts';

const file = {
  name: 'file',
  filename: 'a.wav',
  type: 'audio/wav',
  bytes: 16_000,
  seconds: 1,
  heldSeconds: 1,
};
const read = (body: Record<string, string>, found: Pick<FormFile, 'seconds' | 'heldSeconds'> = file) =>
  openaiTranscriptions.readRequest({ model: 'whisper-1', ...body }, { files: [{ ...file, ...found }] });

it.each([
  'url',
  'URL',
  'url[]',
  'ur l[',
  'file_url',
  'fileUrl',
  'audio_url',
  'file',
  'File',
  'file_id',
  'file_uri',
  'file_base64',
  'input_audio',
  'audio',
])('no second sound by %s', (name) => {
  expect(() => read({ [name]: 'https://a.example/ten-hours.mp3' })).toThrow('invalid_request');
});

it('what is no sound goes up', () => {
  expect(read({ language: 'en', prompt: 'a', diarize: 'true' }).prompt.audioSeconds).toBe(1);
});

it.each([
  ['is found', 1, 1, 1, [1, 1, 1]],
  ['is none that is known', null, null, 16, [16, 10, 16]],
  ['readers read in different ways', null, 640, 640, [16, 10, 640]],
])('a sound that %s', (_what, seconds, heldSeconds, held, charged) => {
  const facts = read({}, { seconds, heldSeconds });
  expect(facts).toMatchObject({ outputCap: 8 * held, prompt: { audioSeconds: held } });
  const inputAfter = (heardUntil?: number) =>
    openaiTranscriptions.usageOf?.({ facts, model: 'whisper-1', heardUntil } as never)?.input;
  // Where no words are told, where they end within it, and where they say more than was held.
  expect([undefined, 10, 1e6].map(inputAfter)).toEqual(charged.map(speechTokens));
});
