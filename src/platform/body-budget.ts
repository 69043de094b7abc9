/**
 * The room that bodies may take, shared by those who hold them. As long as less than half of it is taken nobody holds more
 * than he leaves for others; once it is scarce, a small part each, so that it takes many to fill it. A part is kept for
 * everybody's first bytes. Where there is no room, the bodies of whoever holds the most give way as long as they are still
 * coming, or nobody takes them: so however many are greedy, who asks for little gets in.
 */
import { type AppError, fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { overloaded } from './overloaded.ts';
import { Tally } from './tally.ts';

/** Where a body finds room. */
export interface Room {
  /** For one body, which grows as it comes. */
  hold(): HeldBytes;
}

/** A user's id, or the network of somebody who is not known. */
export type Name = number | string;

/** Whose room it is. What lies `within` a larger network has this one's share, in which the largest gives way as well. */
export type Holder = Name | { readonly name: Name; readonly within: Name };

export interface HeldBytes {
  /** Whether `grow` must be told of each piece of a body that `comes`, as it does. */
  toldByPiece?(): boolean;
  /** Throws OVERLOADED when there is no room or it had to give way, `client_gone` after the release. */
  grow(bytes: number): void;
  /** No more than so many bytes are held from now on; the rest is given back. */
  keep(bytes: number): void;
  /**
   * From now on until what it returns is called the body may have to give way, because it is still coming or nobody takes
   * it: then nothing is held for it any more, and `stop` is told why. It must not throw.
   */
  comes(stop: (why: AppError) => void): () => void;
  /** May be called twice. */
  release(): void;
}

/** The same bytes in several rooms at once: of a user and of his network. What gives way in one has left them all. */
export const together = (...rooms: readonly Room[]): Room => ({
  hold() {
    const all = rooms.map((room) => room.hold());
    const release = () => {
      for (const each of all) each.release();
    };
    return {
      toldByPiece: () => all.some((each) => each.toldByPiece?.()),
      grow(bytes) {
        for (const each of all) each.grow(bytes);
      },
      keep(bytes) {
        for (const each of all) each.keep(bytes);
      },
      comes(stop) {
        const ends = all.map((each) =>
          each.comes((why) => {
            release();
            stop(why);
          }),
        );
        return () => {
          for (const end of ends) end();
        };
      },
      release,
    };
  },
});

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
  readonly #heldBy = new Tally<Name>();
  readonly #mayGo = new Set<Body>();
  /** Kept for first bytes, and how many of each holder's these are. */
  readonly #keptForFirst: number;
  readonly #first: number;
  /** Of one holder beside his first bytes, where the room is scarce. */
  readonly #scarce: number;

  constructor(readonly most: number) {
    this.#keptForFirst = Math.floor(most * limits.firstBytesPart);
    this.#first = Math.min(limits.firstBytes, this.#keptForFirst);
    this.#scarce = Math.floor(most * limits.scarcePart);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The room of one holder. */
  of(holder: Holder): Room {
    return { hold: () => this.hold(holder) };
  }

  /** Bytes that a holder has here, or all within him. */
  heldBy(name: Name): number {
    return this.#heldBy.of(name);
  }

  /** Whether so much more is within a holder's share where nobody else holds anything. */
  isWithinShare(name: Name, bytes: number): boolean {
    const own = this.#heldBy.of(name) + bytes;
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
      keep: (bytes) => {
        if (!body.ended && bytes < body.bytes) this.#count(body, bytes - body.bytes);
      },
      comes: (stop) => {
        if (body.ended) return () => undefined;
        body.stop = stop;
        this.#mayGo.add(body);
        return () => void this.#mayGo.delete(body);
      },
      release: () => this.#end(body, 'released'),
    };
  }

  /** Throws OVERLOADED where nothing larger can give way. */
  #makeRoom(body: Body, bytes: number): void {
    while (!this.#fits(body, bytes)) {
      const larger = this.#largerBeside(body, bytes);
      // Nobody gives way in vain.
      const largest = this.#fits(body, bytes, larger) ? this.#firstOf(larger) : undefined;
      if (!largest) throw overloaded('bodies fill their room');
      const why = overloaded('the body gave way to one of who holds less');
      this.#end(largest, why);
      largest.stop(why);
    }
  }

  /** Whether so much more of it has its place, where these are gone. */
  #fits({ top }: Body, bytes: number, gone: readonly Body[] = []): boolean {
    let all = this.#bytes + bytes;
    let before = this.#heldBy.of(top);
    let beyondOthers = this.#beyondFirst - this.#beyond(before);
    for (const each of gone) {
      all -= each.bytes;
      if (each.top === top) before -= each.bytes;
      else beyondOthers -= each.bytes;
    }
    const own = before + bytes;
    if (all > this.most) return false;
    if (own <= this.#first) return true;
    if (beyondOthers + this.#beyond(own) > this.most - this.#keptForFirst) return false;
    return own <= (2 * all <= this.most ? this.most - all : Math.min(this.#scarce, this.most - all));
  }

  /** Of the bodies that may give way, those of holders who have more than this one's would. */
  #largerBeside({ name, top }: Body, bytes: number): Body[] {
    const ofTop = this.#heldBy.of(top) + bytes;
    const ofName = this.#heldBy.of(name) + bytes;
    const larger: Body[] = [];
    for (const each of this.#mayGo) {
      if (each.bytes === 0) continue;
      const isLarger =
        each.top === top ? this.#heldBy.of(each.name) > ofName : this.#heldBy.of(each.top) > ofTop;
      if (isLarger) larger.push(each);
    }
    return larger;
  }

  /** The largest of the largest holder. */
  #firstOf(bodies: readonly Body[]): Body | undefined {
    let first = bodies[0];
    for (const each of bodies) if (first && this.#isBefore(each, first)) first = each;
    return first;
  }

  #isBefore(one: Body, other: Body): boolean {
    const more =
      this.#heldBy.of(one.top) - this.#heldBy.of(other.top) ||
      this.#heldBy.of(one.name) - this.#heldBy.of(other.name) ||
      one.bytes - other.bytes;
    return more > 0;
  }

  #end(body: Body, why: 'released' | AppError): void {
    if (body.ended) return;
    body.ended = why;
    this.#mayGo.delete(body);
    this.#count(body, -body.bytes);
  }

  #count(body: Body, bytes: number): void {
    const before = this.#heldBy.of(body.top);
    this.#bytes += bytes;
    this.#beyondFirst += this.#beyond(before + bytes) - this.#beyond(before);
    body.bytes += bytes;
    this.#heldBy.add(body.top, bytes);
    if (body.name !== body.top) this.#heldBy.add(body.name, bytes);
  }

  #beyond(held: number): number {
    return Math.max(0, held - this.#first);
  }
}
