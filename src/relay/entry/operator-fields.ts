/** Takes the fields out of requests that are the operator's matter and no caller's. */
import { isObject, type JsonObject } from '../../core/json.ts';
import { cheapBetas } from '../../dialects/anthropic-messages/betas.ts';
import type { Operation } from '../../dialects/dialect.ts';
import { namesOf } from '../../dialects/gateway-fields.ts';
import { readings } from '../../dialects/spelling.ts';

/** In whichever spelling: what one gateway reads as `api_base` another reads as `apiBase`. */
const NAMES = namesOf(({ operators }) => operators === true);
const CHAT_NAMES = namesOf(({ operators }) => operators === 'chat');
const PREFIXES = /^(mock|litellm|aws|vertex|watsonx|azuread|(in|out)putcostper)/;

/** What `extra_body` may hold: Google's own words on OpenAI's wire. Other gateways put the rest of it among the fields. */
const KEPT_EXTRA = 'google';

const isOperatorsField = (name: string, operation: Operation): boolean =>
  NAMES.has(name) || PREFIXES.test(name) || (operation === 'chat' && CHAT_NAMES.has(name));

/** The body without them; the same object where there are none. Another spelling of what is rewritten here goes, too. */
export function withoutOperatorsFields(body: JsonObject, operation: Operation): JsonObject {
  let out = body;
  for (const name of Object.keys(body)) {
    const isOut = readings(name).some((reading) => isOperatorsField(reading, operation));
    const kept = isOut ? undefined : rewritten(name, body[name]);
    if (kept === body[name]) continue;
    if (out === body) out = { ...body };
    if (kept === undefined) delete out[name];
    else out[name] = kept;
  }
  return out;
}

function rewritten(name: string, value: JsonObject[string]): JsonObject[string] {
  if (name === 'anthropic_beta') return betasIn(value);
  if (name !== 'extra_body') return value;
  const google = isObject(value) ? (value as JsonObject)[KEPT_EXTRA] : undefined;
  return google === undefined ? undefined : { [KEPT_EXTRA]: google };
}

const betasIn = (value: JsonObject[string]): string[] =>
  cheapBetas((Array.isArray(value) ? value : [value]).map(String).join(','))
    .split(',')
    .filter(Boolean);
