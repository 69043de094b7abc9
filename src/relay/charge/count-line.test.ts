import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { limits } from '../../core/limits.ts';
import { mostTokens, sizeOfText, type TextSize } from '../../core/text-tokens.ts';
import { type CountedFor, CountLine } from './count-line.ts';
import type { CountAnswer, CountQuestion } from './tokens-worker.ts';

/** A tokenizer by which blanks are nothing. */
const tokensIn = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + text.replaceAll(' ', '').length, 0);

const sumOfSizes = (a: TextSize, b: TextSize): TextSize => ({
  bytes: a.bytes + b.bytes,
  dense: a.dense + b.dense,
});

/** A line whose thread counts when it is told to, and whose time is over when it is told so. */
class Bench {
  readonly ended: number[] = [];
  #asked: CountQuestion | null = null;
  readonly #waits = new Set<() => void>();
  #told: { answered(answer: CountAnswer): void; lost(): void } | null = null;
  readonly #line = new CountLine({
    start: (told) => {
      this.#told = told;
      return { ask: (question) => (this.#asked = question), stop: () => undefined };
    },
    later: (work) => {
      this.#waits.add(work);
      return () => this.#waits.delete(work);
    },
  });

  async count(text: string | readonly string[], whom: CountedFor): Promise<number> {
    const tokens = await this.#line.count([text].flat(), 'cl100k', whom);
    this.ended.push(whom.userId);
    return tokens;
  }

  /** The thread counts so many characters, or all that wait. */
  async counts(chars = Number.POSITIVE_INFINITY): Promise<void> {
    for (let counted = 0; this.#asked && counted < chars; ) {
      const { texts } = this.#asked;
      this.#asked = null;
      counted += texts.join('').length;
      this.#told?.answered({ tokens: tokensIn(texts) });
    }
    await Promise.resolve();
  }

  timeIsOver(): void {
    for (const work of [...this.#waits]) work();
  }

  loseThread(): void {
    this.#told?.lost();
  }
}

const DENSE = '机器学习'.repeat(50_000);
/** What the thread counts in a second or so. */
const SECOND_CHARS = 2 * DENSE.length;

describe('the line of counts', () => {
  it('charges each of sixty dense prompts at once as one by itself', async () => {
    const bench = new Bench();
    const all = Array.from({ length: 60 }, () => bench.count(DENSE, { userId: 1 }));
    await bench.counts(SECOND_CHARS);
    bench.timeIsOver();
    for (const tokens of await Promise.all(all)) expect(tokens / DENSE.length).toBeCloseTo(1, 1);
  });

  it('takes what stands for a text from all over it', async () => {
    const text = `${' '.repeat(100_000)}${DENSE.slice(0, 100_000)}`;
    const bench = new Bench();
    const all = Array.from({ length: 100 }, () => bench.count(text, { userId: 1 }));
    await bench.counts(SECOND_CHARS);
    bench.timeIsOver();
    const counted = await Promise.all(all);
    const mean = counted.reduce((sum, tokens) => sum + tokens, 0) / counted.length;
    expect(mean).toBeGreaterThan(80_000);
    expect(mean).toBeLessThan(120_000);
    // Of one stretch alone all would be nothing, or twice as much.
    expect(counted.filter((tokens) => tokens > 10_000 && tokens < 190_000).length).toBeGreaterThan(90);
  });

  it.each([4_096, 2 * limits.countedChars])(
    'leaves out no place of a text of %d characters',
    async (chars) => {
      // Of each part of which a piece is looked at, the dense ones are at both ends.
      const [eighth, window] = [chars / 8, (2_048 * chars) / limits.countedChars];
      const part = chars > limits.countedChars ? window : eighth;
      const quarter = DENSE.slice(0, part / 4);
      const text = `${quarter}${' '.repeat(part / 2)}${quarter}`.repeat(chars / part);
      let sum = 0;
      for (let n = 0; n < 120; n++) {
        const bench = new Bench();
        const count = bench.count(text, { userId: 1 });
        await bench.counts(chars > limits.countedChars ? undefined : 1);
        bench.timeIsOver();
        sum += await count;
      }
      expect(sum / (120 * chars)).toBeCloseTo(0.5, 1);
    },
  );

  it('charges what nobody came to count as the most that it can be', async () => {
    for (const text of ['four', 'The quick brown fox. '.repeat(20_000), DENSE, DENSE.repeat(8)]) {
      for (const end of ['timeIsOver', 'loseThread'] as const) {
        const bench = new Bench();
        const count = bench.count(text, { userId: 1 });
        bench[end]();
        expect((await count) / mostTokens(sizeOfText(text))).toBeCloseTo(1, 1);
      }
    }
  });

  it('is exact where there is time, whoever else is counted for', async () => {
    const bench = new Bench();
    const text = `${DENSE} 8,192 ${' '.repeat(5_000)}😀`;
    const all = [1, 1, 2, 3].map((userId) => bench.count(text, { userId }));
    await bench.counts();
    for (const tokens of await Promise.all(all)) expect(tokens).toBe(tokensIn([text]));
  });

  it('counts halves of surrogate pairs, alone in each of many texts, as any other characters', async () => {
    const pieces = fc.constantFrom('\ud83d', '\udc00', '😀', '机');
    const said = fc.array(fc.string({ unit: pieces, minLength: 1, maxLength: 5 }), {
      minLength: 1,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(said, fc.constantFrom(1, 50, 200, 600), async (some, times) => {
        const texts = Array.from({ length: times }, () => some).flat();
        const all = texts.join('');
        const most = mostTokens(texts.map(sizeOfText).reduce(sumOfSizes));
        const [exact, sampled, uncounted, lost] = [new Bench(), new Bench(), new Bench(), new Bench()];
        const counts = [exact, sampled, uncounted, lost].map((bench) => bench.count(texts, { userId: 1 }));
        await exact.counts();
        await sampled.counts(1);
        sampled.timeIsOver();
        uncounted.timeIsOver();
        lost.loseThread();
        const [known = 0, ...guesses] = await Promise.all(counts);
        expect(known).toBe(tokensIn(texts));
        expect(known).toBeWithin(1, most + 1);
        for (const guess of guesses) {
          expect(guess).toSatisfy(Number.isSafeInteger);
          // What stands for the rest may be denser than that: no character has more than three tokens.
          expect(guess).toBeWithin(1, 3 * all.length + 1);
        }
      }),
      { examples: [[['\udc00'], 3_000]] },
    );
  });

  it('goes round by users', async () => {
    const bench = new Bench();
    for (let n = 0; n < 60; n++) void bench.count(DENSE, { userId: 1 });
    await bench.counts(SECOND_CHARS);
    const other = bench.count(DENSE, { userId: 2 });
    await bench.counts(2.1 * DENSE.length);
    expect(bench.ended).toEqual([2]);
    expect(await other).toBe(DENSE.length);
  });

  it('has a place for whoever comes while one user fills it', async () => {
    const bench = new Bench();
    for (let n = 0; n < limits.countsWaiting; n++) void bench.count(DENSE, { userId: 1 });
    const other = bench.count(DENSE, { userId: 2 });
    await Promise.resolve();
    expect(bench.ended).toEqual([1]);
    await bench.counts(2.1 * DENSE.length);
    expect(bench.ended).toEqual([1, 2]);
    expect(await other).toBe(DENSE.length);
  });

  it('counts settlements before what somebody only asks', async () => {
    const bench = new Bench();
    const question = bench.count(DENSE, { userId: 1, kind: 'question' });
    const settlement = bench.count('word', { userId: 2 });
    await bench.counts();
    expect(bench.ended).toEqual([2, 1]);
    expect(await Promise.all([question, settlement])).toEqual([DENSE.length, 4]);
  });
});
