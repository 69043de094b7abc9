import { expect, it } from 'bun:test';
import { translatorFor } from '../../lib/translator-for.ts';
import { type LogRow, readFacts } from './log-row.ts';
import { usageTexts } from './request-facts.tsx';

it.each([
  [
    { unbilled_tokens: 180_000 },
    [
      'refused before anything came: the vendor bills nothing for its 180,000 tokens, and neither is anything charged',
    ],
  ],
  [
    { unbilled_tokens: 0 },
    ['refused before anything came: the vendor bills nothing, and neither is anything charged'],
  ],
  [
    { unbilled_tokens: 1 },
    [
      'refused before anything came: the vendor bills nothing for its 1 token, and neither is anything charged',
    ],
  ],
  [{}, []],
])('a row says of what nobody was billed for how much it was, unless that is nothing: %j', (other, texts) => {
  const facts = readFacts({ other: JSON.stringify(other) } as LogRow);
  expect(usageTexts(facts, translatorFor('en'))).toEqual(texts);
});

it('a row that charges others says that they were found', () => {
  const row = { prompt_tokens: 151, completion_tokens: 9, other: '{"unbilled_tokens":18329}' } as LogRow;
  expect(usageTexts(readFacts(row), translatorFor('en'))).toEqual([
    '18,329 tokens that its search found: the vendor bills nothing for them, and neither is anything charged',
  ]);
});

it('says so in Chinese', () => {
  const facts = readFacts({ other: '{"unbilled_tokens":0}' } as LogRow);
  expect(usageTexts(facts, translatorFor('zh'))).toEqual(['输出前即被拒绝：上游不收费，本站也不计费']);
});
