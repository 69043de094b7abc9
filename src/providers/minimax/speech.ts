/** MiniMax's speech, which comes as digits. */
import type { JsonObject } from '../../core/json.ts';
import { own } from '../../core/own.ts';
import { noUsage } from '../../core/usage.ts';
import { compact, countOf, objectOf, textOf } from '../../dialects/fields.ts';
import type { Finished } from '../provider.ts';
import { finishJson, type VendorOperation } from '../vendor-operation.ts';
import { readBase, refusalOf } from './errors.ts';

/** MiniMax's voices for OpenAI's names; any other is one of MiniMax's own. */
const VOICES: Readonly<Record<string, string>> = {
  alloy: 'female-chengshu',
  echo: 'male-qn-qingse',
  fable: 'male-qn-jingying',
  onyx: 'presenter_male',
  nova: 'presenter_female',
  shimmer: 'audiobook_female_1',
};

const voiceOf = (voice: string): string => own(VOICES, voice) ?? voice;

function write(asked: JsonObject): JsonObject {
  return compact({
    model: asked.model,
    text: asked.input,
    stream: false,
    voice_setting: compact({ voice_id: voiceOf(textOf(asked.voice) ?? ''), speed: asked.speed }),
    audio_setting: compact({ format: asked.response_format }),
    output_format: 'hex',
  });
}

export const speech: VendorOperation = {
  path: () => '/v1/t2a_v2',
  write,
  finish: finishJson((body) => {
    const sound = Buffer.from(textOf(objectOf(body.data)?.audio) ?? '', 'hex');
    if (readBase(body) || sound.length === 0) return refusalOf(body);
    const { audio_format, usage_characters } = objectOf(body.extra_info) ?? {};
    const format = textOf(audio_format) || 'mp3';
    const answer: Finished = new Response(sound, {
      headers: { 'content-type': `audio/${format === 'mp3' ? 'mpeg' : format}` },
    });
    // What it sells, in its own count: a Chinese one is two.
    const characters = countOf(usage_characters) ?? 0;
    return characters > 0 ? Object.assign(answer, { usage: { ...noUsage(), input: characters } }) : answer;
  }),
};
