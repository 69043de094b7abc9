/**
 * What an answer of a Realtime session reads: how much that is as far as anybody knows, and how much it can be at the most.
 */
import { contextOf } from '../../core/contexts.ts';
import { heardTokens, spokenTokens } from '../../core/media-tokens.ts';
import { OUTPUT_ASSUMED, tokensOfBound } from '../../core/price-bound.ts';
import { noUsage, promptTokens, sumOfUsage, type Usage, withOutputOf } from '../../core/usage.ts';
import type { RealtimeSent, SessionTexts } from '../../dialects/plain/realtime-sent.ts';
import { writesDown } from './asked-setting.ts';
import {
  boundBeyond,
  boundTimes,
  leastOf,
  NOTHING_TO_READ,
  ofEachKind,
  type SessionBound,
  sumOfBounds,
} from './session-bounds.ts';
import { BYTES_A_CHAR, type Clock, HEARD_TOKENS_A_SECOND, Sent, type SentTokens } from './session-sent.ts';
import { type Heard, Transcripts } from './session-transcripts.ts';

/** What was heard is written down at a thousand tokens a minute, or at those of its sound and of some two hundred words. */
const WRITTEN_TOKENS_A_SECOND = 17;
/** Samples of two bytes at 24,000 a second; telephone sound has one at 8,000. */
const BYTES_A_SECOND = 48_000;
const TELEPHONE_BYTES_A_SECOND = 8_000;
/** What a service puts before the beginning that it notices, and what was under way to it by then. */
const BEFORE_SPEECH_SECONDS = 2;

/** What an answer reads, for a count. */
export interface Reads {
  /** As the upstream told it of the answer before. */
  told: Usage;
  sent: Sent;
  /** Tokens of the settings that it surely reads. What it was told meanwhile may be in what was sent, and read by nobody. */
  standing: number;
  named?: Named;
  /** Nobody has asked for it, and its service never says what it heard: that was all of the sound. */
  hearsAll?: boolean;
}

/** Tokens of what an answer reads or says, as far as they are known without a count: they tell of what kinds it is. */
export interface Kinds {
  text: number;
  sound: number;
}

/** What an answer reads of the conversation by name, beside all of it. */
export interface Named {
  /** All of it, as often as any is named. */
  often: SessionBound;
  /** No more than its model reads at once. */
  most: SessionBound;
}

const NOTHING_NAMED: Named = { often: NOTHING_TO_READ, most: NOTHING_TO_READ };

/** What there is of the conversation. */
export interface Extent {
  /** What answers read of it. */
  read: SessionBound;
  /** With what they have left out. */
  whole: SessionBound;
}

export const NO_EXTENT: Extent = { read: NOTHING_TO_READ, whole: NOTHING_TO_READ };

/** With so often as much of another one. */
export const withExtent = (a: Extent, b: Extent, times = 1): Extent => ({
  read: sumOfBounds(a.read, boundTimes(b.read, times)),
  whole: sumOfBounds(a.whole, boundTimes(b.whole, times)),
});

/** What was told, as it is read. What came from a cache may have to be read anew, and nobody tells what of it was sound. */
export function mostOfTold(usage: Usage): SessionBound {
  const { inputAudio, inputImage: image, inputVideo: films, cacheRead, cacheReadAudio } = usage;
  const sound = inputAudio + cacheReadAudio;
  const audio = sound > 0 ? sound + cacheRead : 0;
  return { text: promptTokens(usage) - audio - image - films, audio, image, films };
}

/** What is read after an answer: what that has read and said. What it wrote to a cache was written once. */
const readAfter = ({ untoldWrites: _, ...usage }: Usage): Usage =>
  withTokens(
    { ...withOutputOf(usage, noUsage()), cacheWrite: 0, cacheWriteHour: 0 },
    {
      text: usage.output + usage.cacheWrite + usage.cacheWriteHour,
      audio: usage.outputAudio,
      image: usage.outputImage,
    },
  );

/** Of that what it has said. */
const saidBy = (usage: Usage): Usage => readAfter(withOutputOf(noUsage(), usage));

/** With so much more that was read. */
const withTokens = (usage: Usage, { text, audio, image, films = 0 }: SessionBound): Usage =>
  sumOfUsage(usage, {
    ...noUsage(),
    ...{ input: text, inputAudio: audio, inputImage: image, inputVideo: films },
  });

/** Sound that is listened to. A service that waits for somebody to speak throws away what comes before. */
class Ear {
  #bytes = 0;
  #speechAt: number | null = null;

  append(bytes: number): void {
    this.#bytes += bytes;
  }

  begin({ bytesASecond }: Clock): void {
    this.#speechAt ??= Math.max(0, this.#bytes - BEFORE_SPEECH_SECONDS * bytesASecond);
  }

  /** Bytes that are sure to be read. */
  get speechBytes(): number {
    return this.#speechAt === null ? 0 : this.#bytes - this.#speechAt;
  }

  /** Bytes that would become an item: all of them, where nobody told that it began later. */
  get bytes(): number {
    return this.#bytes - (this.#speechAt ?? 0);
  }

  /** They become one. */
  take(): number {
    const taken = this.bytes;
    this.clear();
    return taken;
  }

  /** They have not become one. */
  giveBack(bytes: number): void {
    this.#bytes += bytes;
  }

  clear(): void {
    this.#bytes = 0;
    this.#speechAt = null;
  }
}

/** Settings that answers surely read. Of all others nobody knows whether anything does. */
const KNOWN = ['instructions', 'tools', 'prompt'] as const;

/** Tokens of each that is told. */
export type Standing = Partial<Record<(typeof KNOWN)[number], number>>;

export function standingIn(settings: SessionTexts): Standing {
  const standing: Standing = {};
  for (const name of KNOWN) {
    const texts = settings[name];
    if (texts) standing[name] = Sent.ofSetting(texts).settingTokens;
  }
  return standing;
}

/** What answers are told, whichever came last. */
export type Settings = Readonly<Partial<Record<keyof SessionTexts, Sent>>>;

/** In the order in which they are read. */
const SETTINGS = ['instructions', 'tools', 'prompt', 'others'] as const;

const partsOf = (settings: Settings): Sent[] =>
  SETTINGS.map((name) => settings[name]).filter((part) => part !== undefined);

/** The one conversation of a session, and what the session listens to. */
export class Conversation implements Clock {
  bytesASecond = BYTES_A_SECOND;
  readonly #model: string;
  readonly #ear = new Ear();
  /** The latest instructions, tools and the like: every answer is told them all. */
  #settings: Settings = {};
  /** What the last answer read and said, as the upstream told it. */
  #told = noUsage();
  /** What came before the last answer began. It may have been under way then, so that it is thought to be read again. */
  #earlier = new Sent();
  /** That answer has told what it read. */
  #isEarlierTold = true;
  /** And after it. */
  #sent = new Sent();
  /** By which word of the caller's answers leave something of it out; null where that is up to the service. */
  #truncation: string | null = null;
  /** What they have left out so, which may be read again when he says otherwise, or names it. */
  #leftOut = NOTHING_TO_READ;
  /** Tokens that tools of the service have found, in the last answer that told its usage and since then. */
  #foundLast = 0;
  #foundSince = 0;
  /** Whether sound is written down, and what of it is yet to be paid for. */
  readonly writesDown = writesDown();
  readonly #transcripts = new Transcripts();
  /** Items that nobody waits for any more. */
  #overdue: Heard[] = [];
  /** Its service says what of the sound it has heard. */
  #saysItems = false;

  constructor(model: string) {
    this.#model = model;
  }

  /** The memory that the words of it take. */
  get keptBytes(): number {
    let bytes = this.#earlier.keptBytes + this.#sent.keptBytes + this.#transcripts.keptBytes;
    for (const setting of partsOf(this.#settings)) bytes += setting.keptBytes;
    return bytes;
  }

  /** What settings of before take beside those of now. */
  keptBytesOf(before: Settings): number {
    let bytes = 0;
    for (const name of SETTINGS) {
      if (before[name] !== this.#settings[name]) bytes += before[name]?.keptBytes ?? 0;
    }
    return bytes;
  }

  /** The upstream tells that the model writes down which the caller has named, or no longer does. */
  tellNamed(isNamed: boolean): void {
    this.#transcripts.isNamedTold = isNamed;
  }

  /** That is so for all that is known of an item. */
  isByNamed({ isByNamed }: Heard): boolean {
    return isByNamed === true && this.#transcripts.isNamedTold;
  }

  hearAs({ isTelephone }: RealtimeSent): void {
    if (isTelephone) this.bytesASecond = TELEPHONE_BYTES_A_SECOND;
  }

  /** The most that there is to read of what is sent now. */
  mostOf(sent: RealtimeSent): SessionBound {
    const own = this.own(sent);
    if (sent.commits) own.readBytes += this.#ear.bytes;
    const most = own.most(this);
    return this.changesTruncation(sent) ? sumOfBounds(most, this.#leftOut) : most;
  }

  /** Its answers may read what they have left out of it so far: they are to leave out something else. */
  changesTruncation({ truncation }: RealtimeSent): boolean {
    return this.#truncation !== null && truncation !== undefined && truncation !== this.#truncation;
  }

  #takeBack(): void {
    this.#told = withTokens(this.#told, this.#leftOut);
    this.#leftOut = NOTHING_TO_READ;
  }

  /** Answers how much more there is to read. */
  add(sent: RealtimeSent): SessionBound {
    this.hearAs(sent);
    const before = this.most();
    if (sent.transcribes !== undefined) this.writesDown.asked(sent.transcribes);
    if (this.changesTruncation(sent)) this.#takeBack();
    this.#truncation = sent.truncation ?? this.#truncation;
    this.#sent.add(sent, this.#model);
    this.#ear.append(sent.heardChars * BYTES_A_CHAR);
    if (sent.commits && this.#ear.bytes > 0)
      this.#keep(this.#transcripts.commit(this.#take(), this.#isWritten));
    this.#set(sent.settings);
    return boundBeyond(this.most(), before);
  }

  #set({ others, ...named }: SessionTexts): void {
    const was = this.#settings;
    const of = (texts: readonly string[] | undefined, before?: Sent) =>
      texts ? Sent.ofSetting(texts, before) : before;
    this.#settings = {
      instructions: of(named.instructions) ?? was.instructions,
      tools: of(named.tools) ?? was.tools,
      prompt: of(named.prompt) ?? was.prompt,
      others: of(others, was.others),
    };
  }

  /** What comes with the wish for one answer, alone. */
  own(sent: RealtimeSent): Sent {
    const own = new Sent();
    own.add(sent, this.#model);
    return own;
  }

  /** The input of an answer's own is part of the conversation; how much more there is to read. */
  addOwn(input: Sent): SessionBound {
    this.#sent = this.#sent.with(input);
    return input.most(this);
  }

  /** Somebody speaks in what is listened to. */
  get isSpoken(): boolean {
    return this.#ear.speechBytes > 0;
  }

  speechBegins(): void {
    this.#saysItems = true;
    this.#ear.begin(this);
  }

  forgetSound(): void {
    this.#ear.clear();
  }

  /** What was listened to is an item, by this name; how much more that is to read. */
  committed(id: string | null): SessionBound {
    this.#saysItems = true;
    const before = this.most();
    this.#keep(this.#transcripts.name(id, () => this.#take(), this.#isWritten));
    return boundBeyond(this.most(), before);
  }

  /** What the caller has committed is none. */
  uncommitted(): void {
    this.#ear.giveBack(this.#transcripts.refuse());
  }

  #take(): number {
    const bytes = this.#ear.take();
    this.#sent.readBytes += bytes;
    return bytes;
  }

  get #isWritten(): boolean {
    return this.writesDown.loosest;
  }

  #keep(heard: Heard | null): void {
    if (heard) this.#overdue.push(heard);
  }

  /** A piece of what an item was heard to say. */
  write(id: string | null, text: string): void {
    this.#transcripts.hear(id)?.said.add(text);
  }

  /** An item has been told to its end: it is to be paid for, by this or by what was told; null for one that has been. */
  written(id: string | null): Heard | null {
    const heard = this.#transcripts.end(id);
    // Some services name what they hear, and never say that it is an item.
    if (heard && !heard.isCommitted) heard.bytes += this.#take();
    return heard;
  }

  /** Items that are to be paid for without being told to their end. */
  takeOverdue(): Heard[] {
    return this.#overdue.splice(0);
  }

  /** The same of all that are left when the session ends, with what one of them is made of as it is said. */
  unpaid(): Heard[] {
    const rest = this.#transcripts.rest();
    const speaking = rest.find(({ isCommitted }) => !isCommitted);
    if (speaking) speaking.bytes += this.#ear.take();
    return [...this.takeOverdue(), ...rest];
  }

  get unwrittenItems(): number {
    return this.#transcripts.waiting.items;
  }

  /** An answer of it begins; what it reads beside what is known. What is its own is gone with it. */
  begin(own = new Sent(), standing = this.standing()): Reads {
    this.#earlier = this.#untold;
    this.#isEarlierTold = false;
    this.#sent = new Sent();
    return { told: this.#told, sent: this.#earlier.with(own), standing };
  }

  /** The same of one that nobody has asked for. */
  beginUnasked(): Reads {
    return { ...this.begin(), hearsAll: !this.#saysItems };
  }

  /** Of what kinds is what an answer has read: sound that nobody listens to is none of it. */
  kindsOf({ told, sent, standing, named, hearsAll }: Reads): Kinds {
    const seconds = (hearsAll ? sent.soundBytes : sent.readBytes) / this.bytesASecond;
    const { text, audio } = named?.often ?? NOTHING_TO_READ;
    const toldSound = told.inputAudio + told.cacheReadAudio;
    return {
      text: promptTokens(told) - toldSound + sent.usualTokens + Math.min(standing, sent.settingTokens) + text,
      sound: toldSound + heardTokens(this.#model, { audioSeconds: Math.max(seconds, 0) }) + audio,
    };
  }

  /** The same of what it has said, beside the words of that. */
  kindsSaid({ spokenBytes, words }: { spokenBytes: number; words: Sent }): Kinds {
    return {
      text: words.usualTokens,
      sound: spokenTokens(this.#model, spokenBytes / this.bytesASecond),
    };
  }

  /** What no answer has read that told what it did. */
  get #untold(): Sent {
    return this.#isEarlierTold ? this.#sent : this.#earlier.asReadAgain.with(this.#sent);
  }

  /** What an answer beside it reads that begins now. */
  beside(own = new Sent(), standing = this.standing()): Reads {
    return { told: this.#told, sent: this.#untold.with(own), standing };
  }

  /** The same of one that reads only what it brings along, with these settings. */
  alone(own: Sent, settings: Settings, standing: number): Reads {
    const sent = partsOf(settings).reduceRight((all, part) => part.with(all), own);
    return { told: noUsage(), sent, standing };
  }

  /** Tokens of what it stands for now that answers are told, by one that is told some of it for itself. */
  standing(instead: Standing = {}): number {
    const tokens = KNOWN.map((name) => instead[name] ?? this.#settings[name]?.settingTokens ?? 0);
    return tokens.reduce((sum, each) => sum + each, 0);
  }

  /** Tools have found so many tokens, which every answer from now on reads; how much more that is. */
  found(tokens: number): SessionBound {
    this.#foundSince += tokens;
    return { ...NOTHING_TO_READ, text: tokens };
  }

  /** An answer of it has ended: the next one reads what it read and said. */
  answered(usage: Usage): void {
    this.#foundLast = this.#foundSince;
    this.#foundSince = 0;
    this.#noteLeftOut(usage);
    this.#isEarlierTold = true;
    this.#told = readAfter(usage);
  }

  #noteLeftOut(usage: Usage): void {
    const before = sumOfUsage(this.#told, saidBy(usage));
    const untold = this.#isEarlierTold ? NOTHING_TO_READ : this.#earlier.most(this);
    const whole = sumOfBounds(mostOfTold(before), untold);
    // Of itself a service leaves out only what is more than its model reads.
    if (this.#truncation === null && tokensOfBound(whole) + OUTPUT_ASSUMED <= this.#mostAtOnce) return;
    const left = boundBeyond(whole, mostOfTold(readAfter(usage)));
    this.#leftOut = sumOfBounds(this.#leftOut, left);
  }

  /**
   * The same of one that may not have read all of it: the next one reads what was known before and what this one said, or
   * as much as this one where that is more.
   */
  answeredInPart(usage: Usage): void {
    this.#told = sumOfUsage(this.#told, saidBy(usage));
    this.#told = withTokens(this.#told, boundBeyond(mostOfTold(readAfter(usage)), this.most()));
  }

  /** The same of one whose usage nobody told: what it read and said is yet to be told. Its thoughts nobody reads again. */
  unanswered(said: Sent): void {
    this.#sent = this.#earlier.asReadAgain.with(said).with(this.#sent);
    this.#earlier = new Sent();
  }

  get extent(): Extent {
    return this.#withLeftOut(this.most());
  }

  #withLeftOut(read: SessionBound): Extent {
    return { read, whole: sumOfBounds(read, this.#leftOut) };
  }

  /** The most that its next answer can read. */
  most(): SessionBound {
    const found = { ...NOTHING_TO_READ, text: this.#foundLast + this.#foundSince };
    const told = sumOfBounds(mostOfTold(this.#told), found);
    return sumOfBounds(sumOfBounds(told, this.#earlier.most(this)), this.#sent.most(this));
  }

  /**
   * The same of one which names items of it, any of them so often: also what others have left out, and no more than its
   * model reads at once. `inConversation`: what it can read without.
   */
  mostNamed(inConversation: SessionBound, readings: number): SessionBound {
    return this.#mostOf(this.#withLeftOut(inConversation), readings);
  }

  #mostOf({ read, whole }: Extent, readings: number): SessionBound {
    return ofEachKind((kind) =>
      Math.max(read[kind] ?? 0, Math.min(readings * (whole[kind] ?? 0), this.#mostAtOnce)),
    );
  }

  /** What that is beyond a conversation of such an extent, for a count: as often as it is named, and the most of that. */
  namedBeyond(extent: Extent, readings: number): Named {
    const { read, whole } = extent;
    return {
      often: boundBeyond(boundTimes(whole, readings), read),
      most: boundBeyond(this.#mostOf(extent, readings), read),
    };
  }

  get #mostAtOnce(): number {
    return contextOf(this.#model);
  }

  /** The most that a count can come to of what an answer has read. */
  mostCounted({ told, sent, named = NOTHING_NAMED }: Reads): SessionBound {
    const known = sumOfBounds(mostOfTold(told), sent.most(this, sent.soundBytes));
    return sumOfBounds(known, named.most);
  }

  /**
   * What an answer has read, where what was sent came to so much. What it names has no count: it is all of the conversation
   * each time, as far as what is held for all that it reads goes.
   */
  counted({ told, sent, named = NOTHING_NAMED }: Reads, asked: SentTokens): Usage {
    const most = sumOfBounds(named.most, sent.most(this, sent.soundBytes));
    const left = boundBeyond(most, { ...NOTHING_TO_READ, text: asked.input, audio: asked.inputAudio });
    return withTokens(sumOfUsage(told, { ...noUsage(), ...asked }), leastOf(named.often, left));
  }

  get settings(): Settings {
    return this.#settings;
  }

  /** The most that an answer can read which reads only what it brings along, with such settings. */
  mostAlone(own: Sent, settings = this.#settings): SessionBound {
    return Sent.mostOf([...partsOf(settings), own], this);
  }

  /** The settings of now, or those of before where these are more beside what it brings along. */
  moreOf(before: Settings, own: Sent): Settings {
    const now = this.#settings;
    return this.mostAlone(own, now).text < this.mostAlone(own, before).text ? before : now;
  }

  /** What somebody says now, which will be read; and what is yet to be written down. */
  mostHeard(): { heard: SessionBound; unwritten: SessionBound } {
    const speech = this.#ear.speechBytes / this.bytesASecond;
    const waiting = this.#transcripts.waiting.bytes / this.bytesASecond;
    const unwritten = waiting + (this.#isWritten ? speech : 0);
    return {
      heard: { ...NOTHING_TO_READ, audio: Math.ceil(speech * HEARD_TOKENS_A_SECOND) },
      unwritten: {
        ...NOTHING_TO_READ,
        text: Math.ceil(unwritten * WRITTEN_TOKENS_A_SECOND),
        audio: Math.ceil(unwritten * HEARD_TOKENS_A_SECOND),
      },
    };
  }
}
