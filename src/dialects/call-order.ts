/**
 * Results of calls that were made together, in the order of their calls. Agents tell them as they ended, which is enough
 * where each names its call by an id. Wires that are told no ids (Gemini's, Ollama's) pair them by their order, and a model
 * would read what one call has found as the answer of another.
 */
import { CallersMap, callersSet } from '../core/callers-keys.ts';
import type { ChatRequest, Message, Part, ToolResultPart } from './neutral.ts';

/** Results of a turn change places among themselves, and nothing else moves. */
export function inCallOrder(request: ChatRequest): ChatRequest {
  const instead = new Map<Part, Part>();
  for (const { calls, results } of turnsOf(request.messages)) {
    const sorted = sortedBy(calls, results);
    for (const [at, result] of results.entries()) instead.set(result, sorted[at] ?? result);
  }
  const moved = ({ parts }: Message) => parts.map((part) => instead.get(part) ?? part);
  return { ...request, messages: request.messages.map((each) => ({ ...each, parts: moved(each) })) };
}

/** What an assistant has called, and what came of it before he said anything more. */
interface Turn {
  calls: string[];
  results: ToolResultPart[];
}

function turnsOf(messages: readonly Message[]): Turn[] {
  let turn: Turn = { calls: [], results: [] };
  const turns = [turn];
  for (const { role, parts } of messages) {
    if (role === 'assistant' && turn.results.length > 0) {
      turn = { calls: [], results: [] };
      turns.push(turn);
    }
    for (const part of parts) {
      if (part.type === 'tool-call') turn.calls.push(part.id);
      else if (part.type === 'tool-result') turn.results.push(part);
    }
  }
  return turns;
}

/** As they came where it is not sure which call one of them answers. */
function sortedBy(calls: readonly string[], results: readonly ToolResultPart[]): readonly ToolResultPart[] {
  const places = new CallersMap<number>();
  for (const [place, id] of calls.entries()) places.set(id, place);
  const ids = results.map(({ id }) => id);
  const isKnown = ids.every((id) => places.get(id) !== undefined);
  if (!isKnown || !isEachOnce(calls) || !isEachOnce(ids)) return results;
  return results.toSorted((one, other) => (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0));
}

const isEachOnce = (ids: readonly string[]): boolean => callersSet(ids).size === ids.length;
