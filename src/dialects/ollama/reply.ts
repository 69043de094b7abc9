/** Whole answers of Ollama's /api/chat from and into the neutral model. */
import type { JsonObject } from '../../core/json.ts';
import { noUsage } from '../../core/usage.ts';
import { answerIds, fingerprint } from '../call-ids.ts';
import type { ReplyContext } from '../codec.ts';
import { compact, FieldTaker, fieldsBut, objectOf, textOf } from '../fields.ts';
import type { ChatReply, Part, StopReason } from '../neutral.ts';
import { readSaid, writeSaid } from './messages.ts';
import { readUsage, writeUsage } from './usage.ts';

export const ollamaStops: Readonly<Record<string, StopReason>> = {
  stop: 'stop',
  length: 'length',
  load: 'stop',
  unload: 'stop',
};

export function readStop(word: string, callsTools: boolean): StopReason {
  const stop = ollamaStops[word] ?? 'other';
  return stop === 'stop' && callsTools ? 'tool-calls' : stop;
}

export const writeStop = (stop: StopReason): string =>
  stop === 'length' || stop === 'context-length' ? 'length' : 'stop';

const KNOWN = new Set([
  'model',
  'created_at',
  'message',
  'done',
  'done_reason',
  'prompt_eval_count',
  'eval_count',
]);

export const createdSec = (time: unknown): number =>
  typeof time === 'string' ? Math.floor(Date.parse(time) / 1000) || 0 : 0;

export function readReply(body: JsonObject): ChatReply {
  const message = objectOf(body.message) ?? {};
  const ids = answerIds(fingerprint([body.created_at ?? '', message.tool_calls ?? '']));
  const parts = readSaid(new FieldTaker(message), ids);
  const rawStop = textOf(body.done_reason) ?? (body.done === true ? 'stop' : undefined);
  const callsTools = parts.some((part) => part.type === 'tool-call');
  return {
    dialect: 'ollama',
    id: '',
    model: textOf(body.model) ?? '',
    created: createdSec(body.created_at),
    choices: [
      compact({
        index: 0,
        parts,
        stop: rawStop === undefined ? null : readStop(rawStop, callsTools),
        rawStop,
      }),
    ],
    usage: readUsage(body),
    extra: fieldsBut(body, KNOWN),
  };
}

export const createdAt = (sec: number): string => new Date(sec * 1000).toISOString();

/** Answers beyond the first have no place here. */
export function writeReply(reply: ChatReply, context: ReplyContext): JsonObject {
  const own = reply.dialect === 'ollama';
  const [choice] = reply.choices;
  return {
    model: context.model,
    created_at: createdAt(reply.created || context.createdSec),
    message: {
      role: 'assistant',
      ...writeSaid(sayable(choice?.parts ?? []), own, { lost: () => undefined }),
    },
    done: true,
    done_reason: writeStop(choice?.stop ?? 'stop'),
    ...(own && reply.extra),
    ...writeUsage(reply.usage ?? noUsage()),
  };
}

/** An answer must be told, whatever is in it: files and pictures by address have no place. */
const sayable = (parts: readonly Part[]): Part[] =>
  parts.filter(
    (part) =>
      part.type !== 'file' &&
      (part.type !== 'image' || part.source.kind === 'data') &&
      (part.type !== 'audio' || part.transcript !== undefined),
  );
