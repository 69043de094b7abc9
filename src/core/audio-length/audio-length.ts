/**
 * How long a sound or a film is, by walking through all of its file: the sound as it lies there, the film as it is shown.
 * Headers of files say what their makers like; libraries that read lengths (music-metadata the best kept of them) believe
 * them where there are any, so that this is our own.
 */
import { MeasuringBudget, OverBudget } from '../measuring-budget.ts';
import { isAiff, walkAiff } from './aiff.ts';
import { isAmr, walkAmr } from './amr.ts';
import { Feed, type Found, LEAST_BYTES_A_SECOND, SLOWEST_BYTES_A_SECOND, Untold, type Walk } from './feed.ts';
import { isFlac, walkFlac } from './flac.ts';
import { isMp4, walkMp4 } from './mp4.ts';
import { skipTag, startsFrames, walkFrames } from './mpeg.ts';
import { isOgg, walkOgg } from './ogg.ts';
import { isStream, isUnread } from './unread.ts';
import { isWav, walkWav } from './wav.ts';
import { isWebm, walkWebm } from './webm.ts';

/**
 * No sound that is sent to be understood has more: uncompressed stereo of studio quality. A header may claim a shorter
 * one, by a false rate, and the upstream would hear it all.
 */
const MOST_BYTES_A_SECOND = 400_000;

/** Only false rates come to more, and then to numbers that nobody can count with. */
const MOST_SECONDS_A_BYTE = 10;

/** Encoders add so much at both ends at most, and containers tell that it is not to be heard. */
const FILLED_SECONDS = 0.4;
const isTrimmed = (seconds: number, told: number): boolean =>
  told > 0 && told < seconds && seconds - told <= FILLED_SECONDS;

/** What must be there for a format to be known by. */
const MARK = 12;

/** Programs leave older ones behind their own. */
const TAGS_MOST = 8;

const FORMATS: readonly [is: (feed: Feed) => boolean, walk: (feed: Feed) => Walk][] = [
  [isWav, walkWav],
  [isFlac, walkFlac],
  [isOgg, walkOgg],
  [isMp4, walkMp4],
  [isWebm, walkWebm],
  [isAiff, walkAiff],
  [isAmr, walkAmr],
];

/** Reads a file as it comes: nothing of it is kept but a frame's head or a page. */
export class AudioLength {
  readonly #feed: Feed;
  readonly #walk: Walk;
  #found: Found | null = null;
  #isOver = false;
  /** Of a file that takes more than is looked at, or that readers read in different ways. */
  #isUntold = false;
  #bytes = 0;

  constructor(budget = new MeasuringBudget()) {
    this.#feed = new Feed(budget);
    this.#walk = walkFile(this.#feed);
  }

  push(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#isOver) return;
    this.#feed.push(piece);
    this.#go();
  }

  /** Seconds; null where the bytes do not tell. */
  end(): number | null {
    this.#finish();
    if (!this.#found) return null;
    const { walked, told, bytes = this.#feed.total } = this.#found;
    const claimed = Math.min(told, this.#feed.total / LEAST_BYTES_A_SECOND);
    const seconds = Math.max(
      isTrimmed(walked, told) ? told : Math.max(walked, claimed),
      bytes / MOST_BYTES_A_SECOND,
    );
    return Math.min(seconds, this.#feed.total * MOST_SECONDS_A_BYTE);
  }

  /**
   * The same of a film. One picture may be shown for an hour, so that what is claimed counts as it is, however few bytes
   * there are: whoever claims too much has more held for himself.
   */
  endOfFilm(): number | null {
    this.#finish();
    const { walked = 0, told = 0, shown = 0 } = this.#found ?? {};
    if (shown === 0 || !Number.isFinite(shown)) return null;
    const longest = Math.max(walked, shown);
    return isTrimmed(longest, told) ? told : longest;
  }

  /**
   * Seconds to be held: of a sound that does not tell as many as so many bytes can be, as readers may find more in it than
   * they look like. Null of what is no sound that is known.
   */
  held(): number | null {
    const found = this.end();
    return this.#isUntold ? this.#bytes / LEAST_BYTES_A_SECOND : found;
  }

  #finish(): void {
    this.#feed.end();
    if (!this.#isOver) this.#go();
  }

  #go(): void {
    const step = this.#step();
    if (!step.done) return;
    this.#isOver = true;
    this.#found = step.value;
  }

  #step(): IteratorResult<void, Found | null> {
    try {
      return this.#walk.next();
    } catch (error) {
      this.#isUntold = error instanceof OverBudget || error instanceof Untold;
      if (this.#isUntold) return { done: true, value: null };
      throw error;
    }
  }
}

function* walkFile(feed: Feed): Walk {
  yield* feed.need(MARK);
  let tags = 0;
  for (; tags < TAGS_MOST && (yield* skipTag(feed)); tags++) yield* feed.need(MARK);
  if (feed.has(MARK)) {
    for (const [is, walk] of FORMATS) if (is(feed)) return yield* walk(feed);
    if (isUnread(feed)) throw new Untold();
  }
  if (yield* isStream(feed)) throw new Untold();
  const starts = tags > 0 || (yield* startsFrames(feed));
  const found = yield* walkFrames(feed, starts);
  // Some decoders look for frames behind anything; few of them are chance.
  return starts || (found && found.walked > longestSeconds(feed.total)) ? found : null;
}

/** Samples without a file around them: two bytes each, or one by the laws of telephony; 8,000 a second at the least. */
const SAMPLES = /^(audio\/)?(x-)?(l16|pcm|pcm16|raw)\b/i;
const LAW_SAMPLES = /^(audio\/)?(x-)?(basic|pcmu|pcma|mulaw|ulaw|alaw|g711\w*)\b/i;
const SLOWEST_SAMPLING = 8000;
const FASTEST_SAMPLING = 48_000;

/** Seconds of a file at the slowest rate that is plausible. */
export const longestSeconds = (bytes: number): number => bytes / SLOWEST_BYTES_A_SECOND;

const SAMPLING = /;\s*rate=(\d{1,6})/i;

/** Bytes a second of samples without a head, where the type says that they are some. */
function rawRate(type: string): number | undefined {
  const told = Number(SAMPLING.exec(type)?.[1] ?? SLOWEST_SAMPLING);
  const rate = Math.min(Math.max(told, SLOWEST_SAMPLING), FASTEST_SAMPLING);
  if (LAW_SAMPLES.test(type)) return rate;
  return SAMPLES.test(type) ? 2 * rate : undefined;
}

/** How long a sound is, in seconds. */
export interface SoundSeconds {
  /** To be held: where it is not known, the most that it can be. */
  held: number;
  /** What is known of it; 0 where nothing is. */
  known: number;
}

/** Those of a sound of this type that is `bytes` long, by what was found in it. */
export function soundSeconds({ sound, found }: Lengths, bytes: number, type: string): SoundSeconds {
  const rate = rawRate(type);
  if (rate === undefined) return { held: sound ?? longestSeconds(bytes), known: found ?? 0 };
  // Bare samples have no file around them: what looks like one is chance, or a trick.
  const seconds = bytes / rate;
  return { held: Math.max(sound ?? 0, seconds), known: SAMPLING.test(type) ? seconds : 0 };
}

/** A still picture, shown once a second: a frame that changes nothing, in the one packet of MPEG-TS that it takes. */
const USUAL_FILM_BYTES_A_SECOND = 200;

/** Seconds of a film that does not tell, as films are made as a rule. */
export const usualFilmSeconds = (bytes: number): number => bytes / USUAL_FILM_BYTES_A_SECOND;

/** Seconds that are held for a file that comes in pieces, as a sound and as a film; null where it does not tell. */
export interface Lengths {
  sound: number | null;
  /** Those of its sound as they lie there, which are known to be all. */
  found: number | null;
  /** Of MP4 and WebM. Those of AVI, FLV, WMV and MPEG are not walked. */
  film: number | null;
}

/** Both by one walk. */
export function lengthsOf(pieces: Iterable<Uint8Array>, budget?: MeasuringBudget): Lengths {
  const length = lengthIn(pieces, budget);
  return { sound: length.held(), found: length.end(), film: length.endOfFilm() };
}

function lengthIn(pieces: Iterable<Uint8Array>, budget?: MeasuringBudget): AudioLength {
  const length = new AudioLength(budget);
  for (const piece of pieces) length.push(piece);
  return length;
}

/** Seconds of a sound; null where the bytes do not tell. */
export const audioSeconds = (pieces: Iterable<Uint8Array>, budget?: MeasuringBudget): number | null =>
  lengthIn(pieces, budget).end();
