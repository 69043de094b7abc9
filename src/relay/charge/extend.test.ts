import { describe, expect, it } from 'bun:test';
import { EVEN_QUOTE } from '../../../tests/support/even-quote.ts';
import type { ReserveResult } from '../../billing/billing.ts';
import { DECIMAL_ONE } from '../../core/decimal.ts';
import type { PaidTools } from '../../core/paid-tools.ts';
import { OUTPUT_AT_ONCE } from '../../core/price-bound.ts';
import { NO_READING, type Reading } from '../../core/tool-reading.ts';
import type { RequestFacts } from '../../dialects/dialect.ts';
import { plainFacts } from '../../dialects/plain/plain.ts';
import type { StreamEnd } from './call.ts';
import { promptHeld } from './estimate.ts';
import { extendAsItGrows, type GrowingStream } from './extend.ts';

/** Three units are the frame of the reply. */
const HELD = 1_003;

const SEARCH: PaidTools = { tools: [{ as: ['web_search'], most: null }], together: null };

interface Growing {
  facts: Partial<RequestFacts>;
  held: number;
  reading: Reading;
  paid: PaidTools;
}

/** A stream whose balance answers one question after the other as it is told, and what is held for it at first. */
function growing(
  answers: (ReserveResult | Error)[],
  { facts = {}, held = HELD, reading = NO_READING, paid = SEARCH }: Partial<Growing> = {},
) {
  const asked: number[] = [];
  const ended: StreamEnd[] = [];
  const call = {
    request: { id: 'r', facts: plainFacts('m', { stream: true, outputCap: null, ...facts }) },
    caller: { userId: 1, tokenId: 1 },
    quote: EVEN_QUOTE,
    toolPrices: { web_search: DECIMAL_ONE },
    held,
    heldForTools: 0,
    reading,
    isSettled: false,
  };
  const stream = {
    pump: {
      onProgress: null as (() => void) | null,
      stop: (end: StreamEnd) => void ended.push(end),
    },
    meter: { cap: null, tokens: 0, summary: 0 },
    tools: { looks: 0, uses: {}, found: [] as number[], listed: [] as number[] },
    paid,
  } satisfies GrowingStream;
  let now = 0;
  const deps = {
    billing: {
      extend: async ({ amount }: { amount: number }) => {
        asked.push(amount);
        const answer = answers.shift() ?? 'granted';
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    options: { get: () => ({}) },
    log: { warn: () => undefined },
  };
  extendAsItGrows(call, stream, deps, () => now);
  return {
    asked,
    ended,
    call,
    stream,
    wait: (ms: number) => {
      now += ms;
    },
    async progress(tokens: number) {
      stream.meter.tokens = tokens;
      stream.pump.onProgress?.();
      await Bun.sleep(0);
    },
  };
}

const away = () => new Error('the database is away');

describe('what is held for a stream', () => {
  it('is as much again when it nears that, and nothing before', async () => {
    const { asked, call, progress } = growing([]);
    await progress(700);
    expect(asked).toEqual([]);
    await progress(900);
    expect([asked, call.held]).toEqual([[HELD], 2 * HELD]);
    await progress(1_000);
    expect(asked).toHaveLength(1);
  });

  it('ends with the balance', async () => {
    const { ended, progress } = growing(['refused']);
    await progress(900);
    expect(ended).toEqual(['exhausted']);
  });

  it('is asked for again after a failure, when the stream goes on and a while has passed', async () => {
    const { asked, call, ended, progress, wait } = growing([away(), away()]);
    await progress(900);
    await progress(910);
    expect(asked).toHaveLength(1);
    wait(1_000);
    await progress(920);
    expect(asked).toHaveLength(2);
    // Twice as long after the second.
    wait(1_000);
    await progress(930);
    expect(asked).toHaveLength(2);
    wait(1_000);
    await progress(940);
    expect([asked.length, call.held, ended]).toEqual([3, 2 * HELD, []]);
    // And as soon as ever after a success.
    await progress(1_900);
    expect(asked).toHaveLength(4);
  });

  it('is asked for at most twice a minute, however long the balance cannot be asked', async () => {
    const { asked, progress, wait } = growing(Array.from({ length: 1_000 }, away));
    for (let n = 0; n < 3_600; n++) {
      wait(500);
      await progress(900);
    }
    expect(asked.length).toBeWithin(30, 70);
  });

  it('is asked for the use of a tool again after a failure', async () => {
    const { asked, call, stream, progress, wait } = growing([away()]);
    Object.assign(stream.tools, { looks: 1, uses: { web_search: 1 } });
    await progress(0);
    expect(call.heldForTools).toBe(0);
    wait(1_000);
    await progress(0);
    expect(asked).toEqual([1_000, 1_000]);
    expect(call.heldForTools).toBe(1_000);
  });

  it('is not asked for after the settlement', async () => {
    const { asked, call, progress, wait } = growing([away()]);
    await progress(900);
    call.isSettled = true;
    wait(10_000);
    await progress(990);
    expect(asked).toHaveLength(1);
  });
});

describe('what is held beside an answer', () => {
  /** Two readings of the frame of the reply, of which the second reads a summary that is written as well. */
  const summedUp = { facts: { sumsUpFrom: 0 }, held: 3 + 3 + 2 * OUTPUT_AT_ONCE + 1_000 };

  it('is no room of it where a conversation is summed up first', async () => {
    const { asked, progress } = growing([], summedUp);
    await progress(700);
    expect(asked).toEqual([]);
    await progress(900);
    // As much again as for the answer and its prompt.
    expect(asked).toEqual([HELD]);
  });

  it('is room of the summary where that is shown, and of no longer one', async () => {
    const { asked, stream, progress } = growing([], summedUp);
    stream.meter.summary = 20_000;
    await progress(20_700);
    expect(asked).toEqual([]);
    await progress(20_900);
    expect(asked).toEqual([HELD]);
    stream.meter.summary = 200_000;
    await progress(OUTPUT_AT_ONCE + 1_900);
    expect(asked).toHaveLength(2);
  });

  it('is more as soon as what a tool finds makes a conversation so long that it is summed up', async () => {
    const { asked, stream, progress } = growing([], {
      facts: { sumsUpFrom: 50_000 },
      held: HELD + 40_000,
      reading: { rounds: 0, tokens: 40_000 },
      paid: { tools: [], reads: [{ name: 'search', most: 1, tokens: 60_000 }], together: null },
    });
    Object.assign(stream.tools, { looks: 1, uses: { search: 1 }, found: [60_000] });
    await progress(700);
    expect(asked).toEqual([20_000 + 2 * 3 + 2 * OUTPUT_AT_ONCE]);
    await progress(900);
    expect(asked.slice(1)).toEqual([HELD]);
  });

  it('is no room of it where a channel says something before the prompt', async () => {
    const prompt = { ...plainFacts('m').prompt, systemBytes: 60_000 };
    const said = promptHeld(plainFacts('m', { prompt }), NO_READING).text;
    const { asked, progress } = growing([], { facts: { prompt }, held: said + 1_000 });
    expect(said).toBeGreaterThan(10_000);
    await progress(700);
    expect(asked).toEqual([]);
    await progress(900);
    expect(asked).toHaveLength(1);
  });
});
