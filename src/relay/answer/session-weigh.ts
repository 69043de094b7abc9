/** What the upstream of a Realtime session tells, held against what passed of it. */
import { completionTokens, promptTokens, type Usage } from '../../core/usage.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import { isTooFew, type Judged, judged, MOST_OF_SESSION } from '../charge/plausible.ts';
import type { Answer } from './session-answers.ts';
import type { Conversation, Kinds } from './session-context.ts';
import { HEARD_TOKENS_A_SECOND, Sent } from './session-sent.ts';
import type { Heard } from './session-transcripts.ts';

/** What is believed of a usage; null what is to be counted here. */
export interface Believed {
  prompt: Usage | null;
  output: Usage | null;
}
export const NOTHING_BELIEVED: Believed = { prompt: null, output: null };

export interface Context {
  conversation: Conversation;
  channel: Pick<RoutedChannel, 'type' | 'baseUrl'>;
}

/** How an answer has ended: with what was told, and its words where they came whole. */
interface Ended {
  told: Usage | null;
  words: string;
}

/**
 * An answer's usage. Something came of whatever was spoken, written or called; who tells no output of that, or no prompt of
 * any output, or much less than came, does not tell what it was. Sound that is told as none at all is told in the totals.
 */
export function judgedAnswer(
  answer: Answer,
  { told, words }: Ended,
  { conversation, channel }: Context,
): Judged<Believed> {
  const isSilent = answer.isSilent && words === '';
  return judged(told, {
    channel,
    bound: MOST_OF_SESSION,
    names: [],
    isDue: () => !isSilent,
    weigh(usage) {
      const output = completionTokens(usage);
      const said = conversation.kindsSaid(answer);
      const written = Math.max(said.text, Sent.ofTexts([words]).usualTokens);
      const isConstant = output > 0 && isTooFew(output, said.sound + written);
      const read = conversation.kindsOf(answer.startReading());
      const isPromptTold = promptTokens(usage) > 0 || output === 0 || !isTooFew(0, read.text + read.sound);
      const heard = withSound(usage, read, said);
      return {
        prompt: isPromptTold && !isConstant ? heard : null,
        output: (output > 0 || isSilent) && !isConstant ? heard : null,
      };
    },
  });
}

/** The usage of what was written down of a sound, which alone was read for that. Seconds have no tokens to be weighed. */
export function judgedTranscript(
  item: Heard,
  { told, words }: Ended,
  { conversation, channel, names }: Context & { names: readonly string[] },
): Judged<{ usage: Usage | null }> {
  return judged(told, {
    channel,
    bound: MOST_OF_SESSION,
    names,
    isDue: () => words !== '' || !item.said.isEmpty,
    weigh(usage) {
      if (usage.seconds !== undefined) return { usage };
      const sound = Math.ceil((item.bytes / conversation.bytesASecond) * HEARD_TOKENS_A_SECOND);
      const prompt = promptTokens(usage);
      const isTold = prompt > 0 ? !isTooFew(prompt, sound) : completionTokens(usage) === 0;
      return { usage: isTold ? withSound(usage, { text: 0, sound }, NO_KINDS) : null };
    },
  });
}

/** A usage in which no sound is told though some was read, or said: of so much of it as what passed is sound. */
function withSound(usage: Usage, read: Kinds, said: Kinds): Usage {
  const { input, inputAudio, cacheRead, cacheReadAudio, output, outputAudio, reasoning } = usage;
  const heard = inputAudio + cacheReadAudio > 0 ? 0 : shareOf(read);
  const spoken = outputAudio > 0 ? 0 : shareOf(said);
  const [fresh, again] = [Math.round(heard * input), Math.round(heard * cacheRead)];
  const aloud = Math.round(spoken * (output - reasoning));
  return {
    ...usage,
    input: input - fresh,
    inputAudio: inputAudio + fresh,
    cacheRead: cacheRead - again,
    cacheReadAudio: cacheReadAudio + again,
    output: output - aloud,
    outputAudio: outputAudio + aloud,
  };
}

const NO_KINDS: Kinds = { text: 0, sound: 0 };

const shareOf = ({ text, sound }: Kinds): number => (sound > 0 ? sound / (text + sound) : 0);
