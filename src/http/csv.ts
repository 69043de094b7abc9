/**
 * Sheets as answers, sent as they are read. Each takes a place until its reader has all of it or has gone: what it reads
 * of the database is read for nobody else meanwhile.
 */
import { AsyncResource } from 'node:async_hooks';
import type { Still } from '../core/actor.ts';
import { fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { HeldBytes } from '../platform/body-budget.ts';
import type { CutList } from '../platform/cut.ts';
import { writeLarge } from '../platform/large-answer.ts';
import { rangeSubject, turnSubject } from '../platform/limiter.ts';
import type { Stopping } from '../platform/stopping.ts';
import { Tally } from '../platform/tally.ts';
import { type RequestContext, turnOf } from './context.ts';

export interface Sheet {
  filename: string;
  /** Parts of some hundred lines; the next is read when the one before has been taken. */
  pages: AsyncGenerator<string>;
  headers?: Record<string, string>;
}

/** What routes that answer sheets need. */
export interface SheetDeps {
  sheets: Sheets;
}

export class Sheets {
  #open = 0;
  readonly #openOf = new Tally<string>();
  /** What ends those whose readers take nothing, the longest first. */
  readonly #still = new Set<() => void>();

  constructor(
    readonly deps: { cut: CutList; stopping: Pick<Stopping, 'track'> },
    readonly most: number = limits.sheetsAtOnce,
  ) {}

  get open(): number {
    return this.#open;
  }

  /**
   * Its first page is read before the answer begins, so that a refusal is still one. Between two pages he who reads is
   * asked for again: where he may no more, the answer breaks off, so that it does not look whole.
   * Throws SHEETS_OPEN where too many are under way, and what `open` and the first page throw.
   */
  async answer(
    { request, context, still }: { request: Request; context: RequestContext; still: Still },
    open: () => Sheet | Promise<Sheet>,
  ): Promise<Response> {
    const leave = this.#enter(context);
    const held = this.#givingWay(leave);
    const { sheetSlowMs: slowMs } = limits;
    const writing = writeLarge({ left: request.signal, cut: this.deps.cut, held, slowMs });
    void this.deps.stopping.track(writing.written).then(leave);
    try {
      const { filename, pages, headers } = await open();
      // Whoever pulls, it is read on behalf of who asked.
      const next = AsyncResource.bind(async () => {
        await still();
        return pages.next();
      });
      const first = await pages.next();
      // Nobody reads what follows a head that was asked for alone.
      if (request.method === 'HEAD') writing.abandon();
      return writing.answerOf(from(first, next, pages), {
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="${filename}"`,
          'cache-control': 'no-store',
          ...headers,
        },
      });
    } catch (error) {
      writing.abandon();
      throw error;
    }
  }

  #enter(context: RequestContext): () => void {
    const { clientIp } = context;
    const places = [
      [`share:${turnOf(context).who}`, limits.sheetsOfUser],
      [`network:${turnSubject(clientIp)}`, limits.sheetsOfNetwork],
      [`range:${rangeSubject(clientIp)}`, limits.sheetsOfRange],
    ] as const;
    const isFull = places.some(([name, most]) => this.#openOf.of(name) >= most);
    if (isFull || !this.#hasPlace()) throw fail('SHEETS_OPEN', { retryAfterSec: RETRY_SEC });
    this.#count(places, 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.#count(places, -1);
      isOpen = false;
    };
  }

  /** Whether there is a place; of those who take nothing the longest gives way. */
  #hasPlace(): boolean {
    if (this.#open < this.most) return true;
    const [end] = this.#still;
    end?.();
    return end !== undefined;
  }

  /** What is told while a reader stands still: a sheet takes no room, only its place. */
  #givingWay(leave: () => void): Pick<HeldBytes, 'keep' | 'comes'> {
    return {
      keep: () => undefined,
      comes: (stop) => {
        const end = () => {
          this.#still.delete(end);
          leave();
          stop(fail('SHEETS_OPEN'));
        };
        this.#still.add(end);
        return () => void this.#still.delete(end);
      },
    };
  }

  #count(places: readonly (readonly [name: string, most: number])[], amount: 1 | -1): void {
    this.#open += amount;
    for (const [name] of places) this.#openOf.add(name, amount);
  }
}

/** By then some download has ended, where they are read at all. */
const RETRY_SEC = 10;

async function* from(
  first: IteratorResult<string>,
  next: () => Promise<IteratorResult<string>>,
  pages: AsyncGenerator<string>,
): AsyncGenerator<string> {
  try {
    for (let page = first; !page.done; page = await next()) yield page.value;
  } finally {
    await pages.return(undefined);
  }
}
