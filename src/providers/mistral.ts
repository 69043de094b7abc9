import { createHash } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { openaiCompatible, rename } from './openai-compatible.ts';

/** Everything that Mistral's chat takes; other fields are refused with 422. */
const FIELDS = new Set([
  'model',
  'stream',
  'messages',
  'temperature',
  'top_p',
  'max_tokens',
  'stop',
  'tools',
  'tool_choice',
  'response_format',
  'presence_penalty',
  'frequency_penalty',
  'n',
  'parallel_tool_calls',
  'prediction',
  'prompt_mode',
  'random_seed',
  'safe_prompt',
  'metadata',
  'reasoning_effort',
]);

/** Tool call ids must be nine letters and digits. The same long id always becomes the same short one, so that calls and results still meet. */
const shortId = (id: string): string =>
  /^[A-Za-z0-9]{9}$/.test(id)
    ? id
    : BigInt(`0x${createHash('sha256').update(id).digest('hex')}`)
        .toString(36)
        .slice(0, 9);

function adjustMessage(message: Json): Json {
  if (!isObject(message)) return message;
  const out = { ...(message as JsonObject) };
  if (typeof out.tool_call_id === 'string') out.tool_call_id = shortId(out.tool_call_id);
  if (Array.isArray(out.tool_calls)) {
    out.tool_calls = out.tool_calls.map((call) =>
      isObject(call) && typeof call.id === 'string'
        ? { ...(call as JsonObject), id: shortId(call.id) }
        : call,
    );
  }
  return out;
}

function adjustBody(body: JsonObject): JsonObject {
  rename(body, 'max_completion_tokens', 'max_tokens');
  rename(body, 'seed', 'random_seed');
  if (Array.isArray(body.messages)) {
    const messages = body.messages.map(adjustMessage);
    const last = messages.at(-1);
    // An answer that the model shall go on with must say so.
    if (isObject(last) && last.role === 'assistant' && !last.tool_calls) last.prefix = true;
    body.messages = messages;
  }
  for (const field of Object.keys(body)) if (!FIELDS.has(field)) delete body[field];
  return body;
}

export const mistral = openaiCompatible({
  type: 42,
  slug: 'mistral',
  label: 'Mistral',
  systemRoleOnly: true,
  baseUrl: 'https://api.mistral.ai',
  models: [
    'mistral-large-latest',
    'mistral-large-4',
    'mistral-medium-latest',
    'mistral-medium-3',
    'mistral-small-latest',
    'ministral-8b-latest',
    'ministral-3b-latest',
    'codestral-latest',
    'devstral-medium-latest',
    'devstral-small-latest',
    'magistral-medium-latest',
    'magistral-small-latest',
    'pixtral-large-latest',
    'pixtral-12b',
    'open-mistral-nemo',
    'open-mistral-7b',
    'open-mixtral-8x7b',
    'mistral-embed',
    'codestral-embed',
    'mistral-moderation-latest',
    'voxtral-mini-latest',
    'mistral-ocr-latest',
  ],
  operations: ['chat', 'completions', 'embeddings', 'transcriptions', 'moderations'],
  paths: { completions: '/v1/fim/completions' },
  // Usage always comes with the last chunk; asking for it is refused.
  streamUsage: false,
  // Its contents may be lists, with thoughts among their parts, and its calls name no type.
  strict: 'answers',
  adjustBody: (body, { operation }) => (operation === 'chat' ? adjustBody(body) : body),
});
