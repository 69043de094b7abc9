import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { decimalOf } from './decimal.ts';
import {
  believedUses,
  dearestUses,
  mostOf,
  NO_TOOLS,
  type PaidTools,
  sumOf,
  usesAhead,
} from './paid-tools.ts';
import type { ToolUses } from './price-formula.ts';

const prices = { web_search: decimalOf(10) ?? 0n, code: decimalOf(30) ?? 0n, low: 1n, high: 9n };
const usual = { default: 5, deep: 40, high: 2 };
const tool = (as: string | string[], most: number | null = null, more = {}) => ({
  as: [as].flat(),
  most,
  ...more,
});
const asked = (tools: PaidTools['tools'], together: number | null = null): PaidTools => ({ tools, together });

describe('what is held for tools', () => {
  it.each<[what: string, paid: PaidTools, uses: object]>([
    ['is what the request allows', asked([tool('web_search', 3)]), { web_search: 3 }],
    ['is the usual number where it does not say', asked([tool('web_search')]), { web_search: 5 }],
    ['is that of its kind', asked([tool('web_search', null, { usual: 'deep' })]), { web_search: 40 }],
    ['is of the dearest that it can be', asked([tool(['low', 'high'])]), { high: 5 }],
    [
      'adds tools up',
      asked([tool('web_search', 2), tool('web_search', 3), tool('code', 1)]),
      { web_search: 5, code: 1 },
    ],
    ['is no more than all together', asked([tool('web_search'), tool('code')], 4), { code: 4 }],
    [
      'fills up with the cheaper',
      asked([tool('web_search'), tool('code', 1)], 4),
      { code: 1, web_search: 3 },
    ],
    [
      'is beside a limit of all for what that does not count',
      asked([tool('web_search'), tool('code', 9, { apart: true })], 1),
      { web_search: 1, code: 9 },
    ],
    [
      'is of the dearest by what each is asked to do',
      asked([tool(['low', 'high'], null, { times: { low: 20, high: 2 } })]),
      { low: 100 },
    ],
    ['is bounded', asked([tool('web_search', 1e9)]), { web_search: 1000 }],
    ['is nothing for none', asked([tool('web_search', 0)]), {}],
  ])('%s', (_, paid, uses) => {
    expect(dearestUses(paid, prices, usual)).toEqual(uses as never);
  });

  it('is one ahead of a stream where the request leaves the number open', () => {
    expect(
      usesAhead({ web_search: 2, code: 2, other: 9 }, asked([tool('web_search'), tool('code', 3)]), usual),
    ).toEqual({
      web_search: 3,
      code: 2,
    });
  });
});

describe('uses that an answer tells', () => {
  it.each<[told: ToolUses, paid: PaidTools, unasked: boolean]>([
    [{ web_search: 2, code: 1 }, asked([tool('web_search')]), true],
    [{ web_search: 2, code: 1 }, asked([tool('web_search', null, { told: ['code'], once: true })]), false],
    [{ code: 1 }, NO_TOOLS, true],
    [{ code: 0 }, NO_TOOLS, false],
    // What is not sold is paid by nobody, whoever has set it off.
    [{ web_search: 2, other: 1 }, asked([tool('web_search')]), false],
  ])('are unasked where the request could not set off what is sold: %j, %j', (told, paid, unasked) => {
    const believed = believedUses(told, paid, prices, usual);
    expect(believed).toMatchObject({ unasked, suspect: false });
    expect(Object.keys(believed.uses)).toEqual(paid.tools.flatMap(({ as }) => as));
  });

  it('are charged as several where they were asked to do more', () => {
    const paid = asked([tool(['low', 'high']), tool(['low', 'high'], null, { times: { low: 3 } })]);
    expect(believedUses({ low: 2, high: 1 }, paid, prices, usual)).toEqual({
      uses: { low: 6, high: 1 },
      suspect: false,
      unasked: false,
    });
    expect(usesAhead({ low: 1 }, paid, usual)).toEqual({ low: 6 });
  });

  it('are charged as what was asked for', () => {
    const paid = asked([tool('low', null, { told: ['low', 'high'] })]);
    expect(believedUses({ high: 2 }, paid, prices, usual)).toEqual({
      uses: { low: 2 },
      suspect: false,
      unasked: false,
    });
  });

  it('are believed a little beyond a limit, and several times beyond a usual number', () => {
    const limited = asked([tool('web_search', 3)]);
    expect(believedUses({ web_search: 11 }, limited, prices, usual)).toEqual({
      uses: { web_search: 11 },
      suspect: false,
      unasked: false,
    });
    expect(believedUses({ web_search: 12 }, limited, prices, usual)).toEqual({
      uses: { web_search: 3 },
      suspect: true,
      unasked: false,
    });
    const open = asked([tool('web_search')]);
    expect(believedUses({ web_search: 50 }, open, prices, usual).suspect).toBe(false);
    expect(believedUses({ web_search: 51 }, open, prices, usual)).toEqual({
      uses: { web_search: 50 },
      suspect: true,
      unasked: false,
    });
  });

  it('are all of them where an answer tells them when they are over, though no more can be held', () => {
    const late = asked([tool('web_search', null, { toldLate: true })]);
    expect(believedUses({ web_search: 50 }, late, prices, usual)).toEqual({
      uses: { web_search: 50 },
      suspect: false,
      unasked: false,
    });
    expect(believedUses({ web_search: 51 }, late, prices, usual)).toEqual({
      uses: { web_search: 50 },
      suspect: true,
      unasked: false,
    });
    expect(usesAhead({ web_search: 50 }, late, usual)).toEqual({ web_search: 5 });
  });

  it('are told by names that objects have of their own', () => {
    const paid = asked([tool('constructor', 2)]);
    expect(dearestUses(paid, prices, usual)).toEqual({ constructor: 2 } as never);
    expect(usesAhead({}, paid, usual)).toEqual({});
    expect(believedUses({}, paid, prices, usual)).toEqual({ uses: {}, suspect: false, unasked: false });
    expect(believedUses({ constructor: 2 } as never, paid, prices, usual).uses).toEqual({
      constructor: 2,
    } as never);
    expect(sumOf({}, { constructor: 2 } as never)).toEqual({ constructor: 2 } as never);
    expect(mostOf({}, { constructor: 2 } as never)).toEqual({ constructor: 2 } as never);
  });

  it('are those of tools that share a name, however these are told apart', () => {
    const paid = asked([tool('low', 1), tool('high', 1), tool(['low', 'high'], 1)]);
    expect(believedUses({ low: 5, high: 6 }, paid, prices, usual)).toEqual({
      uses: { low: 5, high: 6 },
      suspect: false,
      unasked: false,
    });
    expect(believedUses({ low: 6, high: 6 }, paid, prices, usual)).toEqual({
      uses: { low: 3 },
      suspect: true,
      unasked: false,
    });
  });

  it('are found among thousands of tools at once', () => {
    const paid = asked(Array.from({ length: 30_000 }, (_, n) => tool(`tool_${n}`)));
    const told = Object.fromEntries(paid.tools.slice(-1_000).map(({ as: [name] }) => [String(name), 1]));
    expect(believedUses(told, paid, prices, usual)).toEqual({ uses: told, suspect: false, unasked: false });
    expect(Object.keys(usesAhead(told, paid, usual))).toHaveLength(1_000);
  });

  it('are never more than was told, and covered by what is held while they keep to the request', () => {
    const names = fc.constantFrom('web_search', 'code');
    const some = fc.array(fc.tuple(names, fc.integer({ min: 0, max: 20 })), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(some, fc.double({ min: 0, max: 1, noNaN: true }), (list, share) => {
        const paid = asked(list.map(([name, most]) => tool(name, most)));
        const told: Record<string, number> = {};
        for (const [name, most] of list) told[name] = (told[name] ?? 0) + Math.floor(most * share);
        const { uses, suspect } = believedUses(told, paid, prices, usual);
        const held = dearestUses(paid, prices, usual);
        expect(suspect).toBe(false);
        for (const [name, count] of Object.entries(told)) {
          expect(uses[name] ?? 0).toBe(count);
          expect(held[name] ?? 0).toBeGreaterThanOrEqual(count);
        }
      }),
    );
  });
});
