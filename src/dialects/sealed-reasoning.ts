/**
 * OpenAI seals reasoning to the account and the model that it was written for: any other refuses the whole call that brings
 * it back. So a mark of both goes along with what is carried through clients of other dialects, and who has not written it
 * is not sent it: the model thinks anew.
 */
import type { UpstreamWire } from './codec.ts';
import type { DialectId } from './dialect.ts';
import type { ChatReply, ChatRequest, Part, StreamEvent } from './neutral.ts';

/** The mark of an account and a model on the reasoning item of this id. On each it is another, so that it tells nobody of them. */
export type MarkOf = (id: string | undefined) => string;

const SEALING: DialectId = 'openai-responses';

/** The wire of an account and a model, whose reasoning goes back to them alone where it is sealed so. */
export function withOwnSeals(wire: UpstreamWire, markOf: MarkOf): UpstreamWire {
  if (wire.id !== SEALING) return wire;
  const marked = (part: Part): Part =>
    part.type === 'thinking' && part.origin === SEALING ? { ...part, mark: markOf(part.id) } : part;
  // What an earlier version has carried has no mark.
  const isOthers = (part: Part): boolean =>
    part.type === 'thinking' && part.mark !== undefined && part.mark !== markOf(part.id);
  return {
    ...wire,
    writeRequest(request, target) {
      const own = withoutParts(request, isOthers);
      if (own !== request) target.drop('thinking');
      return wire.writeRequest(own, target);
    },
    readReply: (body) => withParts(wire.readReply(body), marked),
    streamReader() {
      const reader = wire.streamReader();
      const read = (events: StreamEvent[]) =>
        events.map((event) => (event.type === 'part-start' ? { ...event, part: marked(event.part) } : event));
      return { push: (frame) => read(reader.push(frame)), end: () => read(reader.end()) };
    },
  };
}

/** The request itself where it has none of them. */
function withoutParts(request: ChatRequest, isOut: (part: Part) => boolean): ChatRequest {
  let isWhole = true;
  const messages = request.messages.map((message) => {
    const parts = message.parts.filter((part) => !isOut(part));
    if (parts.length === message.parts.length) return message;
    isWhole = false;
    return { ...message, parts };
  });
  return isWhole ? request : { ...request, messages };
}

const withParts = (reply: ChatReply, change: (part: Part) => Part): ChatReply => ({
  ...reply,
  choices: reply.choices.map((choice) => ({ ...choice, parts: choice.parts.map(change) })),
});
