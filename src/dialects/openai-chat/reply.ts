/** Whole Chat Completions answers. */
import type { JsonObject } from '../../core/json.ts';
import { joinedRefusal, joinedText, joinedThinking } from '../accumulate.ts';
import type { ReplyContext } from '../codec.ts';
import type { DialectId } from '../dialect.ts';
import { compact, countOf, FieldTaker, objectOf, objectsOf, textOf } from '../fields.ts';
import type { ChatReply, Choice, Part } from '../neutral.ts';
import { readStop, writeStop } from '../stop-words.ts';
import { readAssistant } from './read-parts.ts';
import { openaiChatStops } from './stops.ts';
import { writeDetail } from './thinking-details.ts';
import { readUsage, writeUsage } from './usage.ts';
import {
  customTools,
  wantsFunctionCall,
  writeAnnotations,
  writeAudio,
  writeCall,
  writeImage,
} from './write-parts.ts';

// ---- Reading -----------------------------------------------------------------------------------------------------

export function readReply(body: JsonObject): ChatReply {
  const fields = new FieldTaker(body);
  fields.text('object');
  const id = fields.text('id') ?? '';
  const choices = objectsOf(fields.list('choices'));
  const reply: ChatReply = compact({
    dialect: 'openai-chat',
    id,
    model: fields.text('model') ?? '',
    created: fields.take('created', countOf) ?? 0,
    choices: choices.map((choice, at) => readChoice(choice, at, id)),
    usage: readUsage(body.usage),
    serviceTier: fields.text('service_tier'),
    extra: {},
  });
  fields.object('usage');
  reply.extra = fields.rest ?? {};
  return reply;
}

function readChoice(choice: JsonObject, at: number, id: string): Choice {
  const index = countOf(choice.index) ?? at;
  const parts = readAssistant(objectOf(choice.message) ?? {}, (n) => `call_${id}_${index}_${n}`);
  const rawStop = textOf(choice.finish_reason) ?? '';
  const logprobs = objectOf(choice.logprobs);
  return compact({
    index,
    parts,
    stop: readStop(openaiChatStops, rawStop || 'stop', callsTools(parts)),
    rawStop: rawStop || undefined,
    logprobs,
  });
}

const callsTools = (parts: readonly Part[]): boolean => parts.some((part) => part.type === 'tool-call');

// ---- Writing -----------------------------------------------------------------------------------------------------

export function writeReply(reply: ChatReply, context: ReplyContext): JsonObject {
  return compact({
    id: writeId(reply.id, context),
    object: 'chat.completion',
    created: reply.created || context.createdSec,
    model: context.model,
    choices: reply.choices.map((choice) => writeChoice(choice, context)),
    usage: reply.usage ? writeUsage(reply.usage) : undefined,
    service_tier: isOpenAi(reply.dialect) ? reply.serviceTier : undefined,
    ...(reply.dialect === 'openai-chat' && reply.extra),
  });
}

/** Whether the words of a dialect about the service's tiers are OpenAI's. */
export const isOpenAi = (dialect: DialectId | undefined): boolean =>
  dialect === 'openai-chat' || dialect === 'openai-responses';

/** The upstream's id in this dialect's form. */
export function writeId(id: string, context: Pick<ReplyContext, 'requestId'>): string {
  const known = id || context.requestId;
  return known.startsWith('chatcmpl-') ? known : `chatcmpl-${known}`;
}

function writeChoice(choice: Choice, context: ReplyContext): JsonObject {
  const legacy = wantsFunctionCall(context.request);
  const stop = writeStop(openaiChatStops, choice.stop ?? 'other');
  return {
    index: choice.index,
    message: writeMessage(choice.parts, context),
    logprobs: choice.logprobs ?? null,
    finish_reason: legacy && stop === 'tool_calls' ? 'function_call' : stop,
  };
}

function writeMessage(parts: readonly Part[], context: ReplyContext): JsonObject {
  const text = joinedText(parts);
  const thinking = joinedThinking(parts);
  const proofs = detailsOf(parts);
  const images = present(parts.map((part) => (part.type === 'image' ? writeImage(part) : undefined)));
  const audio = parts.find((part) => part.type === 'audio');
  const calls = parts.filter((part) => part.type === 'tool-call');
  const annotations = annotationsOf(parts);
  const content = text === '' && (calls.length > 0 || audio || joinedRefusal(parts) !== '') ? null : text;
  const [call] = calls;
  const custom = customTools(context.request);
  return {
    role: 'assistant',
    content,
    refusal: joinedRefusal(parts) || null,
    ...(thinking !== '' && { reasoning_content: thinking }),
    ...(proofs.length > 0 && { reasoning_details: proofs }),
    ...(annotations.length > 0 && { annotations }),
    ...(images.length > 0 && { images }),
    ...(audio && { audio: writeAudio(audio) }),
    ...(call && wantsFunctionCall(context.request)
      ? { function_call: { name: call.name, arguments: call.input } }
      : calls.length > 0 && {
          tool_calls: calls.map((part) => writeCall(part, custom)),
        }),
  };
}

const present = (items: (JsonObject | undefined)[]): JsonObject[] =>
  items.filter((item) => item !== undefined);

function detailsOf(parts: readonly Part[]): JsonObject[] {
  let start = 0;
  const thoughts = parts.filter((part) => part.type === 'thinking');
  const details = thoughts.map((part, index) => {
    const detail = writeDetail(part, index, start);
    start += part.text.length;
    return detail;
  });
  return present(details);
}

function annotationsOf(parts: readonly Part[]): JsonObject[] {
  let offset = 0;
  return parts.flatMap((part) => {
    if (part.type !== 'text') return [];
    const start = offset;
    offset += part.text.length;
    return writeAnnotations(part.citations ?? [], start, offset);
  });
}
