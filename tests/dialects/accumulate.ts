/** The answer that a stream tells. */
import { Accumulator } from '../../src/dialects/accumulate.ts';
import type { ChatReply, StreamEvent } from '../../src/dialects/neutral.ts';

export function accumulate(events: Iterable<StreamEvent>): ChatReply {
  const accumulator = new Accumulator();
  for (const event of events) accumulator.push(event);
  return accumulator.reply;
}
