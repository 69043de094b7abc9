/** Whole answers of Ollama's /api/chat into the neutral model. */
import type { JsonObject } from '../../core/json.ts';
import { answerIds, type CallIds, fingerprint } from '../call-ids.ts';
import { compact, objectOf, objectsOf, textOf, writtenSec } from '../fields.ts';
import type { ChatReply, ImagePart, Part, ToolCallPart } from '../neutral.ts';
import { readStop } from './stops.ts';
import { readUsage } from './usage.ts';

export function readReply(body: JsonObject): ChatReply {
  const message = objectOf(body.message) ?? {};
  const ids = answerIds(fingerprint([body.created_at ?? '', message.tool_calls ?? '']));
  const parts = readMessage(message, ids);
  const rawStop = textOf(body.done_reason) ?? (body.done === true ? 'stop' : undefined);
  const callsTools = parts.some((part) => part.type === 'tool-call');
  return {
    dialect: 'ollama',
    id: '',
    model: textOf(body.model) ?? '',
    created: writtenSec(body.created_at),
    choices: [
      compact({
        index: 0,
        parts,
        stop: rawStop === undefined ? null : readStop(rawStop, callsTools),
        rawStop,
      }),
    ],
    usage: readUsage(body),
    extra: {},
  };
}

/** What a message says: thinking, text, pictures, calls. */
function readMessage(message: JsonObject, ids: CallIds): Part[] {
  const thinking = textOf(message.thinking) ?? '';
  const text = textOf(message.content) ?? '';
  const images = Array.isArray(message.images) ? message.images : [];
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking' as const, text: thinking, origin: 'ollama' as const }]),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...images.filter((data) => typeof data === 'string').map(readImage),
    ...objectsOf(message.tool_calls).map((call) => readCall(call, ids)),
  ];
}

/** The first letters of base64 tell what kind of picture follows. */
const HEADS: readonly [head: string, mediaType: string][] = [
  ['/9j/', 'image/jpeg'],
  ['R0lG', 'image/gif'],
  ['UklG', 'image/webp'],
];

function readImage(data: string): ImagePart {
  const mediaType = HEADS.find(([head]) => data.startsWith(head))?.[1] ?? 'image/png';
  return { type: 'image', source: { kind: 'data', mediaType, data } };
}

export function readCall(given: JsonObject, ids: CallIds): ToolCallPart {
  const called = objectOf(given.function);
  const name = textOf(called?.name) ?? '';
  const input = called?.arguments ?? {};
  return {
    type: 'tool-call',
    id: ids.call(name, textOf(given.id)),
    name,
    input: typeof input === 'string' ? input || '{}' : JSON.stringify(input),
    kind: 'function',
  };
}
