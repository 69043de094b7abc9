import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  anyDecimal,
  anyQuote,
  anyRatios,
  anyTokenQuote,
  anyUsage,
  call,
  decimal,
  perCall,
  quote,
  ratios,
  used,
} from '../../tests/support/formula.ts';
import { outputCovered, reserveSteps } from './price-bound.ts';
import {
  chargeOf,
  type PriceTier,
  pricesThoughts,
  QUOTA_MAX,
  type Quote,
  quotaOf,
  settledQuote,
  type TokenRatios,
  tokensFor,
} from './price-formula.ts';
import { noUsage, promptTokens, sumOfUsage } from './usage.ts';

const ITEMS = [
  'input',
  'cacheRead',
  'cacheReadAudio',
  'cacheWrite',
  'cacheWriteHour',
  'inputAudio',
  'inputImage',
  'inputVideo',
  'output',
  'outputAudio',
  'outputImage',
] as const;

describe('the price of a call', () => {
  test('is the worked example: input, cached input and output, then the group', () => {
    const charge = chargeOf(
      quote({ model: 1.25, completion: 4, cacheRead: 0.5 }, 0.8),
      used({ input: 900, cacheRead: 300, output: 350 }),
    );
    expect(charge).toEqual({
      quota: 2450,
      lines: [
        { item: 'input', count: 900, factors: ['1.25'], weighted: '1125', usd: '2.5' },
        { item: 'cacheRead', count: 300, factors: ['1.25', '0.5'], weighted: '187.5', usd: '1.25' },
        { item: 'output', count: 350, factors: ['1.25', '4'], weighted: '1750', usd: '10' },
      ],
      sum: '3062.5',
      groupRatio: '0.8',
      exact: '2450',
      raisedToOne: false,
    });
  });

  test.each([
    ['half a unit is rounded up', quote({ model: 0.5 }), used({ input: 3 }), 2],
    ['less than half is rounded down', quote({ model: 0.49 }), used({ input: 3 }), 1],
    ['a hair under half stays down', quote({ model: 1 }, 0.499999999999), used({ input: 1001 }), 500],
    ['a token of a price above 0 costs at least 1', quote({ model: 0.000001 }), used({ output: 1 }), 1],
    ['also when only free items were used', quote({ model: 1, cacheRead: 0 }), used({ cacheRead: 9 }), 1],
    ['no tokens cost nothing', quote({ model: 75 }), noUsage(), 0],
    ['reasoning alone is no token: it is part of the output', quote({}), used({ reasoning: 7 }), 0],
    ['a free model costs nothing', quote({ model: 0 }), used({ input: 1e6 }), 0],
    ['a free group costs nothing', quote({ model: 75 }, 0), used({ input: 1e6 }), 0],
    [
      'spoken output has two ratios',
      quote({ audio: 16, audioCompletion: 2 }),
      used({ outputAudio: 10 }),
      320,
    ],
    ['an hour of cache has its own ratio', quote({ cacheWriteHour: 2 }), used({ cacheWriteHour: 10 }), 20],
    ['a price a call ignores tokens', perCall(0.04), used({ input: 1e6 }), 20_000],
    ['a price a call takes the group', perCall(0.04, 0.5), noUsage(), 10_000],
    ['a tiny price a call is still 1', perCall('0.000000000001'), noUsage(), 1],
    [
      'a ninth of a unit nine times is exact',
      quote({ model: 0.111111111111 }),
      used({ input: 9e12 }),
      999_999_999_999,
    ],
  ])('%s', (_, price, usage, quota) => {
    expect(quotaOf(price, usage)).toBe(quota);
  });

  test('counts the calls of a price a call, and none when nothing was produced', () => {
    expect(quotaOf(perCall(0.04), noUsage(), 3)).toBe(60_000);
    expect(quotaOf(perCall(0.04), noUsage(), 0)).toBe(0);
  });

  test('takes the ratio of the caller’s group in place of the group’s', () => {
    expect(quotaOf({ ...quote({}, 3), userGroupRatio: decimal(0.5) }, used({ input: 10 }))).toBe(5);
  });

  test('is a safe integer from 0 up, whatever the numbers', () => {
    const absurd = fc.oneof(anyDecimal, fc.constantFrom(decimal(1e9), decimal('1e-12'), 10n ** 60n));
    fc.assert(
      fc.property(anyRatios, absurd, fc.maxSafeNat(), fc.maxSafeNat(), (given, model, input, output) => {
        const quota = quotaOf(
          { ...quote({}), price: { kind: 'tokens', ratios: { ...given, model } } },
          used({ input, output }),
        );
        expect(Number.isSafeInteger(quota) && quota >= 0 && quota <= QUOTA_MAX).toBe(true);
      }),
    );
  });

  test('never falls when a token more is used or a ratio rises', () => {
    fc.assert(
      fc.property(
        anyTokenQuote,
        anyUsage,
        fc.constantFrom(...ITEMS),
        fc.nat(1000),
        (q, usage, item, more) => {
          const before = quotaOf(q, usage);
          expect(quotaOf(q, { ...usage, [item]: usage[item] + more })).toBeGreaterThanOrEqual(before);
          const dearer = { ...q, groupRatio: q.groupRatio + BigInt(more), userGroupRatio: null };
          expect(quotaOf(dearer, usage)).toBeGreaterThanOrEqual(
            quotaOf({ ...q, userGroupRatio: null }, usage),
          );
        },
      ),
    );
  });

  test('of two parts differs from that of the whole by at most one unit', () => {
    fc.assert(
      fc.property(anyTokenQuote, anyUsage, anyUsage, (q, a, b) => {
        const both = noUsage();
        for (const item of ITEMS) both[item] = a[item] + b[item];
        expect(Math.abs(quotaOf(q, a) + quotaOf(q, b) - quotaOf(q, both))).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('is the sum of its lines times the group, rounded half up once', () => {
    const scaled = (text: string): bigint => {
      const [whole = '', fraction = ''] = text.split('.');
      return BigInt(whole + fraction.padEnd(48, '0'));
    };
    const one = 10n ** 48n;
    fc.assert(
      fc.property(anyQuote, anyUsage, fc.nat(4), (q, usage, calls) => {
        const charge = chargeOf(q, usage, calls);
        const sum = charge.lines.reduce((total, line) => total + scaled(line.weighted), 0n);
        expect(scaled(charge.sum)).toBe(sum);
        expect(scaled(charge.exact)).toBe((sum * scaled(charge.groupRatio)) / one);
        expect((sum * scaled(charge.groupRatio)) % one).toBe(0n);
        const distance = BigInt(charge.quota) * one - scaled(charge.exact);
        if (charge.raisedToOne) expect(distance > one / 2n && distance <= one).toBe(true);
        else if (charge.quota < QUOTA_MAX) expect(distance > -one / 2n && distance <= one / 2n).toBe(true);
        for (const line of charge.lines) {
          const product = line.factors.reduce((p, factor) => (p * scaled(factor)) / one, one);
          if (line.item !== 'call') expect(scaled(line.weighted)).toBe(product * BigInt(line.count));
        }
        expect(quotaOf(q, usage, calls)).toBe(charge.quota);
      }),
    );
  });

  test.each([NaN, -1, 0.5, 2 ** 53, 1e308, Infinity])(
    'refuses %p as a count: a bug of the caller',
    (count) => {
      expect(() => quotaOf(quote({}), used({ output: count }))).toThrow('invariant');
      expect(() => quotaOf(perCall(1), noUsage(), count)).toThrow('invariant');
    },
  );
});

describe('a price of what a call that thinks says', () => {
  const anyRates = fc
    .tuple(anyRatios, anyDecimal)
    .map(([of, completion]) => ({ ratios: of, thinking: { ...of, completion } }));
  const anyTwo = fc.tuple(anyRates, anyRates, fc.nat(100_000)).chain(([low, high, upTo]) => {
    const tiers = [
      { upTo, ...low },
      { upTo: null, ...high },
    ];
    return fc.constantFrom<Quote['price']>(
      { kind: 'tokens', ...low },
      { kind: 'tokens', ...low, tiers },
      { kind: 'tokens', ...low, byMonth: tiers },
    );
  });
  const anyThinker = fc.tuple(anyTwo, anyDecimal).map(([price, groupRatio]): Quote => {
    return { ...quote({}), groupRatio, price };
  });
  /** With one price for all that is said. */
  const as = (which: 'ratios' | 'thinking', { price, ...rest }: Quote): Quote => {
    if (price.kind === 'call') throw new Error('not by tokens');
    const one = (rates: { ratios: TokenRatios; thinking?: TokenRatios }): TokenRatios =>
      rates[which] ?? rates.ratios;
    const all = (tiers: readonly PriceTier[] = []) =>
      tiers.map((tier) => ({ upTo: tier.upTo, ratios: one(tier) }));
    return {
      ...rest,
      price: {
        kind: 'tokens',
        ratios: one(price),
        ...(price.tiers && { tiers: all(price.tiers) }),
        ...(price.byMonth && { byMonth: all(price.byMonth) }),
      },
    };
  };

  test('is that of all its output, whether thoughts are told or seen', () => {
    fc.assert(
      fc.property(anyThinker, anyUsage, (q, usage) => {
        const untold = { ...usage, reasoning: 0 };
        expect(quotaOf(q, untold)).toBe(quotaOf(as('ratios', q), untold));
        expect(quotaOf({ ...q, thinks: false }, untold)).toBe(quotaOf(as('ratios', q), untold));
        for (const each of [q, { ...q, thinks: false }])
          expect(quotaOf(each, { ...usage, reasoning: 1 })).toBe(quotaOf(as('thinking', q), usage));
        expect(quotaOf({ ...q, thinks: true }, untold)).toBe(quotaOf(as('thinking', q), untold));
        expect(pricesThoughts(q)).toBe(true);
      }),
    );
  });

  test('is held for, unless it is known to think nothing', () => {
    fc.assert(
      fc.property(anyThinker, fc.nat(200_000), fc.nat(100_000), fc.boolean(), (q, text, cap, extends_) => {
        const prompt = { text, audio: 0, image: 0 };
        const bound = call({ prompt, outputCap: cap, extends: extends_ });
        const [{ amount }] = reserveSteps(q, bound, 0);
        const usage = used({ input: text, output: cap });
        expect(quotaOf(q, usage)).toBeLessThanOrEqual(amount);
        expect(quotaOf(q, { ...usage, reasoning: cap })).toBeLessThanOrEqual(amount);
        expect(outputCovered(q, prompt, amount, false)).toBeLessThanOrEqual(
          outputCovered(as('thinking', q), prompt, amount, false),
        );
        const still = { ...q, thinks: false };
        expect(reserveSteps(still, bound, 0)).toEqual(reserveSteps(as('ratios', q), bound, 0));
        expect(outputCovered(still, prompt, amount, false)).toBe(
          outputCovered(as('ratios', q), prompt, amount, false),
        );
      }),
    );
  });

  test('names its line', () => {
    const q: Quote = {
      ...quote({}),
      price: { kind: 'tokens', ratios: ratios({ completion: 3 }), thinking: ratios({ completion: 10 }) },
    };
    const line = { count: 7, usd: '20', weighted: '70', factors: ['1', '10'] };
    expect(chargeOf(q, used({ output: 7, reasoning: 5 })).lines).toEqual([
      { item: 'outputThought', ...line },
    ]);
    expect(pricesThoughts(quote({}))).toBe(false);
    expect(pricesThoughts(perCall(1))).toBe(false);
  });
});

describe('a price by the length of the input', () => {
  const tier = (upTo: number | null, model: number, completion: number): PriceTier => ({
    upTo,
    ratios: ratios({ model, completion }),
  });
  const tiered = (tiers: [PriceTier, ...PriceTier[]], group = 1): Quote => ({
    ...quote({}, group),
    price: { kind: 'tokens', ratios: tiers[0].ratios, tiers },
  });
  const example = tiered([tier(200_000, 0.625, 8), tier(null, 1.25, 6)]);

  test.each([
    ['up to the bound', 200_000, 125_000 + 50, { from: 0, upTo: 200_000, count: 200_000 }],
    ['beyond it, as a whole', 200_001, 250_001 + 75, { from: 200_000, upTo: null, count: 200_001 }],
  ])('is, %s, that of one tier', (_, input, quota, span) => {
    expect(quotaOf(example, used({ input, output: 10 }))).toBe(quota);
    expect(settledQuote(example, used({ input, output: 10 })).price).toMatchObject({
      tier: { by: 'input', ...span },
    });
  });

  test('counts the cached parts of a prompt as its length', () => {
    const half = used({ input: 100_000, cacheRead: 100_001 });
    expect(settledQuote(example, half).price).toMatchObject({ tier: { from: 200_000 } });
  });

  const bounds = fc
    .uniqueArray(fc.integer({ min: 1, max: 1_000_000 }), { maxLength: 4 })
    .map((list) => list.sort((a, b) => a - b));
  const anyTiers = bounds.chain((ends) =>
    fc
      .array(anyRatios, { minLength: ends.length + 1, maxLength: ends.length + 1 })
      .map((list) => list.map((own, i): PriceTier => ({ upTo: ends[i] ?? null, ratios: own }))),
  );
  const anyTiered = fc.tuple(anyTiers, anyDecimal).map(([tiers, groupRatio]): Quote => {
    const [first] = tiers;
    if (!first) throw new Error('no tier');
    return { ...quote({}), groupRatio, price: { kind: 'tokens', ratios: first.ratios, tiers } };
  });
  const tiersOf = ({ price }: Quote): readonly PriceTier[] =>
    price.kind === 'tokens' ? (price.tiers ?? []) : [];

  test('charges what the one tier would charge alone', () => {
    fc.assert(
      fc.property(anyTiered, anyUsage, (q, usage) => {
        const length = promptTokens(usage);
        const fitting = tiersOf(q).filter(({ upTo }) => upTo === null || length <= upTo);
        const alone: Quote = { ...q, price: { kind: 'tokens', ratios: fitting[0]?.ratios ?? ratios() } };
        expect(quotaOf(q, usage)).toBe(quotaOf(alone, usage));
        expect(chargeOf(q, usage)).toEqual(chargeOf(alone, usage));
      }),
    );
  });

  /** Each tier is as dear as the one before it, or dearer. */
  const risingTiers = fc.tuple(bounds, anyRatios).map(([ends, cheapest]) =>
    [...ends, null].map(
      (upTo, i): PriceTier => ({
        upTo,
        ratios: { ...cheapest, model: cheapest.model * BigInt(i + 1) },
      }),
    ),
  );

  test('of an answer that took several calls goes by the longest of them', () => {
    const both = { input: 200_001, output: 10 };
    expect(settledQuote(example, { ...used(both), longest: 150_000 }).price).toMatchObject({
      tier: { upTo: 200_000, count: 150_000 },
    });
    // None is longer than all of them together.
    expect(settledQuote(example, { ...used({ input: 9 }), longest: 200_001 }).price).toMatchObject({
      tier: { count: 9 },
    });
    const calls = fc.array(anyUsage, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(risingTiers, calls, (tiers, each) => {
        const [first] = tiers;
        if (!first) throw new Error('no tier');
        const q: Quote = { ...quote({}), price: { kind: 'tokens', ratios: first.ratios, tiers } };
        const all = each.reduce(sumOfUsage);
        const longest = Math.max(...each.map(promptTokens));
        const charged = quotaOf(q, { ...all, longest });
        // Less than each call by its own length is never charged, nor more than all as one.
        const apart = each.reduce((sum, usage) => sum + quotaOf(q, usage), 0);
        expect(charged).toBeGreaterThanOrEqual(Math.min(apart, QUOTA_MAX) - each.length);
        expect(charged).toBeLessThanOrEqual(quotaOf(q, all));
      }),
    );
  });

  test('is held for the dearest tier that the prompt can come to', () => {
    const prompt = fc.record({
      text: fc.nat(1_200_000),
      audio: fc.nat(1000),
      image: fc.nat(1000),
      films: fc.nat(1000),
    });
    fc.assert(
      fc.property(
        anyTiered,
        prompt,
        fc.nat(100_000),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (q, bound, cap, share) => {
          const [{ amount }] = reserveSteps(q, call({ prompt: bound, outputCap: cap }), 500);
          const part = (most: number) => Math.floor(most * share);
          const usage = used({
            input: part(bound.text),
            inputAudio: part(bound.audio),
            inputImage: part(bound.image),
            inputVideo: part(bound.films),
            output: part(cap),
          });
          expect(quotaOf(q, usage)).toBeLessThanOrEqual(amount);
          const covered = outputCovered(q, bound, amount, false);
          expect(covered).toBeGreaterThanOrEqual(cap === 0 ? 0 : part(cap) === cap ? cap - 1 : 0);
        },
      ),
    );
  });

  test('says how much of an answer an amount pays for at the tier of its prompt', () => {
    const q = tiered([tier(100, 1, 1), tier(null, 5, 10)]);
    expect(tokensFor(2_000, q, used({ input: 200 }), 'output')).toBe(20);
    expect(tokensFor(2_000, q, used({ input: 100 }), 'output')).toBe(1_900);
    expect(tokensFor(1_000, q, used({ input: 200 }), 'output')).toBe(0);
    expect(tokensFor(2_000, perCall(1), used({ input: 200 }), 'output')).toBe(QUOTA_MAX);
    const monthly: Quote = {
      ...q,
      price: { kind: 'tokens', ratios: ratios(), byMonth: [tier(100, 1, 1), tier(null, 5, 10)] },
    };
    expect(tokensFor(2_000, monthly, used({ input: 100 }), 'output')).toBe(30);
    fc.assert(
      fc.property(anyTiered, fc.nat(1_200_000), fc.nat(1e9), (q, input, amount) => {
        const tokens = tokensFor(amount, q, used({ input }), 'output');
        fc.pre(tokens > 0 && tokens < QUOTA_MAX);
        expect(quotaOf(q, used({ input, output: tokens }))).toBeLessThanOrEqual(Math.max(amount, 1));
        expect(quotaOf(q, used({ input, output: tokens + 1 }))).toBeGreaterThanOrEqual(amount);
      }),
    );
  });

  test('is free when all of its tiers are', () => {
    const free = tiered([tier(10, 0, 1), tier(null, 0, 1)]);
    expect(quotaOf(free, used({ input: 100 }))).toBe(0);
    expect(reserveSteps(free, call(), 500)).toEqual([{ amount: 0, cap: null }]);
    expect(quotaOf(tiered([tier(10, 0, 1), tier(null, 1, 1)]), used({ input: 100 }))).toBe(100);
  });
});
