/**
 * A wire that one vendor speaks and no caller: requests are only written, answers only read. What the vendors' plain
 * chat wires have in common stands here, so that each of them is a short table of its own words.
 */
import { fail } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { noUsage, type Usage } from '../core/usage.ts';
import type { RequestTarget, UpstreamCodec } from '../dialects/codec.ts';
import type { UpstreamErrorBody } from '../dialects/dialect.ts';
import { reportDropped as reportSettings, type Setting } from '../dialects/dropped-settings.ts';
import { countOf } from '../dialects/fields.ts';
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

/** Usage in the words that most vendors took from OpenAI; null when it is not there. */
export function plainUsage(raw: unknown): Usage | null {
  if (!isObject(raw)) return null;
  const input = countOf(raw.prompt_tokens) ?? 0;
  const total = countOf(raw.total_tokens) ?? 0;
  const output =
    raw.completion_tokens === undefined ? Math.max(total - input, 0) : (countOf(raw.completion_tokens) ?? 0);
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

/** Settings that every dialect has a word for, and not every vendor. */
const COMMON = { tools: 'tools', toolChoice: 'tool_choice', maxOutputTokens: 'max_tokens' } as const;

/** Reports every setting of a request that is not among those which the vendor has a word for, by its usual name. */
export function reportDropped(
  request: ChatRequest,
  spoken: readonly (Setting | 'choices' | keyof typeof COMMON)[],
  target: RequestTarget,
): void {
  const known = new Set<string>(spoken);
  reportSettings(request, known, target);
  const asked = { ...request, tools: request.tools.length > 0 ? request.tools : undefined };
  for (const name of Object.keys(COMMON) as (keyof typeof COMMON)[]) {
    if (asked[name] !== undefined && !known.has(name)) target.drop(COMMON[name]);
  }
}

export const clamp = (value: number | undefined, least: number, most: number): number | undefined =>
  value === undefined ? undefined : Math.min(Math.max(value, least), most);

/** The reason's neutral word by the vendor's table; `other` for one that it does not list. */
export const stopOf = (table: Readonly<Record<string, StopReason>>, raw: string): StopReason =>
  table[raw] ?? 'other';
