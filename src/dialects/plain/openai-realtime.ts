/** OpenAI's Realtime: events of JSON over a websocket, both ways. The gateway passes them and reads what they cost. */
import type { JsonObject } from '../../core/json.ts';
import { type Usage, usageOf } from '../../core/usage.ts';
import { modelIn } from '../bounds.ts';
import type { Dialect, PublicError } from '../dialect.ts';
import { countOf, objectOf, objectsOf, textOf } from '../fields.ts';
import { errorBody } from '../openai-chat/errors.ts';
import { plainDialect, plainFacts, plainReply } from './plain.ts';

/** What a `response.done` says that it took; null when it says nothing. */
export function readRealtimeUsage(raw: unknown): Usage | null {
  const usage = objectOf(raw);
  const prompt = countOf(usage?.input_tokens);
  const completion = countOf(usage?.output_tokens);
  if (prompt === undefined && completion === undefined) return null;
  const inputs = objectOf(usage?.input_token_details) ?? {};
  const outputs = objectOf(usage?.output_token_details) ?? {};
  const cached = objectOf(inputs.cached_tokens_details) ?? {};
  // Sound and pictures are told with what of them came from the cache, which costs what cached text does.
  const fresh = (name: string): number =>
    Math.max(0, (countOf(inputs[name]) ?? 0) - (countOf(cached[name]) ?? 0));
  return usageOf({
    prompt: prompt ?? 0,
    cacheRead: countOf(inputs.cached_tokens),
    inputAudio: fresh('audio_tokens'),
    inputImage: fresh('image_tokens'),
    completion: completion ?? 0,
    outputAudio: countOf(outputs.audio_tokens),
  });
}

/** An event of the server, as far as its price goes. */
export type RealtimeEvent =
  | { kind: 'begun' }
  | { kind: 'done'; usage: Usage | null; text: string }
  | { kind: 'sound' }
  | { kind: 'error'; message: string }
  | { kind: 'other' };

const SOUND = /"type"\s*:\s*"response\.(?:output_)?audio\.delta"/;
const TOLD = /"type"\s*:\s*"(?:response\.created|response\.done|error)"/;
const OTHER: RealtimeEvent = { kind: 'other' };
const SOUND_EVENT: RealtimeEvent = { kind: 'sound' };
/** Where an event names its type, which all of them do first or after their id. */
const HEAD_CHARS = 200;

/** Most events are pieces of sound, which are known by their beginning and not parsed. */
export function readRealtimeEvent(text: string, parse: (text: string) => unknown): RealtimeEvent {
  if (SOUND.test(text.slice(0, HEAD_CHARS))) return SOUND_EVENT;
  if (!TOLD.test(text)) return OTHER;
  const event = objectOf(parse(text));
  switch (event?.type) {
    case 'response.created':
      return { kind: 'begun' };
    case 'response.done': {
      const response = objectOf(event.response);
      return { kind: 'done', usage: readRealtimeUsage(response?.usage), text: saidIn(response) };
    }
    case 'error':
      return { kind: 'error', message: textOf(objectOf(event.error)?.message) ?? '' };
    default:
      return OTHER;
  }
}

/** What a response says, for a local count. */
const saidIn = (response: JsonObject | undefined): string =>
  objectsOf(response?.output)
    .flatMap((item) => [
      textOf(item.name),
      textOf(item.arguments),
      ...objectsOf(item.content).flatMap((part) => [textOf(part.text), textOf(part.transcript)]),
    ])
    .join('');

/** Its errors are events like everything else. */
export const realtimeError = (error: PublicError, id: string): string =>
  JSON.stringify({ event_id: `evt_${id}`, type: 'error', ...errorBody(error) });

export const openaiRealtime: Dialect = plainDialect({
  // The address names the model; there is no body.
  readRequest: (_body, path) =>
    plainFacts(modelIn(path.model), {
      stream: true,
      outputCap: null,
      audioOut: true,
      noted: { ws: true },
    }),
  promptTexts: () => [],
  readReply: (body) => plainReply(body, () => ({ usage: null, missing: 'websocket' })),
});
