/** OpenAI's old Completions: a prompt that is gone on with, without roles. */

import { fail } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { Text } from '../../core/text.ts';
import { noUsage } from '../../core/usage.ts';
import { chatTools, checkToolLimits } from '../asked-tools.ts';
import type { CallersDialect } from '../body-rules.ts';
import {
  answeredNow,
  choicesIn,
  flagIn,
  isAbsent,
  modelIn,
  objectIn,
  outputCapIn,
  refuse,
  wrong,
} from '../bounds.ts';
import type { ForwardSettings, PathFacts, RequestFacts } from '../dialect.ts';
import { objectOf } from '../fields.ts';
import { dataFrame } from '../frames.ts';
import { knownOfChat } from '../hosted-tools.ts';
import { SETTINGS } from '../openai-chat/reads.ts';
import { ChatStreamTap, readReplyFacts } from '../openai-chat/reply-facts.ts';
import { reads } from '../other-texts.ts';
import { withoutOffTools } from '../reading-tools.ts';
import { plainDialect, plainRules, promptOf } from './plain.ts';
import { INPUTS, readInputs, type TextInputs } from './text-input.ts';

function promptsOf({ prompt }: JsonObject): TextInputs {
  return isAbsent(prompt) ? { texts: [], tokens: 0, count: 1 } : readInputs(prompt, 'prompt');
}

function readRequest(body: JsonObject, path: PathFacts): RequestFacts {
  const model = modelIn(path.model ?? body.model);
  const stream = flagIn(body.stream, 'stream');
  const options = objectIn(body.stream_options, 'stream_options');
  checkToolLimits(body);
  answeredNow(body);
  if (!isAbsent(body.suffix) && typeof body.suffix !== 'string') throw refuse('suffix', wrong.string);
  const prompts = promptsOf(body);
  // All of the best are written, and paid for, before one is chosen.
  const shown = choicesIn(body.n, 'n') * prompts.count;
  const choices = Math.max(shown, choicesIn(body.best_of, 'best_of') * prompts.count);
  if (choices > limits.messagesMax)
    throw fail('invalid_request', { field: 'n', params: { reason: TOO_MANY } });
  return {
    model,
    stream,
    outputCap: outputCapIn(body.max_tokens, 'max_tokens'),
    choices,
    ...(shown < choices && { shown }),
    prompt: promptOf(promptTexts(body), prompts.tokens),
    audioOut: false,
    wantsUsage: options?.include_usage === true,
    affinity: null,
    previousAnswer: null,
  };
}

const TOO_MANY: Text = {
  zh: `一次最多请求 ${limits.messagesMax} 个回答`,
  en: `At most ${limits.messagesMax} answers can be asked for at once.`,
};

const promptTexts = (body: JsonObject): string[] => [
  ...promptsOf(body).texts,
  ...(typeof body.suffix === 'string' ? [body.suffix] : []),
];

function forward(body: JsonObject, { model, stream, askUsage }: ForwardSettings): JsonObject {
  const { stream_options: options, ...rest } = body;
  const copy: JsonObject = { ...rest, model };
  if (!stream) return options === undefined ? copy : { ...copy, stream_options: options };
  if (!askUsage) return copy;
  return { ...copy, stream_options: { ...(isObject(options) ? options : {}), include_usage: true } };
}

/** What a choice says, as a chat's message would. Mistral answers this call with messages. */
export const saidIn = (choice: JsonObject): JsonObject =>
  typeof choice.text === 'string'
    ? { content: choice.text }
    : (objectOf(choice.message) ?? objectOf(choice.delta) ?? {});

export const openaiCompletions: CallersDialect = plainDialect({
  rules: plainRules(['max_tokens', 'n', 'best_of'], ['logit_bias']),
  reads: reads(['suffix'], { ...SETTINGS, prompt: INPUTS }),
  readRequest,
  // Routers take for a chat what is asked in old words: where they search for one, they may do so here.
  paidTools: chatTools,
  knownTool: knownOfChat,
  withoutOffTools,
  promptTexts,
  usageOf({ body, input, output }) {
    return { ...noUsage(), input: input + promptsOf(body).tokens, output };
  },
  withOutputCap: (body, tokens) => ({ ...body, max_tokens: tokens }),
  forward,
  readReply: (body) => readReplyFacts(body, saidIn),
  tap: (request) => new ChatStreamTap(request, saidIn),
  endMarker: dataFrame('[DONE]'),
});
