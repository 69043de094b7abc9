/**
 * Knows how much a stream has produced. While it runs, from the bytes that passed; exactly, by counting its text, only
 * when it has ended and no usage came.
 */
import { limits } from '../../core/limits.ts';
import { mostMediaTokens } from '../../core/media-tokens.ts';
import type { Produced } from '../../dialects/dialect.ts';
import type { StreamPassage } from '../../dialects/passage.ts';
import { countProduced } from '../charge/count.ts';

/** Text has about four bytes a token, Chinese three. */
const BYTES_A_TOKEN = 3;
/** Even code and long words have fewer bytes a token; beyond this an upstream has surely ignored the cap. */
const BYTES_A_TOKEN_MOST = 12;

const FIRST_KEEP_BYTES = 4 * 1024;

export class StreamMeter {
  /** Raw frames, one after the other, with where each begins. */
  #kept = new Uint8Array(0);
  #keptBytes = 0;
  readonly #starts: number[] = [];
  #passedBytes = 0;
  /** Frames with content. */
  #seen = 0;
  /** Of those, the ones that are kept as they came. */
  #frames = 0;
  /** Bytes of a frame that are not content: braces, ids, the model's name. */
  #envelopeBytes = 0;
  /** What was produced, of frames that were read anyway. */
  #text = '';
  #textBytes = 0;
  #toolCalls = 0;
  /** Sound and pictures, which are no text. */
  seconds = 0;
  pictures = 0;

  /** `cap`: the most that the caller asked for in all choices together; null when he gave no limit. */
  constructor(readonly cap: number | null) {}

  /** Bytes of content, with what frames wrap around it. */
  get bytes(): number {
    return this.#passedBytes;
  }

  get hasContent(): boolean {
    return this.#seen > 0;
  }

  /** A frame with content has passed. */
  add(frame: Uint8Array, passage: StreamPassage): void {
    if (this.#frames === 0) {
      this.#envelopeBytes = frame.length - Buffer.byteLength(passage.produced(frame).text);
    }
    this.#seen++;
    this.#frames++;
    this.#passedBytes += frame.length;
    if (this.#room >= frame.length) this.#keep(frame);
  }

  get #room(): number {
    return limits.meterKeepBytes - this.#keptBytes - this.#textBytes;
  }

  /** A frame with content has passed that was read anyway: what it produced is kept instead of it. */
  addProduced({ text, toolCalls, seconds = 0, pictures = 0 }: Produced): void {
    this.seconds += seconds;
    this.pictures += pictures;
    const bytes = Buffer.byteLength(text);
    this.#seen++;
    this.#passedBytes += bytes;
    this.#toolCalls += toolCalls;
    if (bytes > this.#room) return;
    this.#textBytes += bytes;
    this.#text += text;
  }

  /**
   * Output tokens so far, rather too many than too few. A caller's cap bounds it as long as the upstream can be
   * thought to honour it.
   */
  get tokens(): number {
    const content = Math.max(this.#passedBytes - this.#frames * this.#envelopeBytes, this.#frames);
    const media = mostMediaTokens(this.seconds, this.pictures);
    const guess = Math.ceil(content / BYTES_A_TOKEN) + media;
    if (this.cap === null) return guess;
    return Math.max(Math.min(guess, this.cap), Math.floor(content / BYTES_A_TOKEN_MOST) + media);
  }

  /** Output tokens of the text by the model's tokenizer. What was too much to keep counts in proportion. */
  async count(passage: StreamPassage, model: string): Promise<number> {
    let text = this.#text;
    let toolCalls = this.#toolCalls;
    for (const [at, start] of this.#starts.entries()) {
      const end = this.#starts[at + 1] ?? this.#keptBytes;
      const produced = passage.produced(this.#kept.subarray(start, end));
      text += produced.text;
      toolCalls += produced.toolCalls;
    }
    const tokens = await countProduced({ text, toolCalls }, model);
    const held = this.#keptBytes + this.#textBytes;
    return held === 0 ? tokens : Math.ceil((tokens * this.#passedBytes) / held);
  }

  /** Kept in one growing piece of memory: a small array a frame would take ten times the room. */
  #keep(frame: Uint8Array): void {
    const needed = this.#keptBytes + frame.length;
    if (needed > this.#kept.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.#kept.length, FIRST_KEEP_BYTES));
      larger.set(this.#kept.subarray(0, this.#keptBytes));
      this.#kept = larger;
    }
    this.#kept.set(frame, this.#keptBytes);
    this.#starts.push(this.#keptBytes);
    this.#keptBytes = needed;
  }
}
