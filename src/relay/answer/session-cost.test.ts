import { expect, it } from 'bun:test';
import { DECIMAL_ONE } from '../../core/decimal.ts';
import { realtimeTools } from '../../dialects/asked-tools.ts';
import { Answer, OpenAnswers } from './session-answers.ts';
import { Conversation, NOTHING_TO_READ } from './session-context.ts';
import { SessionCost } from './session-cost.ts';

it('weighs tools that are asked for as it does once they are there, with what answers under way have used of them', () => {
  const conversation = new Conversation('gpt-realtime');
  const open = new OpenAnswers();
  const price = { kind: 'call' as const, usd: DECIMAL_ONE };
  const cost = new SessionCost(
    {
      request: { id: 'r', startedAt: 0 },
      caller: { userId: 1, tokenId: 1 },
      quote: { price, groupRatio: DECIMAL_ONE, userGroupRatio: null, source: 'option', selfUse: false },
      toolPrices: { web_search: DECIMAL_ONE },
      held: 0,
    },
    { get: () => ({}) },
    conversation,
    open,
  );
  const bound = { prompt: NOTHING_TO_READ, output: 1, isCapped: true };
  const answer = new Answer(false, bound, { keptBytes: 0, begin: () => conversation.begin() });
  open.add(answer);
  answer.begin('resp_1', false);
  for (let n = 0; n < 20; n++) {
    const item = { type: 'web_search_call', id: `ws_${n}` };
    answer.uses.hear(JSON.stringify({ type: 'response.output_item.done', response_id: 'resp_1', item }));
  }
  const next = { toCome: NOTHING_TO_READ, others: [bound] };
  const before = cost.with(next);
  const tools = cost.tools.with(realtimeTools({ tools: [{ type: 'web_search' }] }));
  const asked = cost.with({ ...next, tools });
  cost.tools = tools;
  expect(asked).toBe(cost.with(next));
  expect(asked).toBeGreaterThan(before);
});
