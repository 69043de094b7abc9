import { expect, it, spyOn } from 'bun:test';
import { DECIMAL_ONE } from '../../core/decimal.ts';
import { limits } from '../../core/limits.ts';
import type { Price } from '../../core/price-formula.ts';
import { AS_SHOWN } from '../../core/vendor-bill.ts';
import { realtimeTools } from '../../dialects/asked-tools.ts';
import { Answer, OpenAnswers } from './session-answers.ts';
import { NOTHING_TO_READ } from './session-bounds.ts';
import { Conversation } from './session-context.ts';
import { SessionCost } from './session-cost.ts';

const ratios = {
  ...{
    model: DECIMAL_ONE,
    completion: DECIMAL_ONE,
    cacheRead: DECIMAL_ONE,
    cacheReadAudio: DECIMAL_ONE,
    cacheWrite: DECIMAL_ONE,
  },
  ...{ cacheWriteHour: DECIMAL_ONE, audio: DECIMAL_ONE, audioCompletion: DECIMAL_ONE },
  ...{ image: DECIMAL_ONE, imageCompletion: DECIMAL_ONE, video: DECIMAL_ONE },
};
const TOKENS: Price = { kind: 'tokens', ratios };
const CALLS: Price = { kind: 'call', usd: DECIMAL_ONE };

function costAt(price: Price) {
  const conversation = new Conversation('gpt-realtime');
  const open = new OpenAnswers();
  const call = {
    request: { id: 'r', startedAt: 0 },
    caller: { userId: 1, tokenId: 1 },
    quote: {
      sold: 'gpt-realtime',
      price,
      groupRatio: DECIMAL_ONE,
      userGroupRatio: null,
      source: 'option',
      selfUse: false,
    } as const,
    toolPrices: { web_search: DECIMAL_ONE },
    held: 0,
  };
  const cost = new SessionCost(call, { get: () => ({}) }, conversation, open);
  const wish = (isApart: boolean, output: number): Answer => {
    const bound = { prompt: NOTHING_TO_READ, output, isCapped: true };
    const answer = new Answer(isApart, bound, conversation.begin(), AS_SHOWN);
    open.add(answer);
    return answer;
  };
  return { cost, wish };
}

it('weighs tools that are asked for as it does once they are there, with what answers under way have used of them', () => {
  const { cost, wish } = costAt(CALLS);
  const answer = wish(false, 1);
  answer.begin('resp_1', false);
  for (let n = 0; n < 20; n++) {
    const item = { type: 'web_search_call', id: `ws_${n}` };
    answer.uses.hear(JSON.stringify({ type: 'response.output_item.done', response_id: 'resp_1', item }));
  }
  const next = { toCome: NOTHING_TO_READ, others: [answer.bound] };
  const before = cost.costWith(next);
  const tools = cost.tools.with(realtimeTools({ tools: [{ type: 'web_search' }] }));
  const asked = cost.costWith({ ...next, tools });
  cost.tools = tools;
  expect(asked).toBe(cost.costWith(next));
  expect(asked).toBeGreaterThan(before);
});

it('holds nothing more when the last answer has ended, though another one was refused in the meantime', () => {
  const { cost, wish } = costAt(TOKENS);
  const answer = wish(false, 1_000);
  answer.begin('resp_1', false);
  wish(true, 10);
  const later = performance.now() + limits.answerBeginsMs + 1;
  const clock = spyOn(performance, 'now').mockReturnValue(later);
  cost.end(answer);
  const left = cost.costWith({ toCome: NOTHING_TO_READ, others: [] });
  clock.mockRestore();
  expect(left).toBe(0);
});
