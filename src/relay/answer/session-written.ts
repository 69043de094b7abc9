/** What was written down of a session's sound, and by whom as far as anybody can tell. */
import type { DoneBeside } from '../../core/price-formula.ts';
import { noUsage, sumOfUsage, type Usage } from '../../core/usage.ts';
import type { Transcriber } from './transcriber.ts';

/** The model of the session, or the one that the caller has named. */
export type Writer = 'own' | 'named';

/** So many items. */
interface Written {
  usage: Usage;
  items: number;
}
const NOTHING: Written = { usage: noUsage(), items: 0 };

const sumOfWritten = (a: Written, b: Written): Written => ({
  usage: sumOfUsage(a.usage, b.usage),
  items: a.items + b.items,
});

/** What a session has used; `written`: items that its own model wrote down. */
export interface Used {
  usage: Usage;
  written: number;
  transcribed: DoneBeside | undefined;
}

export class WrittenDown {
  /** The one that the caller has named for it: in this session there is no other one. */
  transcriber: Transcriber | undefined;
  #own = NOTHING;
  /** By the word of the upstream. */
  #named = NOTHING;
  /** The upstream did not say which of them did it. */
  #either = NOTHING;

  /** Two models may do it, each at its own price. */
  get isByTwo(): boolean {
    return Boolean(this.transcriber?.price);
  }

  /** Whoever a caller names, only the upstream knows who writes: `isByNamed` is its word that the named one does. */
  writerOf(isByNamed: boolean): Writer | 'either' {
    if (!this.isByTwo) return 'own';
    return isByNamed ? 'named' : 'either';
  }

  add(usage: Usage, items: number, writer: Writer | 'either'): void {
    const more = { usage, items };
    if (writer === 'own') this.#own = sumOfWritten(this.#own, more);
    else if (writer === 'named') this.#named = sumOfWritten(this.#named, more);
    else this.#either = sumOfWritten(this.#either, more);
  }

  /** What a session has used beside `usage` of its answers, if this one did what either did. */
  usedIf(writer: Writer, usage: Usage): Used {
    const { transcriber } = this;
    const own = writer === 'own' ? sumOfWritten(this.#own, this.#either) : this.#own;
    const named = writer === 'named' ? sumOfWritten(this.#named, this.#either) : this.#named;
    return {
      usage: sumOfUsage(usage, own.usage),
      written: own.items,
      transcribed: transcriber?.price
        ? { model: transcriber.model, price: transcriber.price, usage: named.usage, calls: named.items }
        : undefined,
    };
  }
}
