/** Transcriptions and translations that are looked through for words, in each of the forms that they come in. */
import { type JsonObject, parseObject } from '../../core/json.ts';
import type { Dialect } from '../dialect.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';
import { dataFrame, parseFrame } from '../frames.ts';
import { AroundStream, type FrameStep, type Passage, samePassage } from '../passage.ts';
import { filteredText, HeldText, type WordFilter } from '../word-filter.ts';
import { doneOf, isChunk, pieceIn, spokenKind, withPiece } from './spoken-events.ts';

export function filteredTranscripts(dialect: Dialect, filter: WordFilter): Passage {
  const same = samePassage(dialect);
  return {
    ...same,
    reply(text, body) {
      const passed = same.reply(text, body);
      const answer = objectOf(body);
      const shown = answer && cleanTranscript(answer, filter);
      return !shown || shown === answer ? passed : { ...passed, text: JSON.stringify(shown) };
    },
    text: (text) => filteredText(text, filter),
    stream: (request) => new FilteredTranscript(same.stream(request), filter),
  };
}

/** The transcript without the words; the very same when it has none. */
function cleanTranscript(answer: JsonObject, filter: WordFilter): JsonObject {
  const segments = objectsOf(answer.segments);
  const clean = segments.map((segment) => withText(segment, filter));
  const text = textOf(answer.text) ?? '';
  const shown = filteredText(text, filter);
  if (shown === text && clean.every((segment, i) => segment === segments[i])) return answer;
  // Words one by one and their tokens spell out what the text may not say; so do pieces of it after its end.
  const { words: _, logprobs: __, ...rest } = answer;
  const kept = filter.stops ? [] : clean.map(({ tokens: _, words: __, ...segment }) => segment);
  return {
    ...rest,
    ...(answer.text === undefined ? {} : { text: shown }),
    ...(answer.segments === undefined ? {} : { segments: kept }),
  };
}

function withText(piece: JsonObject, filter: WordFilter): JsonObject {
  const text = textOf(piece.text) ?? '';
  const shown = filteredText(text, filter);
  return shown === text ? piece : { ...piece, text: shown };
}

class FilteredTranscript extends AroundStream {
  readonly #held: HeldText;
  #said = '';
  #isCut = false;
  /** The upstream's last event, for what else it tells. */
  #done: JsonObject = doneOf({});

  constructor(
    inner: AroundStream['inner'],
    readonly filter: WordFilter,
  ) {
    super(inner);
    this.#held = new HeldText(filter);
  }

  override get complete(): boolean {
    return this.#isCut || super.complete;
  }

  override get heldBytes(): number {
    return super.heldBytes + this.#said.length;
  }

  push(frame: Uint8Array): FrameStep {
    const step = this.inner.push(frame);
    const produced = step.content ? this.inner.produced(frame) : undefined;
    const event = parseObject(parseFrame(frame)?.data ?? '');
    if (!event) return step;
    switch (spokenKind(event)) {
      case 'delta':
        return { ...step, ...this.#delta(event), produced };
      case 'segment':
        return { ...step, out: eventFrame(withText(event, this.filter)), produced };
      case 'done':
        // Kept for the end, which waits for the settlement.
        this.#said += this.#held.rest();
        this.#done = event;
        return { ...step, out: null, produced };
      default:
        return step;
    }
  }

  #delta(event: JsonObject): Partial<FrameStep> {
    const { said, isOver } = this.#held.take(pieceIn(event));
    this.#said += said;
    this.#isCut = isOver;
    this.#done = doneOf(event);
    // The tokens spell it out.
    const { logprobs: _, ...rest } = event;
    return { out: said === '' ? null : eventFrame(withPiece(rest, said)), last: isOver };
  }

  ending(): string {
    if (isChunk(this.#done)) return eventFrame(withPiece(this.#done, this.#isCut ? '' : this.#held.rest()));
    const { logprobs: _, ...done } = cleanTranscript(this.#done, this.filter);
    return eventFrame({ ...done, text: this.#said });
  }
}

const eventFrame = (event: JsonObject): string => dataFrame(JSON.stringify(event));
