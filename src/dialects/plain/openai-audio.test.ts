/** A transcription is paid by the sound in its form: no field may name another one, in whatever spelling. */
import { expect, it } from 'bun:test';
import { openaiTranscriptions } from './openai-audio.ts';

const file = { name: 'file', filename: 'a.wav', type: 'audio/wav', bytes: 16_000, seconds: 1 };
const read = (body: Record<string, string>) =>
  openaiTranscriptions.readRequest({ model: 'whisper-1', ...body }, { files: [file as never] });

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
