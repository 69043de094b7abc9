import type { JsonObject } from '../core/json.ts';
import { thinkingOf } from '../core/thinkers.ts';
import { objectsOf } from '../dialects/fields.ts';
import { jsonInWords } from '../dialects/json-words.ts';
import { readFormat } from '../dialects/openai-chat/request.ts';
import { deepseekBalance } from './balance.ts';
import { openaiCompatible } from './openai-compatible.ts';

/** It takes no schema ("This response_format type is unavailable now"), and JSON alone where the prompt speaks of it. */
function sayFormat(body: JsonObject): void {
  const said = jsonInWords(readFormat(body.response_format));
  if (said === undefined) return;
  body.response_format = { type: 'json_object' };
  const messages = objectsOf(body.messages);
  const instructions = messages.findIndex(({ role }) => role !== 'system');
  body.messages = messages.toSpliced(instructions, 0, { role: 'system', content: said });
}

/** "Thinking mode does not support this tool_choice": who forces a tool and asks for no thoughts wants the tool. */
function forceTool(body: JsonObject, model: string): void {
  const { tool_choice: choice, thinking, reasoning_effort: effort } = body;
  const forces = choice !== undefined && choice !== 'auto' && choice !== 'none';
  const asks = thinking !== undefined || effort !== undefined;
  if (forces && !asks && thinkingOf(model) === 'unless-told') body.thinking = { type: 'disabled' };
}

export const deepseek = openaiCompatible({
  type: 43,
  slug: 'deepseek',
  label: 'DeepSeek',
  systemRoleOnly: true,
  baseUrl: 'https://api.deepseek.com',
  models: ['deepseek-flash', 'deepseek-v4-pro', 'deepseek-v4-flash', 'deepseek-chat', 'deepseek-reasoner'],
  operations: ['chat', 'completions'],
  balance: deepseekBalance,
  messagesPath: '/anthropic/v1/messages',
  paths: { completions: '/beta/completions' },
  extensions: ['reasoning_content', 'thinking'],
  adjustBody(body, { operation, askedIn, model }) {
    // Who speaks its own words has said them himself.
    if (operation !== 'chat' || askedIn === 'openai-chat') return body;
    sayFormat(body);
    forceTool(body, model);
    return body;
  },
});
