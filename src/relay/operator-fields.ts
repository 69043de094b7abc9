/**
 * Fields of requests that are the operator's matter and no caller's. Upstreams that are gateways themselves (LiteLLM,
 * and whatever takes its words) let a request choose the address it is sent to, with the key of the channel, or another
 * model, or an answer that nobody gives; Anthropic's faster and its regional service cost more than the model does.
 */
import { isObject, type JsonObject } from '../core/json.ts';
import { cheapBetas } from '../dialects/anthropic-messages/betas.ts';
import type { Operation } from '../dialects/dialect.ts';
import type { RelayRequest } from './request.ts';

const NAMES: ReadonlySet<string> = new Set([
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
  'user_config',
]);
const PREFIXES = /^(mock_|litellm_|aws_|vertex_|watsonx_|azure_ad_|(in|out)put_cost_per_)/;

/** In chats the word for dearer service; of speech it is how fast a voice reads. */
const CHAT_ONLY = 'speed';

/** What `extra_body` may hold: Google's own words on OpenAI's wire. Other gateways put the rest of it among the fields. */
const KEPT_EXTRA = 'google';

export const isOperatorsField = (name: string, operation?: Operation): boolean =>
  NAMES.has(name) || PREFIXES.test(name) || (name === CHAT_ONLY && operation === 'chat');

const mustChange = (name: string, operation: Operation): boolean =>
  name === 'extra_body' || name === 'anthropic_beta' || isOperatorsField(name, operation);

/** The request without them; the same object where there are none. */
export function asCallersMay(request: RelayRequest): RelayRequest {
  const body = withoutOperatorsFields(request.body, request.operation);
  return body === request.body ? request : { ...request, body };
}

function withoutOperatorsFields(body: JsonObject, operation: Operation): JsonObject {
  if (!Object.keys(body).some((name) => mustChange(name, operation))) return body;
  const kept = Object.entries(body).flatMap(([name, value]): [string, JsonObject[string]][] => {
    if (isOperatorsField(name, operation)) return [];
    if (name === 'anthropic_beta') return [[name, betasIn(value)]];
    if (name !== 'extra_body') return [[name, value]];
    const google = isObject(value) ? value[KEPT_EXTRA] : undefined;
    return google === undefined ? [] : [[name, { [KEPT_EXTRA]: google } as JsonObject]];
  });
  return Object.fromEntries(kept);
}

const betasIn = (value: JsonObject[string]): string[] =>
  cheapBetas((Array.isArray(value) ? value : [value]).map(String).join(','))
    .split(',')
    .filter(Boolean);
