/**
 * What of a session's sound is written down beside its answers. Each item that was committed is paid for once: by what the
 * upstream tells that it took, or else by its seconds and the text that came of it.
 */
import { limits } from '../../core/limits.ts';
import { KeptText } from '../charge/kept-text.ts';

/** A stretch of sound that became an item. */
export class Heard {
  bytes = 0;
  isCommitted = false;
  /** The upstream has said that it is an item. */
  isKnown = false;
  /** It is written down as far as anybody knows. */
  isWritten = false;
  /** It is sure that the named model does, by what was told when it was committed or the upstream first spoke of it. */
  isByNamed: boolean | undefined;
  readonly said = new KeptText();
}

export class Transcripts {
  /** The upstream has told that the model does which the caller has named, and nothing else since. */
  isNamedTold = false;
  /** By the upstream's name, in the order in which they came. */
  readonly #named = new Map<string, Heard>();
  /** Committed by the caller; the upstream names them in this order. */
  #unnamed: Heard[] = [];
  /** Names of those that were paid for, the latest of them. */
  readonly #paid = new Set<string>();

  get #all(): Heard[] {
    return [...this.#named.values(), ...this.#unnamed];
  }

  /** Bytes of sound that are yet to be written down, and how many items that is. */
  get waiting(): { bytes: number; items: number } {
    const written = this.#all.filter(({ isWritten }) => isWritten);
    return { bytes: written.reduce((sum, { bytes }) => sum + bytes, 0), items: written.length };
  }

  /** The memory that the words of all take. */
  get keptBytes(): number {
    let bytes = 0;
    for (const { said } of this.#named.values()) bytes += said.bytes;
    for (const { said } of this.#unnamed) bytes += said.bytes;
    return bytes;
  }

  /** The caller has made an item of so much sound. Answers one that waits no longer, as too many do. */
  commit(bytes: number, isWritten: boolean): Heard | null {
    const isByNamed = this.isNamedTold || undefined;
    this.#unnamed.push(Object.assign(new Heard(), { bytes, isWritten, isCommitted: true, isByNamed }));
    return this.#crowdedOut();
  }

  /** The upstream has not. How much sound that was. */
  refuse(): number {
    const refused = this.#unnamed.find(({ isKnown }) => !isKnown);
    if (refused) this.#forget(refused);
    return refused?.bytes ?? 0;
  }

  /** The upstream tells of an item: one of the caller's, or what it was listening to, which `take` takes. */
  name(id: string | null, take: () => number, isWritten: boolean): Heard | null {
    const begun = id === null ? undefined : this.#named.get(id);
    if (begun?.isCommitted || (id !== null && this.#paid.has(id))) return null;
    const own = this.#unnamed.find(({ isKnown }) => !isKnown);
    const item = begun ?? own ?? new Heard();
    if (item !== own) item.bytes += own ? own.bytes : take();
    item.isCommitted = true;
    item.isKnown = true;
    item.isByNamed ??= this.isNamedTold;
    item.isWritten ||= isWritten || own?.isWritten === true;
    if (own && (id !== null || item !== own)) this.#forget(own);
    if (id !== null) this.#named.set(id, item);
    else if (!own && item.bytes > 0) this.#unnamed.push(item);
    return this.#crowdedOut();
  }

  /** The one of which the upstream tells what it hears; null for one that is paid for. */
  hear(id: string | null): Heard | null {
    if (id !== null && this.#paid.has(id)) return null;
    const item = this.#find(id) ?? new Heard();
    item.isWritten = true;
    item.isByNamed ??= this.isNamedTold;
    if (id !== null) this.#named.set(id, item);
    return item;
  }

  /** It has been told to its end and is to be paid for, if it has not been. */
  end(id: string | null): Heard | null {
    const item = this.hear(id);
    if (id !== null) {
      this.#named.delete(id);
      this.#rememberPaid(id);
    } else if (item) this.#forget(item);
    return item;
  }

  /** Those that are yet to be paid for. */
  rest(): Heard[] {
    return this.#all.filter(({ isWritten }) => isWritten);
  }

  #find(id: string | null): Heard | undefined {
    if (id === null) return this.#all.find(({ isWritten }) => isWritten) ?? this.#all[0];
    // Some services name an item only when they have heard it.
    return this.#named.get(id) ?? this.#unnamed.shift();
  }

  #forget(item: Heard): void {
    this.#unnamed = this.#unnamed.filter((each) => each !== item);
    for (const [id, each] of this.#named) if (each === item) this.#named.delete(id);
  }

  #rememberPaid(id: string): void {
    this.#paid.add(id);
    const [oldest] = this.#paid;
    if (this.#paid.size > limits.transcriptsPaidKept && oldest !== undefined) this.#paid.delete(oldest);
  }

  /** Where more wait than an upstream is behind with: the oldest, to be paid for as far as it came. */
  #crowdedOut(): Heard | null {
    if (this.#named.size + this.#unnamed.length <= limits.transcriptsWaiting) return null;
    const [oldest] = this.#named;
    if (!oldest) return this.#paidOnly(this.#unnamed.shift());
    const [id, item] = oldest;
    this.#named.delete(id);
    if (item.isWritten) this.#rememberPaid(id);
    return this.#paidOnly(item);
  }

  #paidOnly(item: Heard | undefined): Heard | null {
    return item?.isWritten ? item : null;
  }
}
