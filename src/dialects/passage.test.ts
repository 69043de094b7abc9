import { expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import { samePassage } from './passage.ts';
import { requestFacts } from './prompt.ts';

const HI = [{ role: 'user', content: 'hi' }];
const frameOf = (event: JsonObject) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`);

it.each([
  [anthropicMessages, { type: 'content_block_delta', delta: { type: 'text_delta', text: 'a' } }, 'ping'],
  [openaiResponses, { type: 'response.output_text.delta', delta: 'a' }, 'keepalive'],
] as const)('what says that its upstream still works passes, and is no content', (dialect, said, type) => {
  const asked = { model: 'm', stream: true, messages: HI, input: HI, max_tokens: 1 };
  const stream = samePassage(dialect).stream(requestFacts(dialect, asked, {}));
  const works = frameOf({ type });
  expect(stream?.push(works)).toMatchObject({ content: false, out: works });
  expect(stream?.push(frameOf(said))).toMatchObject({ content: true });
  expect(stream?.push(works)).toMatchObject({ content: false, out: works });
});
