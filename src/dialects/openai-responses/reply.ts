/** Whole answers of the Responses wire. */
import type { JsonObject } from '../../core/json.ts';
import { eventsOf } from '../accumulate.ts';
import type { ReplyContext } from '../codec.ts';
import { compact, countOf, FieldTaker, objectOf, objectsOf, textOf } from '../fields.ts';
import type { ChatReply, Part, StopReason } from '../neutral.ts';
import { readStop } from '../stop-words.ts';
import { readOutputItem } from './read-parts.ts';
import { responsesStops } from './stops.ts';
import { readUsage } from './usage.ts';
import { ResponseStreamWriter } from './write-stream.ts';

export function readReply(body: JsonObject): ChatReply {
  const fields = new FieldTaker(body);
  for (const name of ['object', 'output', 'usage', 'status', 'incomplete_details'])
    fields.take(name, () => true);
  const parts = objectsOf(body.output).flatMap(readOutputItem);
  const ended = readEnd(body, parts.some(isCall));
  const content = objectsOf(body.output)
    .flatMap((item) => objectsOf(item.content))
    .flatMap((said) => objectsOf(said.logprobs));
  return compact({
    dialect: 'openai-responses',
    id: fields.text('id') ?? '',
    model: fields.text('model') ?? '',
    created: fields.take('created_at', countOf) ?? 0,
    choices: [compact({ index: 0, parts, ...ended, logprobs: content.length > 0 ? { content } : undefined })],
    usage: readUsage(body.usage),
    serviceTier: fields.text('service_tier'),
    extra: fields.rest ?? {},
  });
}

/** Only these wait for the caller. */
const isCall = (part: Part): boolean => part.type === 'tool-call';

/** Why a response ended; no reason while it is under way. */
export function readEnd(
  response: JsonObject,
  callsTools: boolean,
): { stop: StopReason | null; rawStop?: string } {
  const status = textOf(response.status) ?? 'completed';
  const reason = textOf(objectOf(response.incomplete_details)?.reason);
  if (status === 'in_progress' || status === 'queued') return { stop: null };
  const word = status === 'incomplete' ? (reason ?? status) : status;
  return { stop: readStop(responsesStops, word, callsTools), rawStop: word };
}

/** The answer is told as a stream, whose last event holds it whole. */
export function writeReply(reply: ChatReply, context: ReplyContext): JsonObject {
  const writer = new ResponseStreamWriter(context);
  for (const event of eventsOf(reply)) writer.write(event);
  return writer.response;
}
