/** Volcano's speech: a service of its own, with a key `appid|access_token` and sound as base64. */
import type { JsonObject } from '../../core/json.ts';
import { compact, textOf } from '../../dialects/fields.ts';
import type { ChannelAccess } from '../provider.ts';
import { finishJson, refusal, type VendorOperation } from '../vendor-operation.ts';

export const ARK = 'https://ark.cn-beijing.volces.com';
const SPEECH = 'https://openspeech.bytedance.com';

const split = (key: string): { appId: string; token: string } => {
  const [appId = '', token = ''] = key.split('|');
  return { appId, token };
};

export const isSpeechKey = (key: string): boolean => key.includes('|');

/** The word and the token are parted by a semicolon. */
export const speechHeaders = (key: string): Record<string, string> => ({
  authorization: `Bearer;${split(key).token}`,
});

/** A channel without an address of its own is spoken to at the service's. */
export const speechUrl = ({ baseUrl }: ChannelAccess): string =>
  `${baseUrl === ARK ? SPEECH : baseUrl}/api/v1/tts`;

const DONE = 3000;
const FORMATS: Readonly<Record<string, string>> = { opus: 'ogg_opus' };

function statusOf(code: unknown): number {
  if (code === 3001) return 401;
  return code === 3003 || code === 3005 ? 429 : 502;
}

export const speech: VendorOperation = {
  path: () => '/api/v1/tts',
  write(asked, { channel }): JsonObject {
    const { appId, token } = split(channel.key);
    const format = textOf(asked.response_format) || 'mp3';
    return {
      app: { appid: appId, token, cluster: 'volcano_tts' },
      user: { uid: 'relay' },
      audio: compact({
        voice_type: asked.voice,
        encoding: FORMATS[format] ?? format,
        speed_ratio: asked.speed,
      }),
      request: compact({
        reqid: crypto.randomUUID(),
        text: asked.input,
        operation: 'query',
      }),
    };
  },
  finish: finishJson(({ code, message, data }, { asked }) => {
    const sound = Buffer.from(textOf(data) ?? '', 'base64');
    if (code !== DONE || sound.length === 0) {
      return refusal(statusOf(code), {
        message: textOf(message) || 'its answer is empty',
        code: String(code),
      });
    }
    const format = textOf(asked.response_format) || 'mp3';
    return new Response(sound, {
      headers: { 'content-type': `audio/${format === 'mp3' ? 'mpeg' : format}` },
    });
  }),
};
