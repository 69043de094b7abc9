import { expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
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

it.each(['\n\n', '\r\n\r\n', '\n', '\r\n\r', ''])(
  'an end is told behind a whole frame that ended so: %j',
  (end) => {
    const stream = samePassage(openaiChat).stream(requestFacts(openaiChat, { model: 'm', messages: HI }, {}));
    const said = JSON.stringify({ choices: [{ index: 0, delta: { content: 'a' } }] });
    const { out } = stream.push(Buffer.from(`data: ${said}${end}`));
    const came = `${Buffer.from(out ?? '')}${stream.ending()}`;
    expect(came.split(/\r?\n\r?\n\n?/)).toEqual([`data: ${said}`, 'data: [DONE]', '']);
  },
);
