/** The turns of a request into Gemini's contents and its system instruction. */
import { CallersMap } from '../../core/callers-keys.ts';
import { InnerJson } from '../../core/inner-json.ts';
import type { JsonObject } from '../../core/json.ts';
import type { RequestTarget } from '../codec.ts';
import { compact, merged, textOf } from '../fields.ts';
import type { ChatRequest, Message, Part } from '../neutral.ts';
import { traitsOf } from './models.ts';
import { type PartTarget, writeParts } from './write-parts.ts';

const isSystem = ({ role }: Message): boolean => role === 'system' || role === 'developer';

/** For all that one request says: what stands in its texts is read within one bound. */
export const targetOf = (request: ChatRequest, target: RequestTarget): PartTarget => ({
  forModel: true,
  own: request.dialect === 'gemini',
  filesInResults: request.dialect === 'gemini' || traitsOf(target.model).levels,
  objectIn: new InnerJson().object,
  drop: target.drop,
});

/** Instructions stand above the turns, wherever other dialects let them stand. */
export function writeSystem(request: ChatRequest, to: PartTarget): JsonObject | undefined {
  const messages = request.messages.filter(isSystem);
  const parts = messages.flatMap((message) => writeParts(message.parts, to));
  if (parts.length === 0) return undefined;
  if (to.own) return { parts, ...messages[0]?.extra };
  return { parts: [{ text: parts.map((part) => textOf(part.text) ?? '').join('\n') }] };
}

interface Turn {
  role: string;
  results: JsonObject[];
  parts: JsonObject[];
  /** Of each of its messages. */
  extras: JsonObject[];
}

export function writeContents(request: ChatRequest, to: PartTarget, model: string): JsonObject[] {
  const names = callNames(request.messages);
  const turns: Turn[] = [];
  for (const message of request.messages) {
    if (isSystem(message)) continue;
    const role = message.role === 'assistant' ? 'model' : 'user';
    let turn = turns.at(-1);
    if (turn?.role !== role) {
      turn = { role, results: [], parts: [], extras: [] };
      turns.push(turn);
    }
    const parts = writeParts(
      message.parts.map((part) => named(part, names)),
      to,
    );
    for (const part of parts) (part.functionResponse ? turn.results : turn.parts).push(part);
    if (to.own && message.extra) turn.extras.push(message.extra);
  }
  const signs = !to.own && traitsOf(model).levels;
  return turns
    .filter(({ role, results, parts }) => role === 'user' || results.length + parts.length > 0)
    .map(({ role, results, parts, extras }) => {
      const all = [...results, ...parts];
      if (signs && role === 'model') signFirstCall(all);
      // A question without content still is a turn.
      return { role, parts: all.length > 0 ? all : [{ text: ' ' }], ...merged(extras) };
    });
}

/** What the service takes for the signature of a call that another model made. */
const SKIP_VALIDATION = 'skip_thought_signature_validator';

/** Of calls made together the first one is signed. */
function signFirstCall(parts: JsonObject[]): void {
  const first = parts.find((part) => part.functionCall);
  if (first && first.thoughtSignature === undefined) first.thoughtSignature = SKIP_VALIDATION;
}

/** Results name their tool here; in most other dialects only the history tells which it was. */
function callNames(messages: readonly Message[]): CallersMap<string> {
  const names = new CallersMap<string>();
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === 'tool-call') names.set(part.id, part.name);
  }
  return names;
}

const named = (part: Part, names: CallersMap<string>): Part =>
  part.type === 'tool-result' && part.name === undefined
    ? compact({ ...part, name: names.get(part.id) })
    : part;
