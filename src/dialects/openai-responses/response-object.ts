/** The response object, which repeats the request around what was answered. */
import type { JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import type { ReplyContext } from '../codec.ts';
import type { DialectId } from '../dialect.ts';
import { objectOf } from '../fields.ts';
import type { StopReason } from '../neutral.ts';
import { isOpenAi } from '../openai-chat/reply.ts';
import { writeStop } from '../stop-words.ts';
import { responsesStops } from './stops.ts';
import { writeTools } from './tools.ts';
import { writeUsage } from './usage.ts';

/** What is known of an answer when its response object is written. */
export interface Answer {
  id: string;
  created: number;
  serviceTier?: string;
  dialect?: DialectId;
}

/** The upstream's id in this dialect's form. */
function writeId(id: string, context: ReplyContext): string {
  const known = id || context.requestId;
  return known.startsWith('resp_') ? known : `resp_${known}`;
}

/** The object while the answer is under way. It is not stored: nobody can ask for it again or build upon it. */
export function openResponse(answer: Answer, context: ReplyContext): JsonObject {
  const { request } = context;
  const own = request.dialect === 'openai-responses';
  const said: JsonObject = own ? request.extra : {};
  const text = objectOf(said.text);
  const reasoning = objectOf(said.reasoning);
  const tools = own ? writeTools(request, silent) : {};
  return {
    id: writeId(answer.id, context),
    object: 'response',
    created_at: answer.created || context.createdSec,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: said.instructions ?? null,
    max_output_tokens: request.maxOutputTokens ?? null,
    max_tool_calls: said.max_tool_calls ?? null,
    model: context.model,
    output: [],
    parallel_tool_calls: request.parallelToolCalls ?? true,
    previous_response_id: said.previous_response_id ?? null,
    prompt_cache_key: request.promptCacheKey ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    safety_identifier: said.safety_identifier ?? null,
    service_tier:
      (isOpenAi(answer.dialect) ? answer.serviceTier : undefined) ?? request.serviceTier ?? 'default',
    store: false,
    temperature: request.temperature ?? 1,
    text: { format: { type: 'text' }, ...text },
    tool_choice: tools.tool_choice ?? 'auto',
    tools: tools.tools ?? [],
    top_logprobs: request.topLogprobs ?? 0,
    top_p: request.topP ?? 1,
    truncation: said.truncation ?? 'disabled',
    usage: null,
    user: said.user ?? null,
    metadata: request.metadata ?? {},
  };
}

const silent = {
  model: '',
  stream: false,
  askUsage: false,
  defaultMaxTokens: 0,
  drop: () => undefined,
};

/** The object when the answer has ended. */
export function closedResponse(
  open: JsonObject,
  output: JsonObject[],
  stop: StopReason | null,
  usage: Usage | null,
): JsonObject {
  const word = writeStop(responsesStops, stop ?? 'other');
  const isComplete = word === 'completed';
  return {
    ...open,
    status: isComplete ? 'completed' : 'incomplete',
    incomplete_details: isComplete ? null : { reason: word },
    output,
    usage: usage && writeUsage(usage),
  };
}
