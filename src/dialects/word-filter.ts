/**
 * Keeps words out of answers: an answer ends before the first of them, or each is masked. Of a stream so much is held
 * back that no part of a word goes out before it is known not to be one.
 */
import type { WordMatch, WordMatcher, WordScanner } from '../core/word-matcher.ts';
import type { StreamReader } from './codec.ts';
import type { AnswerItems, StreamTap } from './dialect.ts';
import type { Frame } from './frames.ts';
import type { ChatReply, Choice, Part, PartDelta, StreamEvent } from './neutral.ts';

export interface WordFilter {
  words: WordMatcher;
  /** The answer ends at the first word; else words are masked. */
  stops: boolean;
  /** Pieces of a stream that wait longer than they need to: a word takes them away too. */
  heldBack: number;
}

/** What an answer says, to its reader or to a tool. */
type SayingPart = Extract<Part, { type: 'text' | 'thinking' | 'refusal' | 'tool-call' }>;
type SayingDelta = Extract<PartDelta, { type: 'text' | 'thinking' | 'refusal' | 'input' }>;

const PARTS: ReadonlySet<string> = new Set<SayingPart['type']>(['text', 'thinking', 'refusal', 'tool-call']);
const DELTAS: ReadonlySet<string> = new Set<SayingDelta['type']>(['text', 'thinking', 'refusal', 'input']);
const says = (part: Part): part is SayingPart => PARTS.has(part.type);
const isSaying = (delta: PartDelta): delta is SayingDelta => DELTAS.has(delta.type);

const saidBy = (part: SayingPart): string => (part.type === 'tool-call' ? part.input : part.text);
const saying = (part: SayingPart, text: string): SayingPart =>
  part.type === 'tool-call' ? { ...part, input: text } : { ...part, text };

/** `text` as it may be shown; the very same when it holds no word. */
export function filteredText(text: string, { words, stops }: WordFilter): string {
  const matches = words.scanner().push(text);
  if (matches.length === 0) return text;
  return stops ? text.slice(0, firstStart(matches)) : masked(text, matches);
}

/** `text` with the matches masked; their places count from `from`. Each of its characters is written once. */
function masked(text: string, matches: readonly WordMatch[], from = 0): string {
  let shown = '';
  let at = 0;
  for (const { start, end } of together(matches)) {
    shown += text.slice(at, start - from) + '*'.repeat(end - start);
    at = end - from;
  }
  return shown + text.slice(at);
}

/** The stretches that matches cover, of which each ends later than the one before. */
function together(matches: readonly WordMatch[]): WordMatch[] {
  const stretches: WordMatch[] = [];
  for (const { start: from, end } of matches) {
    let start = from;
    for (let last = stretches.at(-1); last && last.end >= start; last = stretches.at(-1)) {
      start = Math.min(start, last.start);
      stretches.pop();
    }
    stretches.push({ start, end });
  }
  return stretches;
}

const firstStart = (matches: readonly WordMatch[]): number =>
  matches.reduce((first, { start }) => Math.min(first, start), Number.POSITIVE_INFINITY);

// ---- Whole answers -----------------------------------------------------------------------------------------------

/** The answer without the words; the very same when it has none. */
export function filteredReply(reply: ChatReply, filter: WordFilter): ChatReply {
  const choices = reply.choices.map((choice) => filteredChoice(choice, filter));
  return choices.every((choice, i) => choice === reply.choices[i]) ? reply : { ...reply, choices };
}

/** The choice without the words; the very same when it has none. */
export function filteredChoice(choice: Choice, { words, stops }: WordFilter): Choice {
  const parts: Part[] = [];
  let isChanged = false;
  for (const part of choice.parts) {
    const matches = says(part) ? words.scanner().push(saidBy(part)) : [];
    if (!says(part) || matches.length === 0) {
      parts.push(part);
      continue;
    }
    isChanged = true;
    if (stops) {
      // Of a call with half its arguments nobody could make anything.
      const last = part.type === 'tool-call' ? [] : [saying(part, part.text.slice(0, firstStart(matches)))];
      const cut: Choice = { index: choice.index, parts: [...parts, ...last], stop: 'content-filter' };
      return cut;
    }
    parts.push(saying(part, masked(saidBy(part), matches)));
  }
  if (!isChanged) return choice;
  // The tokens of an answer spell its words out.
  const { logprobs: _, ...rest } = choice;
  return { ...rest, parts };
}

// ---- Streams -----------------------------------------------------------------------------------------------------

/** A text under way and what of it has not been given out. */
export class HeldText {
  readonly #scanner: WordScanner;
  #held = '';
  /** Where in the whole text the held one begins. */
  #at = 0;

  constructor(readonly filter: WordFilter) {
    this.#scanner = filter.words.scanner();
  }

  /** What may be given out now, and whether the answer must end with it. */
  take(text: string): { said: string; isOver: boolean } {
    const matches = this.#scanner.push(text);
    this.#held += text;
    if (matches.length > 0 && this.filter.stops) {
      return { said: this.#give(firstStart(matches) - this.#at), isOver: true };
    }
    this.#held = masked(this.#held, matches, this.#at);
    return { said: this.#give(this.#held.length - this.#scanner.open), isOver: false };
  }

  rest(): string {
    return this.#give(this.#held.length);
  }

  #give(length: number): string {
    const said = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    this.#at += length;
    return said;
  }
}

/** Of which part and choice a held text is. */
interface HeldPart {
  choice: number;
  type: SayingDelta['type'];
  text: HeldText;
}

export class FilteredReader implements StreamReader {
  readonly #texts = new Map<number, HeldPart>();
  /** Parts that have begun and not ended, and the choices that have begun and not stopped. */
  readonly #open = new Map<number, number>();
  readonly #choices = new Set<number>();
  #waiting: StreamEvent[][] = [];
  /** Usage of everything that came: it holds also for text that is given out later. */
  #usage: StreamEvent | null = null;
  #isCut = false;
  /** What ends an answer that was cut, while its upstream is read on. */
  #ending: StreamEvent[] | null = null;
  #isReadToEnd = false;
  /** Of an answer that was cut and is read on. */
  #unshown: StreamEvent[] = [];
  readonly #tap: StreamTap | null;
  readonly #readsOn: boolean;

  /**
   * `tap` watches the frames for what only their own dialect knows of; with `readsOn` an answer that is cut ends when its
   * upstream does, whose usage it then has.
   */
  constructor(
    readonly inner: StreamReader,
    readonly filter: WordFilter,
    { tap = null, readsOn = false }: { tap?: StreamTap | null; readsOn?: boolean } = {},
  ) {
    this.#tap = tap;
    this.#readsOn = readsOn;
  }

  /** The answer was ended here, and its upstream not read to its end: what that tells is not this one's. */
  get isCut(): boolean {
    return this.#isCut && !this.#isReadToEnd;
  }

  get answerId(): string | undefined {
    return this.#tap?.answerId;
  }

  get items(): AnswerItems | undefined {
    return this.#tap?.items;
  }

  push(frame: Frame): StreamEvent[] {
    if (this.#isCut && !this.#readsOn) return [];
    if (frame.data !== '') this.#tap?.read(frame);
    const events = this.inner.push(frame);
    if (this.#isCut) {
      this.#hide(events);
      return this.#afterCut(events);
    }
    const said = this.#delayed(this.#filtered(events));
    return this.#isCut ? [...said, ...this.#afterCut(events)] : said;
  }

  end(): StreamEvent[] {
    if (this.#isCut && !this.#ending) return [];
    const events = this.inner.end();
    if (this.#isCut) this.#hide(events);
    const last = this.#isCut ? [] : this.#filtered(events);
    if (!this.#isCut) return [...this.#waiting.splice(0).flat(), ...last];
    const said = this.#ending ? [] : this.#cut(last);
    return [...said, ...this.#afterCut(events), ...this.#takeEnding()];
  }

  takeUnshown(): StreamEvent[] {
    return this.#unshown.splice(0);
  }

  #hide(events: readonly StreamEvent[]): void {
    if (this.#readsOn) this.#unshown.push(...events);
  }

  #filtered(events: readonly StreamEvent[]): StreamEvent[] {
    const out: StreamEvent[] = [];
    for (const [at, event] of events.entries()) {
      this.#note(event);
      switch (event.type) {
        case 'part-start': {
          const { part, choice, index } = event;
          if (!says(part)) {
            out.push(event);
            break;
          }
          const type = part.type === 'tool-call' ? 'input' : part.type;
          this.#texts.set(index, { choice, type, text: new HeldText(this.filter) });
          out.push({ ...event, part: saying(part, '') });
          if (saidBy(part) !== '' && this.#say(index, saidBy(part), out)) {
            this.#hide(events.slice(at + 1));
            return out;
          }
          break;
        }
        case 'part-delta':
          if (!isSaying(event.delta)) out.push(event);
          else if (this.#say(event.index, event.delta.text, out)) {
            this.#hide(events.slice(at + 1));
            return out;
          }
          break;
        case 'part-end':
          this.#finish(event.index, out);
          out.push(event);
          break;
        case 'stop':
          for (const [index, { choice }] of this.#texts)
            if (choice === event.choice) this.#finish(index, out);
          out.push(event);
          break;
        case 'usage':
          this.#usage = event;
          out.push(event);
          break;
        case 'logprobs':
          // They spell out what the texts may not say, before that is known.
          break;
        default:
          out.push(event);
      }
    }
    return out;
  }

  #note(event: StreamEvent): void {
    if (event.type === 'part-start') {
      this.#open.set(event.index, event.choice);
      this.#choices.add(event.choice);
    } else if (event.type === 'part-end') this.#open.delete(event.index);
    else if (event.type === 'stop') this.#choices.delete(event.choice);
  }

  /** True when the answer ends here. */
  #say(index: number, text: string, out: StreamEvent[]): boolean {
    const held = this.#texts.get(index);
    if (!held) return false;
    this.#usage = null;
    const { said, isOver } = held.text.take(text);
    if (said !== '') out.push(pieceOf(held, index, said));
    if (isOver) {
      this.#isCut = true;
      this.#hideHeld();
    }
    return isOver;
  }

  /** The word itself, what stood behind it, and what other parts were held back with. */
  #hideHeld(): void {
    for (const [index, held] of this.#texts) this.#hide([pieceOf(held, index, held.text.rest())]);
  }

  #finish(index: number, out: StreamEvent[]): void {
    const held = this.#texts.get(index);
    const rest = held?.text.rest();
    if (held && rest) {
      out.push(pieceOf(held, index, rest));
      if (this.#usage) out.push(this.#usage);
    }
    this.#texts.delete(index);
  }

  #delayed(events: StreamEvent[]): StreamEvent[] {
    if (this.#isCut) return this.#cut(events);
    if (this.filter.heldBack === 0) return events;
    if (events.length > 0) this.#waiting.push(events);
    const isEnding = events.some(({ type }) => type === 'stop' || type === 'end' || type === 'error');
    const ready = isEnding ? this.#waiting.length : Math.max(this.#waiting.length - this.filter.heldBack, 0);
    return this.#waiting.splice(0, ready).flat();
  }

  /** The end of an answer that a word has ended; pieces that waited longer than they needed to go with it. */
  #cut(events: StreamEvent[]): StreamEvent[] {
    const { heldBack } = this.filter;
    const last = [...this.#waiting.splice(0).flat(), ...events];
    const kept = heldBack === 0 ? last : last.filter(({ type }) => type !== 'part-delta');
    if (heldBack > 0) this.#hide(last.filter(({ type }) => type === 'part-delta'));
    const ends: StreamEvent[] = [...this.#open].map(([index, choice]) => ({
      type: 'part-end',
      choice,
      index,
    }));
    const stops: StreamEvent[] = [...this.#choices].map((choice) => ({
      type: 'stop',
      choice,
      stop: 'content-filter',
    }));
    this.#ending = [...stops, { type: 'end' }];
    return [...kept, ...ends, ...(this.#readsOn ? [] : this.#takeEnding())];
  }

  /** Of what comes behind the cut only the usage is told, and that it is over. */
  #afterCut(events: readonly StreamEvent[]): StreamEvent[] {
    if (!this.#readsOn) return [];
    const told = events.filter(({ type }) => type === 'usage');
    const isOver = events.some(({ type }) => type === 'end' || type === 'error');
    this.#isReadToEnd ||= events.some(({ type }) => type === 'end');
    return isOver ? [...told, ...this.#takeEnding()] : told;
  }

  #takeEnding(): StreamEvent[] {
    const ending = this.#ending ?? [];
    this.#ending = null;
    return ending;
  }
}

const pieceOf = ({ choice, type }: HeldPart, index: number, text: string): StreamEvent => ({
  type: 'part-delta',
  choice,
  index,
  delta: { type, text },
});
