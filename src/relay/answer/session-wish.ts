/** One more answer of a Realtime session that its caller asks for: what it can read at the most, and what it reads. */
import type { AskedAnswer, AskedReading, RealtimeSent } from '../../dialects/plain/realtime-sent.ts';
import type { ToRead } from './session-answers.ts';
import { type SessionBound, sumOfBounds } from './session-bounds.ts';
import {
  type Conversation,
  type Extent,
  NO_EXTENT,
  type Reads,
  type Settings,
  type Standing,
  standingIn,
  withExtent,
} from './session-context.ts';
import type { Sent } from './session-sent.ts';

export class Wish implements ToRead {
  readonly #conversation: Conversation;
  readonly #asked: AskedReading;
  /** What it is told alone, and what it brings along. */
  readonly #settings: Sent;
  readonly input: Sent;
  readonly #own: Sent;
  /** The most that the session has been told to be since it was asked for, where it reads nothing else. */
  #told: Settings;
  /** What it is told for itself in the place of what the session is. */
  readonly #instead: Standing;
  /** The least of both since then: nobody knows when its upstream begins this. */
  #standing: number;
  /** What there is to name: the conversation as it was when this went up. */
  #nameable = NO_EXTENT;

  constructor(sent: RealtimeSent, { reading, input }: AskedAnswer, conversation: Conversation) {
    this.#conversation = conversation;
    this.#asked = reading;
    this.#settings = conversation.own(sent);
    this.input = conversation.own(input);
    this.#own = this.#settings.with(this.input);
    this.#told = reading.hasOwnInput ? conversation.settings : {};
    this.#instead = standingIn(sent.settings);
    this.#standing = conversation.standing(this.#instead);
  }

  /** The most that it can read, where an answer to the conversation can read so much. */
  most(inConversation: SessionBound): SessionBound {
    if (this.#asked.hasOwnInput) return this.#conversation.mostAlone(this.#own);
    const read = this.#conversation.mostNamed(inConversation, this.#asked.readings);
    return sumOfBounds(read, this.#own.most(this.#conversation));
  }

  goUp(): void {
    this.#nameable = this.#conversation.extent;
  }

  /** Its upstream looks up what is named as it hears of this: what it told later, it may have known by then. */
  goOn(more: Extent): void {
    this.#nameable = withExtent(this.#nameable, more);
  }

  /** Its upstream may begin it at any time, and reads what the session is then. */
  setAnew(): void {
    const conversation = this.#conversation;
    this.#standing = Math.min(this.#standing, conversation.standing(this.#instead));
    if (this.#asked.hasOwnInput) this.#told = conversation.moreOf(this.#told, this.#own);
  }

  get keptBytes(): number {
    return this.#own.keptBytes + this.#conversation.keptBytesOf(this.#told);
  }

  begin(): Reads {
    const conversation = this.#conversation;
    const { isApart, hasOwnInput, readings } = this.#asked;
    const standing = this.#standing;
    if (hasOwnInput) return conversation.alone(this.#own, this.#told, standing);
    const reads = isApart
      ? conversation.beside(this.#own, standing)
      : conversation.begin(this.#settings, standing);
    return { ...reads, named: conversation.namedBeyond(this.#nameable, readings) };
  }
}
