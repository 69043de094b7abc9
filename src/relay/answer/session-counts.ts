/** What the upstream of a Realtime session does not tell, counted here. */
import { CHAR_BYTES } from '../../core/limits/sizes.ts';
import { completionTokens, noUsage, withOutputOf } from '../../core/usage.ts';
import { secondsUsage } from '../../dialects/plain/usage.ts';
import { countProduced } from '../charge/count.ts';
import type { CountedFor } from '../charge/count-line.ts';
import type { KeptText } from '../charge/kept-text.ts';
import type { Answer } from './session-answers.ts';
import { sumOfBounds } from './session-bounds.ts';
import { mostOfTold } from './session-context.ts';
import type { SessionCost } from './session-cost.ts';
import type { SessionHold, SessionOwner } from './session-hold.ts';
import { SPOKEN_TOKENS_A_SECOND } from './session-sent.ts';
import type { Heard } from './session-transcripts.ts';
import { type Believed, NOTHING_BELIEVED } from './session-weigh.ts';

/** Of an answer whose usage was not told. */
interface Uncounted {
  /** Its words, where they came whole. */
  told: string;
  /** It may have thought unseen, and was ended before it could be told how much. */
  isUnseen: boolean;
  /** What of it was told all the same. */
  believed?: Believed;
}

export class SessionCounts {
  /** Some of what the session has used was counted here. */
  isEstimated = false;
  /** The memory that the words take of which the count is yet to come. */
  keptBytes = 0;
  #counting: Promise<void> = Promise.resolve();

  constructor(
    /** The upstream's name of the session's model. */
    readonly model: string,
    readonly cost: SessionCost,
    readonly hold: Pick<SessionHold, 'cover'>,
    readonly owner: Pick<SessionOwner, 'fault'>,
    readonly caller: CountedFor,
  ) {}

  /** An answer that has ended. What was thought unseen is charged as it is held. */
  answer(answer: Answer, { told, isUnseen, believed = NOTHING_BELIEVED }: Uncounted): void {
    const { model, cost } = this;
    const { conversation } = cost;
    const { bytesASecond } = conversation;
    const { spokenBytes, words, bound } = answer;
    const reads = answer.startReading();
    const outputAudio = Math.ceil((spokenBytes / bytesASecond) * SPOKEN_TOKENS_A_SECOND);
    const { text, audio } = answer.saidToNext(told).most(conversation);
    const most = conversation.mostCounted(reads);
    const endCount = cost.beginCount({
      prompt: believed.prompt ? sumOfBounds(most, mostOfTold(believed.prompt)) : most,
      output: Math.max(
        text + audio,
        isUnseen ? bound.output : 0,
        believed.output ? completionTokens(believed.output) : 0,
      ),
    });
    this.#countLater(reads.sent.keptBytes + words.keptBytes + bytesOf(told), async () => {
      const asked = await reads.sent.tokens(model, { bytesASecond }, this.caller);
      const output = await tokensOf(words.text, told, model, this.caller);
      endCount();
      const counted = { ...conversation.counted(reads, asked), output, outputAudio };
      cost.add(withOutputOf(believed.prompt ?? counted, believed.output ?? counted));
      if (isUnseen) cost.addUntold(Math.max(bound.output - output - outputAudio, 0));
    });
  }

  /** The names of the model that writes down what is heard, the asked one first. */
  get writers(): string[] {
    const { transcriber } = this.cost.written;
    return transcriber ? [transcriber.model, transcriber.upstream] : [this.model];
  }

  /** An item that was written down; `told` is what it says, where that came whole, and how long its sound is. */
  written(item: Heard, told = '', seconds = item.bytes / this.cost.conversation.bytesASecond): void {
    const { said } = item;
    const { cost } = this;
    const model = cost.written.transcriber?.upstream ?? this.model;
    const writer = cost.writerOf(item);
    cost.written.add(secondsUsage(seconds, this.writers), 1, writer);
    this.#countLater(said.bytes + bytesOf(told), async () => {
      const output = await tokensOf(said, told, model, this.caller);
      cost.written.add({ ...noUsage(), output }, 0, writer);
    });
  }

  /** One after the other: a session of many such counts no more at once than another. */
  #countLater(bytes: number, count: () => Promise<void>): void {
    this.isEstimated = true;
    this.keptBytes += bytes;
    this.#counting = this.#counting
      .then(async () => {
        try {
          await count();
        } finally {
          this.keptBytes -= bytes;
        }
        this.hold.cover();
      })
      .catch((error: unknown) => this.owner.fault(error));
  }

  /** All is counted. */
  async settled(): Promise<void> {
    await this.#counting;
  }
}

const bytesOf = (text: string): number => CHAR_BYTES * text.length;

/** Of words that came in pieces, or whole as `told`. */
const tokensOf = (pieces: KeptText, told: string, model: string, whom: CountedFor): Promise<number> =>
  told === '' ? pieces.tokens(model, whom) : countProduced({ text: told, toolCalls: 0 }, model, whom);
