/**
 * Fields of requests that are the operator's matter and no caller's. Upstreams that are gateways themselves (LiteLLM,
 * and whatever takes its words) let a request choose the address it is sent to, with the key of the channel, or another
 * model, or an answer that nobody gives; Anthropic's faster and its regional service cost more than the model does.
 */
import { isObject, type JsonObject } from '../core/json.ts';
import { cheapBetas } from '../dialects/anthropic-messages/betas.ts';
import type { Operation } from '../dialects/dialect.ts';
import { folded } from '../dialects/spelling.ts';

/** In whichever spelling: what one gateway reads as `api_base` another reads as `apiBase`. */
const NAMES: ReadonlySet<string> = new Set(
  [
    'api_base',
    'api_key',
    'api_type',
    'api_version',
    'azure_ad_token',
    'base_url',
    'configurable_clientside_auth_params',
    'content_policy_fallbacks',
    'context_window_fallbacks',
    'cooldown_time',
    'custom_llm_provider',
    'default_fallbacks',
    'deployment_id',
    'extra_headers',
    'fallbacks',
    'inference_geo',
    'max_retries',
    'model_info',
    'model_list',
    'num_retries',
    'region_name',
    'headers',
    'user_config',
  ].map(folded),
);
const PREFIXES = /^(mock|litellm|aws|vertex|watsonx|azuread|(in|out)putcostper)/;

/** In chats the word for dearer service; of speech it is how fast a voice reads. */
const CHAT_ONLY = 'speed';

/** What `extra_body` may hold: Google's own words on OpenAI's wire. Other gateways put the rest of it among the fields. */
const KEPT_EXTRA = 'google';

const isOperatorsField = (name: string, operation: Operation): boolean =>
  NAMES.has(name) || PREFIXES.test(name) || (name === CHAT_ONLY && operation === 'chat');

const REWRITTEN: ReadonlySet<string> = new Set(['extra_body', 'anthropic_beta']);

/** The body without them; the same object where there are none. Another spelling of what is rewritten here goes, too. */
export function withoutOperatorsFields(body: JsonObject, operation: Operation): JsonObject {
  let out = body;
  for (const name of Object.keys(body)) {
    const kept = isOperatorsField(folded(name), operation) ? undefined : rewritten(name, body[name]);
    if (kept === body[name]) continue;
    if (out === body) out = { ...body };
    if (kept === undefined) delete out[name];
    else out[name] = kept;
  }
  return out;
}

function rewritten(name: string, value: JsonObject[string]): JsonObject[string] {
  if (!REWRITTEN.has(name)) return value;
  if (name === 'anthropic_beta') return betasIn(value);
  const google = isObject(value) ? (value as JsonObject)[KEPT_EXTRA] : undefined;
  return google === undefined ? undefined : { [KEPT_EXTRA]: google };
}

const betasIn = (value: JsonObject[string]): string[] =>
  cheapBetas((Array.isArray(value) ? value : [value]).map(String).join(','))
    .split(',')
    .filter(Boolean);
