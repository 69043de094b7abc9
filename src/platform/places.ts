/** Places for so many at once, of which one may fill no more than a share of what the others leave. */
import { Tally } from './tally.ts';

export class Places<Who extends string | number> {
  #taken = 0;
  readonly #ofOne = new Tally<Who>();

  /** `share`: whoever comes next finds a place, and who is alone has most of them. */
  constructor(
    readonly most: number,
    readonly share: number,
  ) {}

  get taken(): number {
    return this.#taken;
  }

  /** Takes one, so that `give` must follow; else says why there is none. */
  take(who: Who): 'taken' | 'full' | 'share-full' {
    const own = this.of(who);
    const left = this.most - (this.#taken - own);
    if (this.#taken >= this.most) return 'full';
    if (own >= Math.max(1, Math.floor(left * this.share))) return 'share-full';
    this.#ofOne.add(who, 1);
    this.#taken++;
    return 'taken';
  }

  /** How many one has. */
  of(who: Who): number {
    return this.#ofOne.of(who);
  }

  /** One's place is another's from now on, whatever his share. */
  pass(from: Who, to: Who): void {
    this.give(from);
    this.#taken++;
    this.#ofOne.add(to, 1);
  }

  give(who: Who): void {
    this.#taken--;
    this.#ofOne.add(who, -1);
  }
}
