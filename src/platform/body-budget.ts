/**
 * The room that bodies may take, shared by those who send them. Nobody holds more than he leaves for others, but for his
 * first bytes, for which a part is kept. Where there is no room, the bodies of whoever holds the most give way as long as
 * they are still coming: so however many are greedy, who asks for little gets in.
 */
import { type AppError, fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';

/** Where a body finds room. */
export interface Room {
  /** For one body, which grows as it comes. */
  hold(): HeldBytes;
}

/** A user's id, or the network of somebody who is not known. */
type Name = number | string;

/** Whose room it is. What lies `within` a larger network has this one's share, in which the largest gives way as well. */
export type Holder = Name | { readonly name: Name; readonly within: Name };

export interface HeldBytes {
  /** Throws OVERLOADED when there is no room or it had to give way, `client_gone` after the release. */
  grow(bytes: number): void;
  /**
   * From now on until what it returns is called the body is coming, and may have to give way: then nothing is held for it
   * any more, and `stop` is told why. It must not throw.
   */
  comes(stop: (why: AppError) => void): () => void;
  /** May be called twice. */
  release(): void;
}

interface Body {
  readonly name: Name;
  /** The largest network that `name` is counted in, or itself. */
  readonly top: Name;
  bytes: number;
  stop: (why: AppError) => void;
  /** Why it takes no room any more. */
  ended: 'released' | AppError | null;
}

export class BodyBudget {
  #bytes = 0;
  /** Of them, what is beyond the first bytes of their holders. */
  #beyondFirst = 0;
  readonly #heldBy = new Map<Name, number>();
  readonly #coming = new Set<Body>();
  /** Kept for first bytes, and how many of each holder's these are. */
  readonly #keptForFirst: number;
  readonly #first: number;

  constructor(readonly most: number) {
    this.#keptForFirst = Math.floor(most * limits.firstBytesPart);
    this.#first = Math.min(limits.firstBytes, this.#keptForFirst);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The room of one holder. */
  of(holder: Holder): Room {
    return { hold: () => this.hold(holder) };
  }

  /** Whether so much more is within a holder's share where nobody else holds anything. */
  isWithinShare(name: Name, bytes: number): boolean {
    const own = this.#held(name) + bytes;
    return own <= this.#first || 2 * own <= this.most;
  }

  hold(holder: Holder): HeldBytes {
    const { name, within } = typeof holder === 'object' ? holder : { name: holder, within: holder };
    const body: Body = { name, top: within, bytes: 0, stop: () => undefined, ended: null };
    return {
      grow: (bytes) => {
        // Whatever still comes belongs to nobody: it would never be given back.
        if (body.ended) throw body.ended === 'released' ? fail('client_gone') : body.ended;
        this.#makeRoom(body, bytes);
        this.#count(body, bytes);
      },
      comes: (stop) => {
        if (body.ended) return () => undefined;
        body.stop = stop;
        this.#coming.add(body);
        return () => void this.#coming.delete(body);
      },
      release: () => this.#end(body, 'released'),
    };
  }

  /** Throws OVERLOADED where nothing larger can give way. */
  #makeRoom(body: Body, bytes: number): void {
    while (!this.#fits(body, bytes)) {
      const larger = this.#largestBeside(body, bytes);
      if (!larger) throw overloaded('request bodies fill their room');
      const why = overloaded('the body gave way to one of who holds less');
      this.#end(larger, why);
      larger.stop(why);
    }
  }

  #fits({ top }: Body, bytes: number): boolean {
    const all = this.#bytes + bytes;
    if (all > this.most) return false;
    const before = this.#held(top);
    const own = before + bytes;
    if (own <= this.#first) return true;
    const beyondFirst = this.#beyondFirst + this.#beyond(own) - this.#beyond(before);
    return beyondFirst <= this.most - this.#keptForFirst && own <= this.most - all;
  }

  /** Of the bodies that are coming, the largest of the largest holder who has more than this one's would be. */
  #largestBeside({ name, top }: Body, bytes: number): Body | null {
    const ofTop = this.#held(top) + bytes;
    const ofName = this.#held(name) + bytes;
    let largest: Body | null = null;
    for (const each of this.#coming) {
      if (each.bytes === 0) continue;
      const isLarger = each.top === top ? this.#held(each.name) > ofName : this.#held(each.top) > ofTop;
      if (isLarger && (largest === null || this.#isBefore(each, largest))) largest = each;
    }
    return largest;
  }

  #isBefore(one: Body, other: Body): boolean {
    const more =
      this.#held(one.top) - this.#held(other.top) ||
      this.#held(one.name) - this.#held(other.name) ||
      one.bytes - other.bytes;
    return more > 0;
  }

  #end(body: Body, why: 'released' | AppError): void {
    if (body.ended) return;
    body.ended = why;
    this.#coming.delete(body);
    this.#count(body, -body.bytes);
  }

  #count(body: Body, bytes: number): void {
    const before = this.#held(body.top);
    this.#bytes += bytes;
    this.#beyondFirst += this.#beyond(before + bytes) - this.#beyond(before);
    body.bytes += bytes;
    this.#add(body.top, bytes);
    if (body.name !== body.top) this.#add(body.name, bytes);
  }

  #add(name: Name, bytes: number): void {
    const held = this.#held(name) + bytes;
    if (held > 0) this.#heldBy.set(name, held);
    else this.#heldBy.delete(name);
  }

  #held(name: Name): number {
    return this.#heldBy.get(name) ?? 0;
  }

  #beyond(held: number): number {
    return Math.max(0, held - this.#first);
  }
}

const overloaded = (internal: string) => fail('OVERLOADED', { internal, retryAfterSec: 2 });
