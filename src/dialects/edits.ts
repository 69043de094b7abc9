/** What may become of a conversation before it is read, by the words of the body that goes up. */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { RequestFacts } from './dialect.ts';
import { countOf, objectOf, textOf } from './fields.ts';
import { sumsUp, wishesIn } from './summed-up.ts';

/** What edits leave out of it: what tools have answered, what they were called with, and what was thought. */
export type Cleared = 'results' | 'calls' | 'thoughts';

export interface Edits extends Pick<RequestFacts, 'sumsUpFrom'> {
  /** From how many tokens on some of each may be left out; absent where none is. */
  clears?: Partial<Record<Cleared, number>>;
}

/** Where an edit does not say (Anthropic's page on context editing); thoughts are left out from the first on. */
const USUAL_OF_TOOL_USES = 100_000;

export function editsOf(body: JsonObject): Edits {
  const clears: NonNullable<Edits['clears']> = {};
  for (const wish of wishesIn(body)) {
    const from = beginsAt(wish);
    for (const kind of clearedBy(wish)) clears[kind] = Math.min(clears[kind] ?? from, from);
  }
  return { ...sumsUp(body), ...(Object.keys(clears).length > 0 && { clears }) };
}

/** What keeps all leaves nothing out: Claude Code says so with each call. What nobody knows leaves out nothing, either. */
function clearedBy({ type, keep, clear_tool_inputs: inputs }: JsonObject): Cleared[] {
  const name = textOf(type) ?? '';
  if (keep === 'all' || objectOf(keep)?.type === 'all') return [];
  if (name.startsWith('clear_thinking')) return ['thoughts'];
  if (!name.startsWith('clear_tool_uses')) return [];
  return inputs ? ['results', 'calls'] : ['results'];
}

function beginsAt({ type, trigger }: JsonObject): number {
  const said = objectOf(trigger);
  if (said) return said.type === 'input_tokens' ? (countOf(said.value) ?? 0) : 0;
  return textOf(type)?.startsWith('clear_tool_uses') ? USUAL_OF_TOOL_USES : 0;
}

/** Fields of all wires that hold a conversation, and those of one of its turns that hold its parts. */
const TURNS = ['messages', 'input', 'contents'];
const PARTS = ['content', 'parts', 'tool_calls', 'thinking_blocks'];

/** What is left of a body at the least, where such things are left out of it. */
export function leftOf(body: JsonObject, isLeftOut: (kind: Cleared) => boolean): JsonObject {
  const staysWhole = (part: Json) => {
    const kind = isObject(part) ? kindOf(part) : null;
    return kind === null || !isLeftOut(kind);
  };
  const turnLeft = (turn: Json): Json =>
    isObject(turn) ? eachOf(turn, PARTS, (parts) => parts.filter(staysWhole)) : turn;
  return eachOf(body, TURNS, (turns) => turns.filter(staysWhole).map(turnLeft));
}

/** The same object with other lists by these names. */
function eachOf(object: JsonObject, names: readonly string[], change: (list: Json[]) => Json[]): JsonObject {
  const changed = { ...object };
  for (const name of names) {
    const list = object[name];
    if (Array.isArray(list)) changed[name] = change(list);
  }
  return changed;
}

const OF_TOOLS: readonly unknown[] = ['tool', 'function'];
const CALLS: readonly unknown[] = ['tool_use', 'function', 'custom', 'function_call', 'custom_tool_call'];
const THOUGHTS: readonly unknown[] = ['thinking', 'redacted_thinking', 'reasoning'];

function kindOf({ role, type, thought, functionCall, functionResponse }: JsonObject): Cleared | null {
  const name = textOf(type) ?? '';
  const isResult = name.endsWith('_output') || name.endsWith('tool_result');
  if (OF_TOOLS.includes(role) || isResult || functionResponse) return 'results';
  if (CALLS.includes(type) || functionCall) return 'calls';
  return THOUGHTS.includes(type) || thought === true ? 'thoughts' : null;
}
