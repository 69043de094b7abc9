/**
 * Marks of what a cache shall keep, which some clients of the Chat wire (the Vercel AI SDK's for services like OpenAI's) set on
 * a message. Anthropic's and its like read them on parts alone, and would cache nothing.
 */
import type { CacheMark, ChatRequest, Part } from './neutral.ts';

/** A mark on a message stands on the last of its parts that may carry one. */
export const withMarksOnParts = (request: ChatRequest): ChatRequest =>
  request.messages.some(({ cache }) => cache)
    ? {
        ...request,
        messages: request.messages.map((message) =>
          message.cache ? { ...message, parts: marked(message.parts, message.cache) } : message,
        ),
      }
    : request;

function marked(parts: readonly Part[], cache: CacheMark): Part[] {
  const last = parts.findLastIndex(mayCarry);
  return parts.map((part, at) => (at === last ? { cache, ...part } : part));
}

/** Of an empty text nothing goes up, nor to Claude of one of blanks. */
function mayCarry(part: Part): boolean {
  switch (part.type) {
    case 'text':
      return part.text.trim() !== '';
    case 'image':
    case 'file':
    case 'tool-call':
    case 'tool-result':
      return true;
    default:
      return false;
  }
}
