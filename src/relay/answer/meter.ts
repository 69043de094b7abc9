/**
 * Knows how much a stream has produced. While it runs, from the bytes that passed; exactly, by counting its text, only
 * when it has ended and no usage came.
 */
import { limits } from '../../core/limits.ts';
import { mostMediaTokens } from '../../core/media-tokens.ts';
import type { Produced } from '../../dialects/dialect.ts';
import type { StreamPassage } from '../../dialects/passage.ts';
import { countProduced } from '../charge/count.ts';
import type { CountedFor } from '../charge/count-line.ts';
import type { OwnOf } from '../charge/own-text.ts';
import { FrameShape } from './frame-shape.ts';

/** Text has about four bytes a token, Chinese three. */
const BYTES_A_TOKEN = 3;
/** Even code and long words have fewer bytes a token; beyond this an upstream has surely ignored the cap. */
const BYTES_A_TOKEN_MOST = 12;

/** Tokens of so much text, rather too many than too few. */
const mostTokensIn = (bytes: number): number => Math.ceil(bytes / BYTES_A_TOKEN);

const FIRST_KEEP_BYTES = 256;

const encoder = new TextEncoder();

/** A text as it stands within a JSON string. */
const saidOf = (text: string): Uint8Array => encoder.encode(JSON.stringify(text).slice(1, -1));

export class StreamMeter {
  /** What was produced in the order in which it came, as it stands within JSON strings. */
  #kept = new Uint8Array(0);
  #keptBytes = 0;
  readonly #shapes: FrameShape[] = [];
  #shapesSought = 0;
  #passedBytes = 0;
  /** Of those, the bytes that something is kept of. */
  #coveredBytes = 0;
  /** Frames with content. */
  #seen = 0;
  /** Of those, the ones whose bytes alone are a measure. */
  #frames = 0;
  /** Bytes of the first of these that are not content: braces, ids, the model's name. */
  #envelopeBytes = 0;
  #toolCalls = 0;
  #summaryBytes = 0;
  /** Something came beside the end: it is no answer that is whole and empty. */
  hasCome = false;
  /** Sound and pictures, which are no text. */
  seconds = 0;
  pictures = 0;
  /** Something of it was seen to be thought. */
  thinks = false;

  /** `cap`: the most that the caller asked for in all choices together; null when he gave no limit. */
  constructor(readonly cap: number | null) {}

  /** Bytes of content, with what frames wrap around it. */
  get bytes(): number {
    return this.#passedBytes;
  }

  /** Of those, the ones of content alone, as far as it is kept. */
  get textBytes(): number {
    return this.#keptBytes;
  }

  get hasContent(): boolean {
    return this.#seen > 0;
  }

  /** A frame with content has passed. */
  add(frame: Uint8Array, passage: StreamPassage): void {
    this.#seen++;
    this.#frames++;
    this.#passedBytes += frame.length;
    this.#summaryBytes = passage.summaryBytes ?? 0;
    if (this.#keep(this.#saidBy(frame, passage))) this.#coveredBytes += frame.length;
  }

  /** A frame with content has passed that was read anyway. */
  addProduced({ text, toolCalls, seconds = 0, pictures = 0, thinks }: Produced): void {
    this.thinks ||= thinks === true;
    this.seconds += seconds;
    this.pictures += pictures;
    const bytes = Buffer.byteLength(text);
    this.#seen++;
    this.#passedBytes += bytes;
    this.#toolCalls += toolCalls;
    if (this.#keep(saidOf(text))) this.#coveredBytes += bytes;
  }

  /**
   * Output tokens so far, rather too many than too few. A caller's cap bounds it as long as the upstream can be
   * thought to honour it.
   */
  get tokens(): number {
    const content = Math.max(this.#passedBytes - this.#frames * this.#envelopeBytes, this.#frames);
    const media = mostMediaTokens(this.seconds, this.pictures);
    const guess = mostTokensIn(content) + media;
    if (this.cap === null) return guess;
    return Math.max(Math.min(guess, this.cap), Math.floor(content / BYTES_A_TOKEN_MOST) + media);
  }

  /** Of those, the ones of a summary before the answer: no cap bounds it. */
  get summary(): number {
    return mostTokensIn(this.#summaryBytes);
  }

  /** All of it is kept. */
  get isKept(): boolean {
    return this.#coveredBytes === this.#passedBytes;
  }

  /** Output tokens of the text by the model's tokenizer. What was too much to keep counts in proportion. */
  count(model: string, whom: CountedFor): Promise<number> {
    return this.#count(this.#text, model, whom);
  }

  /** The same of what is a model's `own`. */
  countOwn(model: string, whom: CountedFor, own: OwnOf): Promise<number> {
    return this.#count(own(this.#text), model, whom);
  }

  async #count(text: string, model: string, whom: CountedFor): Promise<number> {
    const tokens = await countProduced({ text, toolCalls: this.#toolCalls }, model, whom);
    return this.#coveredBytes === 0 ? tokens : Math.ceil((tokens * this.#passedBytes) / this.#coveredBytes);
  }

  /** All that is kept of it. Pieces of strings, one behind the other, are one string. */
  get #text(): string {
    return String(JSON.parse(`"${Buffer.from(this.#kept.buffer, 0, this.#keptBytes).toString('utf8')}"`));
  }

  /** What the frame says; without reading it, where its shape is known. */
  #saidBy(frame: Uint8Array, passage: StreamPassage): Uint8Array {
    for (const shape of this.#shapes) {
      const said = shape.said(frame);
      if (said) return said;
    }
    const read = (bytes: Uint8Array) => passage.produced(bytes);
    const produced = read(frame);
    // Thoughts stand in a field of their own, so that no shape of what was said before has them.
    this.thinks ||= produced.thinks === true;
    this.#toolCalls += produced.toolCalls;
    if (this.#shapesSought === 0) this.#envelopeBytes = frame.length - Buffer.byteLength(produced.text);
    if (this.#shapesSought < limits.meterShapes) {
      this.#shapesSought++;
      const shape = FrameShape.of(frame, produced, read);
      if (shape) this.#shapes.push(shape);
    }
    return saidOf(produced.text);
  }

  /** Kept in one growing piece of memory: a small array a frame would take ten times the room. False where it is full. */
  #keep(bytes: Uint8Array): boolean {
    const needed = this.#keptBytes + bytes.length;
    if (needed > limits.meterKeepBytes) return false;
    if (needed > this.#kept.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.#kept.length, FIRST_KEEP_BYTES));
      larger.set(this.#kept.subarray(0, this.#keptBytes));
      this.#kept = larger;
    }
    this.#kept.set(bytes, this.#keptBytes);
    this.#keptBytes = needed;
    return true;
  }
}
