/** Usage as the Responses wire counts it: the counts of the chat wire under other names. */
import type { JsonObject } from '../../core/json.ts';
import { completionTokens, promptTokens, type Usage } from '../../core/usage.ts';
import { completionDetails, promptDetails } from '../openai-chat/usage.ts';

export { readUsage } from '../openai-chat/usage.ts';

export function writeUsage(usage: Usage): JsonObject {
  const input = promptTokens(usage);
  const output = completionTokens(usage);
  return {
    input_tokens: input,
    input_tokens_details: promptDetails(usage),
    output_tokens: output,
    output_tokens_details: completionDetails(usage),
    total_tokens: input + output,
  };
}
