/** Whole answers of Bedrock's Converse into the neutral model. */
import type { JsonObject } from '../../core/json.ts';
import { compact, fieldsBut, objectOf, objectsOf, textOf } from '../fields.ts';
import type { ChatReply } from '../neutral.ts';
import { readBlock } from './read-parts.ts';
import { readStop } from './stops.ts';
import { readUsage } from './usage.ts';

const KNOWN = new Set(['output', 'stopReason', 'usage', 'metrics']);

/** Converse names neither the answer nor its model. */
export function readReply(body: JsonObject): ChatReply {
  const rawStop = textOf(body.stopReason);
  const content = objectsOf(objectOf(objectOf(body.output)?.message)?.content);
  return {
    dialect: 'bedrock-converse',
    id: '',
    model: '',
    created: 0,
    choices: [
      compact({
        index: 0,
        parts: content.map(readBlock).filter((part) => part.type !== 'text' || part.text !== ''),
        stop: rawStop === undefined ? null : readStop(rawStop),
        stopSequence: stopSequenceIn(body),
        rawStop,
      }),
    ],
    usage: readUsage(body.usage),
    extra: fieldsBut(body, KNOWN),
  };
}

/** What stopped the answer, which Claude tells among the fields of its own, in a stream one level deeper. */
export function stopSequenceIn(said: JsonObject): string | undefined {
  const fields = objectOf(said.additionalModelResponseFields);
  return textOf(fields?.stop_sequence) ?? textOf(objectOf(fields?.delta)?.stop_sequence);
}
