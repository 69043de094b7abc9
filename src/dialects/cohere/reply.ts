/** Whole answers of Cohere's v2 chat from and into the neutral model. */
import type { JsonObject } from '../../core/json.ts';
import { noUsage } from '../../core/usage.ts';
import type { ReplyContext } from '../codec.ts';
import { compact, FieldTaker, fieldsBut, objectOf, textOf } from '../fields.ts';
import type { ChatReply } from '../neutral.ts';
import { readAssistant, writeAssistant } from './messages.ts';
import { readStop, writeStop } from './stops.ts';
import { readUsage, writeUsage } from './usage.ts';

const KNOWN = new Set(['id', 'message', 'finish_reason', 'usage']);

export function readReply(body: JsonObject): ChatReply {
  const rawStop = textOf(body.finish_reason);
  return {
    dialect: 'cohere',
    id: textOf(body.id) ?? '',
    model: '',
    created: 0,
    choices: [
      compact({
        index: 0,
        parts: readAssistant(new FieldTaker(objectOf(body.message) ?? {})),
        stop: rawStop === undefined ? null : readStop(rawStop),
        rawStop,
      }),
    ],
    usage: readUsage(body.usage),
    extra: fieldsBut(body, KNOWN),
  };
}

/** Answers beyond the first have no place here. */
export function writeReply(reply: ChatReply, context: ReplyContext): JsonObject {
  const own = reply.dialect === 'cohere';
  const [choice] = reply.choices;
  return compact<JsonObject>({
    id: reply.id || context.requestId,
    message: { role: 'assistant', ...writeAnswer(choice?.parts ?? []) },
    finish_reason: choice?.stop ? writeStop(choice.stop) : undefined,
    usage: writeUsage(reply.usage ?? noUsage()),
    ...(own && reply.extra),
  });
}

/** An answer's content is always a list; thinking of other makers is shown like the service's own. */
function writeAnswer(parts: ChatReply['choices'][number]['parts']): JsonObject {
  const shown = parts
    .filter((part) => part.type !== 'image' && part.type !== 'file' && part.type !== 'audio')
    .map((part) => (part.type === 'thinking' ? { ...part, origin: 'cohere' as const } : part));
  const written = writeAssistant(shown, false, { lost: () => undefined });
  const { content } = written;
  return typeof content === 'string' ? { ...written, content: [{ type: 'text', text: content }] } : written;
}
