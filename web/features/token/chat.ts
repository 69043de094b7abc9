/** A conversation with a model in the playground: what is said, with which settings. */
import type { TextKey } from '@/lib/text-key.ts';
import { openAiMessage, type SaidMessage, type SampleInput } from './code-samples.ts';
import type { Picture } from './pictures.ts';
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

export interface Question {
  text: string;
  pictures: readonly Picture[];
}

/** A question, and what has come of it. */
export interface Turn {
  id: number;
  question: Question;
  answer: string;
  thinking: string;
  /** What the model wanted called; nobody calls it here. */
  tools: readonly ToolCall[];
  state: 'pending' | 'done' | 'stopped' | 'failed';
  result: CallResult | null;
  error: unknown;
}

type Message = SaidMessage<Picture>;

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

const asked = ({ text, pictures }: Question): Message => ({
  role: 'user',
  content: text,
  ...(pictures.length > 0 && { pictures }),
});

/** The conversation so far with a new question; turns that brought no answer are left out. */
export function messagesOf({ system }: ChatSettings, turns: readonly Turn[], question: Question): Message[] {
  const instruction = system.trim();
  return [
    ...(instruction === '' ? [] : [{ role: 'system' as const, content: instruction }]),
    ...turns
      .filter(({ answer }) => answer !== '')
      .flatMap(({ question: before, answer }): Message[] => [
        asked(before),
        { role: 'assistant', content: answer },
      ]),
    asked(question),
  ];
}

/** Those messages as the playground's own call says them. */
export const wireMessages = (messages: readonly Message[]): object[] =>
  messages.map((message) => openAiMessage(message, ({ data }) => data));

/** All that was shown: it goes along with each question. */
export const picturesOf = (turns: readonly Turn[]): Picture[] =>
  turns.flatMap(({ question }) => [...question.pictures]);

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
    messages: messagesOf(
      settings,
      turns.slice(0, -1),
      turns.at(-1)?.question ?? { text: question, pictures: [] },
    ),
    more: chatOptions(settings),
  };
}
