/** A stream that is read into neutral events and written from them. */
import type { Usage } from '../core/usage.ts';
import type { StreamReader, StreamWriter } from './codec.ts';
import type { AnswerItems, Produced, UpstreamErrorBody } from './dialect.ts';
import { answerEnd, StreamedAnswers } from './due-answers.ts';
import { parseFrame } from './frames.ts';
import type { StreamEvent } from './neutral.ts';
import { type FrameStep, NO_STEP, type StreamPassage } from './passage.ts';
import {
  addProduced,
  NOTHING_PRODUCED,
  nothingYet,
  producedByDelta,
  producedByPart,
  saysAnything,
  saysByPart,
} from './produced.ts';
import { ReportedUsage } from './reported-usage.ts';
import { SoundIds } from './sound-ids.ts';

export class ConvertingStream implements StreamPassage {
  readonly #reported = new ReportedUsage();
  readonly #answers = new StreamedAnswers();
  #refusedFor: string | null | undefined;
  /** The latest counts leave the prompt out. */
  #isPromptUntold = false;
  #closed = false;
  #complete = false;
  /** What tells the caller that the answer is whole: held back until the settlement. */
  #ending = '';
  #writer: StreamWriter;
  readonly soundIds = new SoundIds();

  constructor(
    readonly reader: StreamReader,
    writer: StreamWriter,
    readonly endMarker: string | null,
  ) {
    this.#writer = writer;
  }

  push(frame: Uint8Array): FrameStep {
    const event = parseFrame(frame);
    return event ? this.#take(this.reader.push(event)) : NO_STEP;
  }

  ending(counted: Usage | null = null): Uint8Array | string | null {
    this.#close();
    const told = counted ? this.#writer.write({ type: 'usage', usage: counted }) : '';
    const end = this.#complete ? this.#writer.write({ type: 'end' }) : '';
    const ending = this.#ending + told + end + (this.endMarker ?? '');
    // It is written slowly where it is large, and all that is left of the answer.
    this.#ending = '';
    this.#writer = NOTHING_LEFT;
    return ending;
  }

  get heldBytes(): number {
    return this.#ending.length + this.#writer.heldBytes;
  }

  get usage(): Usage | null {
    // Of an answer that a word ended only what went out counts.
    if (this.isCut) return null;
    return this.#reported.whole(this.#complete);
  }

  get isFiltered(): boolean {
    return this.#answers.areAllFiltered;
  }

  get refusedFor(): string | null | undefined {
    return this.#refusedFor;
  }

  get due(): number {
    return this.#answers.due;
  }

  get isCut(): boolean {
    return this.reader.isCut ?? false;
  }

  get promptUsage(): Usage | null {
    return this.#isPromptUntold ? null : this.#reported.latest;
  }

  get answerId(): string | undefined {
    return this.reader.answerId;
  }

  get items(): AnswerItems | undefined {
    return this.reader.items;
  }

  get complete(): boolean {
    this.#close();
    return this.#complete;
  }

  /** Every step says what it produced. */
  produced(): Produced {
    return NOTHING_PRODUCED;
  }

  /** Asks the reader once for what it makes of the end of the connection. */
  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#take(this.reader.end());
  }

  #take(events: readonly StreamEvent[]): FrameStep {
    let out = '';
    let content = false;
    let hasEnded = false;
    const produced = nothingYet();
    let error: UpstreamErrorBody | null = null;
    let usage: Usage | null = null;
    for (const event of events) {
      switch (event.type) {
        case 'start':
          if (event.usage) this.#reported.reportPrompt(event.usage);
          break;
        case 'usage':
          usage = event.usage;
          this.#isPromptUntold = event.isPromptUntold === true;
          break;
        case 'part-start': {
          this.soundIds.noteIn(event.part);
          addProduced(produced, producedByPart(event.part));
          if (saysByPart(event.part)) {
            content = true;
            this.#answers.came(event.choice, () => saysAnything(producedByPart(event.part)));
          }
          break;
        }
        case 'part-delta':
          this.soundIds.noteIn(event.delta);
          addProduced(produced, producedByDelta(event.delta));
          content = true;
          this.#answers.came(event.choice, () => saysAnything(producedByDelta(event.delta)));
          break;
        case 'stop':
          hasEnded = true;
          this.#refusedFor = event.refusedFor;
          this.#answers.ended(event.choice, answerEnd(event.stop, event.stopSequence));
          break;
        case 'end':
          this.#complete = true;
          // Counts of ours may have to be told before it.
          continue;
        case 'error':
          error = errorOf(event);
          break;
        default:
      }
      if (error) break;
      // Everything after the upstream closed ends the answer.
      const written = this.#writer.write(event);
      if (this.#closed) this.#ending += written;
      else out += written;
    }
    for (const event of this.reader.takeUnshown?.() ?? []) {
      if (event.type === 'part-start') addProduced(produced, producedByPart(event.part));
      else if (event.type === 'part-delta') addProduced(produced, producedByDelta(event.delta));
    }
    content ||= saysAnything(produced);
    // An answer may be whole and empty.
    const endsOnly = hasEnded && !content;
    content ||= hasEnded;
    // What closes the last parts says nothing that was not counted.
    const isEnd = this.#complete || this.#closed;
    if (!isEnd && saysAnything(produced)) this.#reported.content();
    // The counts of a frame are those behind what it says, wherever in it they stand.
    if (usage) this.#reported.report(usage);
    return {
      out: out === '' ? null : out,
      content,
      last: this.#complete,
      error,
      produced: content ? produced : undefined,
      ...(endsOnly && { endsOnly }),
    };
  }
}

const NOTHING_LEFT: StreamWriter = { heldBytes: 0, write: () => '' };

export const errorOf = ({
  message,
  code,
  kind,
  status,
}: Extract<StreamEvent, { type: 'error' }>): UpstreamErrorBody => ({ message, code, type: kind, status });
