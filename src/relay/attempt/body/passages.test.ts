import { expect, it } from 'bun:test';
import type { DialectId } from '../../../dialects/dialect.ts';
import { findProvider } from '../../../providers/registry.ts';
import { spokenAt } from './passages.ts';

const OPENAI = 1;
const TOOLS = { tools: [{ type: 'function', function: { name: 'f' } }] };

it.each<[string, DialectId]>([
  ['', 'openai-responses'],
  ['https://api.openai.com', 'openai-responses'],
  ['https://gateway.example', 'openai-chat'],
])('a channel at %j is asked where its calls go', (baseUrl, dialect) => {
  const provider = findProvider(OPENAI);
  if (!provider) throw new Error('no such type');
  const target = { provider, channel: { baseUrl }, key: 'k', model: 'gpt-5.6-terra', effort: undefined };
  expect(spokenAt(target, { operation: 'chat', body: TOOLS })[0]?.id).toBe(dialect);
});
