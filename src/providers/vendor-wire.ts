/**
 * A wire that one vendor speaks and no caller: requests are only written, answers only read. What the vendors' plain
 * chat wires have in common stands here, so that each of them is a short table of its own words.
 */
import { fail } from '../core/errors.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { noUsage, type Usage } from '../core/usage.ts';
import type { UpstreamCodec } from '../dialects/codec.ts';
import type { UpstreamErrorBody } from '../dialects/dialect.ts';
import type { ChatRequest, Message, Part, StopReason, StreamEvent } from '../dialects/neutral.ts';

export interface VendorWire extends UpstreamCodec {
  readonly id: string;
  /** The error that an answer of status 200 carries instead of an answer; `status` is what it stands for. */
  readError(body: unknown): WireError | null;
}

export interface WireError {
  error: UpstreamErrorBody;
  status: number;
}

/** The same error inside a stream. */
export const errorEvent = ({ error, status }: WireError): StreamEvent => ({
  type: 'error',
  message: error.message,
  code: error.code,
  kind: error.type,
  status,
});

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const count = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
export const object = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});
export const list = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** Usage in the words that most vendors took from OpenAI; null when it is not there. */
export function plainUsage(raw: unknown): Usage | null {
  if (!isObject(raw)) return null;
  const input = count(raw.prompt_tokens);
  const total = count(raw.total_tokens);
  const output =
    raw.completion_tokens === undefined ? Math.max(total - input, 0) : count(raw.completion_tokens);
  return { ...noUsage(), input, output };
}

/** The text of a message; anything else in it is refused, because it would be lost in silence. */
export function onlyText(message: Message, vendor: string): string {
  return message.parts.map((part) => partText(part, vendor)).join('');
}

function partText(part: Part, vendor: string): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'refusal':
      return part.text;
    case 'thinking':
    case 'raw':
      return '';
    case 'tool-result':
      return part.content.map((inner) => partText(inner, vendor)).join('');
    default:
      throw fail('invalid_request', {
        params: {
          reason: {
            zh: `${vendor} 模型只接受文本，不接受 ${part.type} 类型的内容`,
            en: `${vendor} models take text only, not a part of type ${part.type}`,
          },
        },
      });
  }
}

export interface Turn {
  role: 'user' | 'assistant';
  text: string;
}

/** The system text apart, and turns that alternate, beginning with the user: neighbours of one role are joined. */
export function plainTurns(request: ChatRequest, vendor: string): { system: string; turns: Turn[] } {
  const system: string[] = [];
  const turns: Turn[] = [];
  for (const message of request.messages) {
    const said = onlyText(message, vendor);
    if (message.role === 'system' || message.role === 'developer') {
      if (said) system.push(said);
      continue;
    }
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = turns.at(-1);
    if (last?.role === role) last.text += `\n${said}`;
    else turns.push({ role, text: said });
  }
  return { system: system.join('\n'), turns };
}

/** Reports every setting of a request that is not among those which the vendor has a word for. */
export function reportDropped(
  request: ChatRequest,
  spoken: readonly (keyof ChatRequest)[],
  drop: (what: string) => void,
): void {
  const settings: (keyof ChatRequest)[] = [
    'toolChoice',
    'parallelToolCalls',
    'responseFormat',
    'reasoning',
    'maxOutputTokens',
    'temperature',
    'topP',
    'topK',
    'minP',
    'frequencyPenalty',
    'presencePenalty',
    'repetitionPenalty',
    'seed',
    'stop',
    'choices',
    'logprobs',
    'topLogprobs',
    'logitBias',
    'verbosity',
    'modalities',
    'audio',
    'metadata',
    'serviceTier',
    'promptCacheKey',
  ];
  for (const name of settings) if (request[name] !== undefined && !spoken.includes(name)) drop(name);
  if (request.tools.length > 0 && !spoken.includes('tools')) drop('tools');
}

/** Only the fields that have a value. */
export const present = (fields: Record<string, JsonObject[string]>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

export const clamp = (value: number | undefined, least: number, most: number): number | undefined =>
  value === undefined ? undefined : Math.min(Math.max(value, least), most);

/** The reason's neutral word by the vendor's table; `other` for one that it does not list. */
export const stopOf = (table: Readonly<Record<string, StopReason>>, raw: string): StopReason =>
  table[raw] ?? 'other';
