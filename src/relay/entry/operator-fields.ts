/** Takes the fields out of requests that are the operator's matter and no caller's. */
import { isObject, type JsonObject } from '../../core/json.ts';
import { cheapBetas } from '../../dialects/anthropic-messages/betas.ts';
import type { Operation } from '../../dialects/dialect.ts';
import {
  callersMetadata,
  isMerged,
  isOperatorsField,
  isOperatorsOfChat,
} from '../../dialects/operators-fields.ts';

/** The words for completions are read as those for chats. */
const CHATS: ReadonlySet<Operation> = new Set(['chat', 'completions']);

/** What `extra_body` may hold: Google's own words on OpenAI's wire. Other gateways put the rest of it among the fields. */
const KEPT_EXTRA = 'google';

/**
 * The body without them, here and where wires keep settings that others have here; the same object where there are none.
 * Another spelling of what is rewritten here goes, too.
 */
export function withoutOperatorsFields(body: JsonObject, operation: Operation): JsonObject {
  const isOut = CHATS.has(operation) ? isOperatorsOfChat : isOperatorsField;
  let out = body;
  for (const name of Object.keys(body)) {
    const kept = isOut(name) ? undefined : rewritten(name, body[name], operation);
    if (kept === body[name]) continue;
    if (out === body) out = { ...body };
    if (kept === undefined) delete out[name];
    else out[name] = kept;
  }
  return out;
}

function rewritten(name: string, value: JsonObject[string], operation: Operation): JsonObject[string] {
  if (name === 'anthropic_beta') return betasIn(value);
  if (name === 'metadata') return callersMetadata(value);
  const within = (settings: JsonObject[string]) =>
    isObject(settings) ? withoutOperatorsFields(settings as JsonObject, operation) : settings;
  // Of a name that holds no object nothing need be known.
  if (name !== 'extra_body') return isObject(value) && isMerged(name) ? within(value) : value;
  const google = isObject(value) ? (value as JsonObject)[KEPT_EXTRA] : undefined;
  return google === undefined ? undefined : { [KEPT_EXTRA]: within(google) };
}

const betasIn = (value: JsonObject[string]): string[] =>
  cheapBetas((Array.isArray(value) ? value : [value]).map(String).join(','))
    .split(',')
    .filter(Boolean);
