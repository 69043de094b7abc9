/** Gemini's speech: a chat that answers with sound, bare samples as base64. */
import type { JsonObject } from '../core/json.ts';
import { own } from '../core/own.ts';
import { objectOf, textOf } from '../dialects/fields.ts';
import { readUsage } from '../dialects/gemini/usage.ts';
import { spokenUsage } from '../dialects/plain/usage.ts';
import { nothingMade, partsIn } from './google.ts';
import type { Finished } from './provider.ts';
import { finishJson, refusal } from './vendor-operation.ts';

/** Google's voices for OpenAI's names; any other is one of Google's own. */
const VOICES: Readonly<Record<string, string>> = {
  alloy: 'Kore',
  echo: 'Puck',
  fable: 'Charon',
  onyx: 'Fenrir',
  nova: 'Aoede',
  shimmer: 'Leda',
};

const voiceOf = (voice: string): string => own(VOICES, voice) ?? voice;

export function writeSpeech(asked: JsonObject): JsonObject {
  const instructions = textOf(asked.instructions) ?? '';
  const said = instructions ? `${instructions}\n\n${textOf(asked.input) ?? ''}` : (textOf(asked.input) ?? '');
  return {
    contents: [{ role: 'user', parts: [{ text: said }] }],
    generationConfig: {
      responseModalities: ['AUDIO'],
      speechConfig: {
        voiceConfig: { prebuiltVoiceConfig: { voiceName: voiceOf(textOf(asked.voice) ?? '') } },
      },
    },
  };
}

const RATE = 24_000;
const SAMPLE_BYTES = 2;
const HEAD_BYTES = 44;

/** The head of a WAV file for so many bytes of samples: one channel of 16 bits. */
function wavHead(bytes: number, rate: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write('RIFF', 0);
  head.writeUInt32LE(HEAD_BYTES - 8 + bytes, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * SAMPLE_BYTES, 28);
  head.writeUInt16LE(SAMPLE_BYTES, 32);
  head.writeUInt16LE(8 * SAMPLE_BYTES, 34);
  head.write('data', 36);
  head.writeUInt32LE(bytes, 40);
  return head;
}

/** Samples where the caller asks for them, else the same in the one file format that needs no encoder. */
export const finishSpeech = finishJson((body, { asked }) => {
  const inline = partsIn(body)
    .map(({ inlineData }) => objectOf(inlineData))
    .find((held) => textOf(held?.data));
  const told = readUsage(body.usageMetadata);
  if (!inline)
    return told ? nothingMade(body, 'sound') : refusal(502, { message: 'its answer holds no sound' });
  const samples = Buffer.from(textOf(inline.data) ?? '', 'base64');
  const sound = (bytes: Buffer<ArrayBuffer>, type: string): Finished => {
    const answer = new Response(bytes, { headers: { 'content-type': type } });
    // Counts that leave the sound out are none of it.
    return told && told.output + told.outputAudio > 0
      ? Object.assign(answer, { usage: spokenUsage(told) })
      : answer;
  };
  if (asked.response_format === 'pcm') return sound(samples, 'audio/pcm');
  const rate = Number(/rate=(\d+)/.exec(textOf(inline.mimeType) ?? '')?.[1]) || RATE;
  return sound(Buffer.concat([wavHead(samples.length, rate), samples]), 'audio/wav');
});
