/** What is said in a Realtime session, measured: the most tokens that it can come to where it is read, and a count of it. */
import { mostPictureTokens, pictureTokens } from '../../core/picture-tokens.ts';
import { promptBound } from '../../core/prompt-bound.ts';
import type { Usage } from '../../core/usage.ts';
import type { RealtimeSent } from '../../dialects/plain/realtime-sent.ts';
import { addText, sizeOfTexts, type TextPart } from '../../dialects/text-size.ts';
import type { CountedFor } from '../charge/count-line.ts';
import { KeptText } from '../charge/kept-text.ts';
import { NOTHING_TO_READ, type SessionBound } from './session-bounds.ts';

/** What OpenAI counts where it does not tell: a token a tenth of a second heard, and one a twentieth spoken. */
export const HEARD_TOKENS_A_SECOND = 10;
export const SPOKEN_TOKENS_A_SECOND = 20;
/** Four characters of base64 are three bytes. */
export const BYTES_A_CHAR = 3 / 4;

/** How long so many bytes of sound take, which a session may change. */
export interface Clock {
  bytesASecond: number;
}

/** What usual text has. */
const BYTES_A_TOKEN = 4;

export type SentTokens = Pick<Usage, 'input' | 'inputAudio'>;

/** A stretch of what a caller sent, or of what an answer said. */
export class Sent {
  /** All that he sent of sound, listened to or not. */
  soundBytes = 0;
  /** Of those what is in items. */
  readBytes = 0;
  imageTokens = 0;
  mostImageTokens = 0;
  text = new KeptText();
  #size: TextPart = { textBytes: 0, textDense: 0 };
  /** Of that the bytes of settings, which stand until they are set anew, whether anything reads them or not. */
  #settingBytes = 0;
  #pieces = 0;

  add(sent: RealtimeSent, model: string): void {
    this.soundBytes += (sent.soundChars + sent.heardChars) * BYTES_A_CHAR;
    this.readBytes += sent.soundChars * BYTES_A_CHAR;
    this.#addTexts(sent.texts);
    this.#settingBytes += sizeOfTexts(Object.values(sent.settings).flat()).textBytes;
    for (const image of sent.images) {
      this.imageTokens += pictureTokens(model, image);
      this.mostImageTokens += mostPictureTokens(model, image);
    }
    if (sent.texts.length + sent.images.length + sent.soundChars > 0) this.#pieces++;
  }

  static ofTexts(texts: readonly string[]): Sent {
    const sent = new Sent();
    sent.#addTexts(texts);
    sent.#pieces++;
    return sent;
  }

  /** A setting of a session, with what it said before. */
  static ofSetting(texts: readonly string[], before = new Sent()): Sent {
    const sent = Sent.ofTexts(texts);
    sent.#settingBytes = sent.textBytes;
    return before.with(sent);
  }

  /** What an answer has spoken, which is as many tokens again where it is read: more than what is heard for as long. */
  static ofSpeech(bytes: number): Sent {
    const sent = new Sent();
    sent.readBytes = (bytes * SPOKEN_TOKENS_A_SECOND) / HEARD_TOKENS_A_SECOND;
    sent.soundBytes = sent.readBytes;
    return sent;
  }

  /** A piece of what an answer writes. */
  write(text: string): void {
    this.#addTexts([text]);
    this.#pieces = 1;
  }

  get textBytes(): number {
    return this.#size.textBytes;
  }

  /** Tokens of its texts and pictures, uncounted, beside its settings. */
  get usualTokens(): number {
    return (this.textBytes - this.#settingBytes) / BYTES_A_TOKEN + this.imageTokens;
  }

  /** The same of its settings, however often each was set. */
  get settingTokens(): number {
    return this.#settingBytes / BYTES_A_TOKEN;
  }

  #addTexts(texts: readonly string[]): void {
    for (const text of texts) {
      this.text.add(text);
      addText(this.#size, text);
    }
  }

  /** What of it is read again: sound of which no item was made is gone. */
  get asReadAgain(): Sent {
    const again = this.with(new Sent());
    again.soundBytes = this.readBytes;
    return again;
  }

  /** The memory that its words take. */
  get keptBytes(): number {
    return this.text.bytes;
  }

  /** With what another one says. */
  with(other: Sent): Sent {
    const both = this.#sizedWith(other);
    both.text = this.text.with(other.text);
    return both;
  }

  /** The most tokens that several can come to together. Their words are not put together, which copies them. */
  static mostOf(several: readonly Sent[], clock: Clock): SessionBound {
    return several.reduce((all, each) => all.#sizedWith(each), new Sent()).most(clock);
  }

  #sizedWith(other: Sent): Sent {
    const both = new Sent();
    both.soundBytes = this.soundBytes + other.soundBytes;
    both.readBytes = this.readBytes + other.readBytes;
    both.imageTokens = this.imageTokens + other.imageTokens;
    both.mostImageTokens = this.mostImageTokens + other.mostImageTokens;
    both.#size = {
      textBytes: this.#size.textBytes + other.#size.textBytes,
      textDense: this.#size.textDense + other.#size.textDense,
    };
    both.#settingBytes = this.#settingBytes + other.#settingBytes;
    both.#pieces = this.#pieces + other.#pieces;
    return both;
  }

  /** The most tokens that it can come to. */
  most({ bytesASecond }: Clock, bytes = this.readBytes): SessionBound {
    if (this.#pieces === 0 && bytes === 0) return NOTHING_TO_READ;
    return promptBound({
      ...this.#size,
      messages: this.#pieces,
      audioTokens: Math.ceil((bytes / bytesASecond) * HEARD_TOKENS_A_SECOND),
      imageTokens: this.mostImageTokens,
    });
  }

  /** What it is thought to have been charged, by the model's tokenizer. */
  async tokens(model: string, { bytesASecond }: Clock, whom: CountedFor): Promise<SentTokens> {
    const seconds = this.soundBytes / bytesASecond;
    return {
      input: (await this.text.tokens(model, whom)) + this.imageTokens,
      inputAudio: Math.ceil(seconds * HEARD_TOKENS_A_SECOND),
    };
  }
}
