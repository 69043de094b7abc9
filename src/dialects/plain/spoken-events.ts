/** Events of a transcription that is streamed: OpenAI's, and Mistral's, which say the same by other names. */
import type { JsonObject } from '../../core/json.ts';
import { textOf } from '../fields.ts';

/** A piece of the text, a part of it with its times, or all of it at the end with its usage. */
type SpokenKind = 'delta' | 'segment' | 'done';

/** Undefined of any other event. */
export function spokenKind(type: unknown): SpokenKind | undefined {
  switch (type) {
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
      return undefined;
  }
}

const DONE_AT_MISTRAL = 'transcription.done';

/** The end of a stream of which this was a piece. */
export const doneOf = ({ type }: JsonObject): JsonObject => ({
  type: textOf(type)?.startsWith('transcription.') ? DONE_AT_MISTRAL : 'transcript.text.done',
});

/** Where an event has a piece: OpenAI's word for it, or Mistral's for whatever is said. */
export const pieceField = (event: JsonObject): 'delta' | 'text' => ('delta' in event ? 'delta' : 'text');

export const pieceIn = (event: JsonObject): string =>
  spokenKind(event.type) === 'delta' ? (textOf(event[pieceField(event)]) ?? '') : '';
