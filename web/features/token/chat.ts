/** A conversation with a model in the playground: what is said, with which settings. */
import type { TextKey } from '@/lib/text-key.ts';
import type { SampleInput } from './code-samples.ts';
import type { CallResult, ToolCall } from './relay-call.ts';

export interface ChatSettings {
  model: string;
  /** Empty: the account's own. */
  group: string;
  system: string;
  /** As typed; empty leaves it to the model. */
  temperature: string;
  maxTokens: string;
  answer: 'streamed' | 'once';
}

/** A question, and what has come of it. */
export interface Turn {
  id: number;
  question: string;
  answer: string;
  thinking: string;
  /** What the model wanted called; nobody calls it here. */
  tools: readonly ToolCall[];
  state: 'pending' | 'done' | 'stopped' | 'failed';
  result: CallResult | null;
  error: unknown;
}

export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** The fields that are wrong, each with why. */
export type ChatErrors = Partial<Record<'temperature' | 'maxTokens', TextKey>>;

const MAX_TOKENS = 10_000_000;

export function chatErrors({ temperature, maxTokens }: ChatSettings): ChatErrors {
  const errors: ChatErrors = {};
  const warmth = Number(temperature);
  if (temperature.trim() !== '' && !(warmth >= 0 && warmth <= 2)) errors.temperature = 'chat.temperatureBad';
  const cap = Number(maxTokens);
  const isCap = Number.isInteger(cap) && cap >= 1 && cap <= MAX_TOKENS;
  if (maxTokens.trim() !== '' && !isCap) errors.maxTokens = 'chat.maxTokensBad';
  return errors;
}

/** The settings that a call carries beside its messages. */
export function chatOptions({ temperature, maxTokens }: ChatSettings): Record<string, number> {
  return {
    ...(temperature.trim() === '' ? {} : { temperature: Number(temperature) }),
    ...(maxTokens.trim() === '' ? {} : { max_tokens: Number(maxTokens) }),
  };
}

/** The conversation so far with a new question; turns that brought no answer are left out. */
export function messagesOf({ system }: ChatSettings, turns: readonly Turn[], question: string): Message[] {
  const instruction = system.trim();
  return [
    ...(instruction === '' ? [] : [{ role: 'system' as const, content: instruction }]),
    ...turns
      .filter(({ answer }) => answer !== '')
      .flatMap(({ question: asked, answer }): Message[] => [
        { role: 'user', content: asked },
        { role: 'assistant', content: answer },
      ]),
    ...(question === '' ? [] : [{ role: 'user' as const, content: question }]),
  ];
}

/** The call that brought the last answer, or would bring the first with `question`, for a program of one's own. */
export function chatSample(
  settings: ChatSettings,
  turns: readonly Turn[],
  { origin, question }: { origin: string; question: string },
): SampleInput {
  return {
    origin,
    model: settings.model || 'gpt-4o',
    streamed: settings.answer === 'streamed',
    key: null,
    messages: messagesOf(settings, turns.slice(0, -1), turns.at(-1)?.question ?? question),
    more: chatOptions(settings),
  };
}
