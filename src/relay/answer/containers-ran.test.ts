import { expect, it } from 'bun:test';
import type { PaidTool, PaidTools } from '../../core/paid-tools.ts';
import { asRan, type Ran } from './containers-ran.ts';

/** An interpreter for which one of a gigabyte is made, and which may go on in one of 64. */
const ASKED: PaidTool = {
  as: ['code_interpreter_64g'],
  told: ['code_interpreter', 'code_interpreter_somewhere'],
  most: null,
  always: 1,
  container: { kind: 'code_interpreter', gigabytes: 1, makes: 1, isSure: true },
};
const SEARCH: PaidTool = { as: ['web_search'], most: null, always: 1 };
const paid: PaidTools = { tools: [ASKED, SEARCH], together: null };

const ranIn = (gigabytes: number | null, due: number): Ran => ({
  tool: 'code_interpreter',
  id: `cntr_${gigabytes}`,
  isDone: true,
  due,
  ...(gigabytes !== null && {
    kept: {
      channelId: 1,
      keyId: 1,
      kind: 'code_interpreter',
      gigabytes,
      paidSec: 0,
      usedSec: 0,
      lastSec: 0,
    },
  }),
});

const dueOf = (uses: Record<string, number>, ran: Ran[] | undefined, isSure = true) => {
  const asked = { ...ASKED, container: ASKED.container && { ...ASKED.container, isSure } };
  const as = asRan({ web_search: 2, ...uses }, { ...paid, tools: [asked, SEARCH] }, ran);
  return Object.fromEntries(Object.entries(as.uses).filter(([, count]) => count > 0));
};

it.each<[what: string, uses: Record<string, number>, ran: Ran[], isSure: boolean, due: object]>([
  ['none was seen: that which was made', {}, [], true, { code_interpreter: 1 }],
  ['the one that was made', { code_interpreter: 1 }, [ranIn(1, 1)], true, { code_interpreter: 1 }],
  ['one that is paid for, in which it goes on', { code_interpreter: 1 }, [ranIn(64, 0)], true, {}],
  [
    'each by its size',
    { code_interpreter: 2 },
    [ranIn(64, 3), ranIn(1, 1)],
    true,
    { code_interpreter_64g: 3, code_interpreter: 1 },
  ],
  [
    'one of its caller’s, beside the one that was made',
    { code_interpreter: 1 },
    [ranIn(64, 2)],
    false,
    { code_interpreter_64g: 2, code_interpreter: 1 },
  ],
  [
    'one of which nobody knows the size',
    { code_interpreter: 1 },
    [ranIn(null, 1)],
    false,
    { code_interpreter_64g: 1 },
  ],
  [
    'calls that name none',
    { code_interpreter: 1, code_interpreter_somewhere: 2 },
    [ranIn(1, 1)],
    true,
    { code_interpreter_64g: 2, code_interpreter: 1 },
  ],
])('is due where containers were seen: %s', (_what, uses, ran, isSure, due) => {
  expect(dueOf(uses, ran, isSure)).toEqual({ web_search: 2, ...due });
});

it('is what was told where nobody saw them', () => {
  const uses = { code_interpreter: 1 };
  expect(asRan(uses, paid, undefined)).toEqual({ uses, paid });
});

it('is no more of a tool’s than was seen, whatever is always due of others', () => {
  const { paid: seen } = asRan({}, paid, [ranIn(64, 0)]);
  expect(seen.tools.map(({ as, always }) => [as[0], always])).toEqual([
    ['code_interpreter_64g', undefined],
    ['web_search', 1],
  ]);
});
