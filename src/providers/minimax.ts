import { isObject } from '../core/json.ts';
import { developerToSystem, openaiCompatible } from './openai-compatible.ts';

/** MiniMax tells most failures with status 200: what its codes stand for. */
const STATUS: Readonly<Record<number, number>> = {
  1000: 500,
  1001: 504,
  1002: 429,
  1004: 401,
  1008: 402,
  1024: 500,
  1026: 400,
  1027: 400,
  1033: 500,
  1039: 429,
  2013: 400,
  2049: 401,
};

function readBase(body: unknown): { code: number; message: string } | null {
  const base = isObject(body) && isObject(body.base_resp) ? body.base_resp : null;
  if (!base || typeof base.status_code !== 'number' || base.status_code === 0) return null;
  return { code: base.status_code, message: typeof base.status_msg === 'string' ? base.status_msg : '' };
}

export const minimax = openaiCompatible({
  type: 35,
  slug: 'minimax',
  label: 'MiniMax',
  baseUrl: 'https://api.minimax.chat',
  models: [
    'MiniMax-M2',
    'MiniMax-M2.1',
    'MiniMax-M1',
    'MiniMax-Text-01',
    'abab6.5s-chat',
    'abab6.5-chat',
    'abab6-chat',
    'abab5.5-chat',
    'abab5.5s-chat',
    'speech-02-hd',
    'speech-02-turbo',
    'speech-2.5-hd-preview',
    'image-01',
    'embo-01',
  ],
  operations: ['chat'],
  extensions: ['reasoning_content'],
  paths: { chat: '/v1/text/chatcompletion_v2' },
  modelsPath: null,
  // The last chunk of a stream is the whole answer once more: only a strict rewrite keeps it from being shown twice.
  strictStream: true,
  adjustBody(body) {
    developerToSystem(body);
    return body;
  },
  readFault(status, body) {
    const base = readBase(body);
    return base && { error: { message: base.message, code: String(base.code) }, keyDead: status === 401 };
  },
  readAnswerError(body) {
    const base = readBase(body);
    return (
      base && { error: { message: base.message, code: String(base.code) }, status: STATUS[base.code] ?? 502 }
    );
  },
});
