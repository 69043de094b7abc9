/** Events of a transcription that is streamed: OpenAI's; Mistral's, which say the same by other names; vLLM's chunks as of a chat. */
import type { JsonObject } from '../../core/json.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';

/** A piece of the text, a part of it with its times, or all of it at the end with its usage. */
type SpokenKind = 'delta' | 'segment' | 'done';

/** Undefined of any other event. */
export function spokenKind(event: JsonObject): SpokenKind | undefined {
  switch (event.type) {
    case 'transcript.text.delta':
    case 'transcription.text.delta':
      return 'delta';
    case 'transcript.text.segment':
    case 'transcription.segment':
      return 'segment';
    case 'transcript.text.done':
    case DONE_AT_MISTRAL:
      return 'done';
    default:
      return isChunk(event) && choiceOf(event) ? 'delta' : undefined;
  }
}

const DONE_AT_MISTRAL = 'transcription.done';

/** Its stream ends with the marker. */
export const isChunk = ({ object }: JsonObject): boolean =>
  object === 'transcription.chunk' || object === 'translation.chunk';

const choiceOf = ({ choices }: JsonObject): JsonObject | undefined => objectsOf(choices)[0];

/** The end of a stream of which this was a piece. */
export function doneOf(event: JsonObject): JsonObject {
  if (!isChunk(event)) {
    return {
      type: textOf(event.type)?.startsWith('transcription.') ? DONE_AT_MISTRAL : 'transcript.text.done',
    };
  }
  const { usage: _, ...rest } = event;
  return { ...rest, choices: [{ delta: { content: '' }, finish_reason: 'stop' }] };
}

/** Where an event has a piece: OpenAI's word for it, or Mistral's for whatever is said. */
const pieceField = (event: JsonObject): 'delta' | 'text' => ('delta' in event ? 'delta' : 'text');

export function pieceIn(event: JsonObject): string {
  if (spokenKind(event) !== 'delta') return '';
  if (isChunk(event)) return textOf(objectOf(choiceOf(event)?.delta)?.content) ?? '';
  return textOf(event[pieceField(event)]) ?? '';
}

export function withPiece(event: JsonObject, piece: string): JsonObject {
  if (!isChunk(event)) return { ...event, [pieceField(event)]: piece };
  const choice = choiceOf(event);
  return { ...event, choices: [{ ...choice, delta: { ...objectOf(choice?.delta), content: piece } }] };
}
