/** Whole answers of Cohere's v2 chat into the neutral model. Its plan for its tools is thinking to everyone else. */
import type { JsonObject } from '../../core/json.ts';
import { compact, objectOf, objectsOf, textOf } from '../fields.ts';
import type { ChatReply, Citation, Part, TextPart, ThinkingPart, ToolCallPart } from '../neutral.ts';
import { readStop } from './stops.ts';
import { readUsage } from './usage.ts';

export function readReply(body: JsonObject): ChatReply {
  const rawStop = textOf(body.finish_reason);
  return {
    dialect: 'cohere',
    id: textOf(body.id) ?? '',
    model: '',
    created: 0,
    choices: [
      compact({
        index: 0,
        parts: readMessage(objectOf(body.message) ?? {}),
        stop: rawStop === undefined ? null : readStop(rawStop),
        rawStop,
      }),
    ],
    usage: readUsage(body.usage),
    extra: {},
  };
}

/** Its plan, what it says, and its calls. */
function readMessage(message: JsonObject): Part[] {
  const plan = textOf(message.tool_plan);
  const parts = readContent(message.content);
  const first = parts.find((part) => part.type === 'text');
  for (const citation of objectsOf(message.citations)) cite(parts, first, citation);
  return [...(plan ? [thought(plan)] : []), ...parts, ...objectsOf(message.tool_calls).map(readCall)];
}

const thought = (text: string): ThinkingPart => ({ type: 'thinking', text, origin: 'cohere' });

function readContent(content: unknown): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return objectsOf(content).map(readPart);
}

function readPart(given: JsonObject): Part {
  switch (given.type) {
    case 'text':
      return { type: 'text', text: textOf(given.text) ?? '' };
    case 'thinking':
      return thought(textOf(given.thinking) ?? '');
    default:
      return { type: 'raw', dialect: 'cohere', value: given };
  }
}

export function readCall(given: JsonObject): ToolCallPart {
  const called = objectOf(given.function);
  const input = textOf(called?.arguments) ?? JSON.stringify(called?.arguments ?? {});
  return {
    type: 'tool-call',
    id: textOf(given.id) ?? '',
    name: textOf(called?.name) ?? '',
    input: saysNothing(input) ? '{}' : input,
    kind: 'function',
  };
}

/** The service says the arguments of a function without any in several ways. */
export const saysNothing = (input: string): boolean => input.trim() === '' || input.trim() === 'null';

/** Puts a citation on the text that it speaks of: the nth of the content, else the first. */
function cite(parts: readonly Part[], first: TextPart | undefined, given: JsonObject): void {
  const index = typeof given.content_index === 'number' ? given.content_index : -1;
  const cited = parts[index]?.type === 'text' ? parts[index] : first;
  if (!cited) return;
  cited.citations ??= [];
  cited.citations.push(readCitation(given));
}

export function readCitation(given: JsonObject): Citation {
  const source = objectsOf(given.sources)[0];
  const document = objectOf(source?.document) ?? objectOf(source?.tool_output) ?? {};
  const url = textOf(document.url);
  const { start, end } = given;
  return compact({
    kind: url === undefined ? 'document' : 'url',
    url,
    title: textOf(document.title) ?? textOf(source?.id),
    citedText: textOf(document.text) ?? textOf(document.snippet),
    start: typeof start === 'number' ? start : undefined,
    end: typeof end === 'number' ? end : undefined,
    raw: { dialect: 'cohere', value: given },
  });
}
