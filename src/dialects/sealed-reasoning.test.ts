import { expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import { convertingPassage } from './convert.ts';
import { gemini } from './gemini/dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import { type chatDialects, codecOf, wireOf } from './registry.ts';
import { sealedByOthers, sealIn, withOwnSeals, withoutSeals } from './sealed-reasoning.ts';

const SEAL = `gAAAAAB${'x'.repeat(60)}`;
const facts = openaiChat.readRequest({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }, {});
const CARRIED = /eyJvcmlnaW4i[\w+/=]+/;

function answered(
  dialect: (typeof chatDialects)[number]['dialect'],
  output: JsonObject[],
  stream: boolean,
): string {
  const codec = codecOf(dialect.id);
  const wire = wireOf('openai-responses');
  if (!codec || !wire) throw new Error('no codec');
  const passage = convertingPassage({
    caller: { dialect, codec },
    upstream: withOwnSeals(wire, (id) => `mark of ${id}`),
    spoken: openaiResponses,
    path: { model: 'm', stream },
    requestId: 'req-1',
    createdSec: 1,
    defaultMaxTokens: 4_096,
    thinkingToContent: false,
  });
  const usage = { input_tokens: 1, output_tokens: 1 };
  const response: JsonObject = { id: 'resp_1', model: 'm', status: 'completed', output, usage };
  if (!stream) return passage.reply('', response).text;
  const events = [
    ...output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, encrypted_content: '' } },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response },
  ];
  const steps = passage.stream(facts);
  const out = events.map((event) => steps.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`)).out ?? '');
  return [...out, steps.ending() ?? ''].map((text) => Buffer.from(text).toString()).join('');
}

const CASES = [openaiChat, anthropicMessages, gemini].flatMap((dialect) =>
  [[], [{ type: 'summary_text', text: 'so' }]].flatMap((summary) =>
    [false, true].map((stream) => [dialect.id, summary.length, stream, { dialect, summary }] as const),
  ),
);

it.each(CASES)(
  'what %s carries of a summary of %p says who sealed it, streamed %p',
  (_, __, stream, { dialect, summary }) => {
    const item = { type: 'reasoning', id: 'rs_1', summary, encrypted_content: SEAL };
    const told = answered(
      dialect,
      [item, { type: 'message', content: [{ type: 'output_text', text: 'hi' }] }],
      stream,
    );
    const [carried = ''] = told.match(CARRIED) ?? [];
    expect(JSON.parse(Buffer.from(carried, 'base64').toString())).toMatchObject({
      origin: 'openai-responses',
      encrypted: SEAL,
      id: 'rs_1',
      mark: 'mark of rs_1',
    });
  },
);

it.each<[of: string, item: JsonObject, left: JsonObject | null]>([
  ['thoughts', { type: 'reasoning', id: 'rs_1' }, null],
  ['a reference to thoughts', { type: 'item_reference', id: 'rs_1' }, null],
  ['a reference that says no type', { id: 'rs_1' }, null],
  ['another reference', { type: 'item_reference', id: 'msg_1' }, { type: 'item_reference', id: 'msg_1' }],
  ['a message', { type: 'message', id: 'msg_1', role: 'assistant' }, { type: 'message', role: 'assistant' }],
  ['a message that says no type', { id: 'rs_1', role: 'assistant' }, { id: 'rs_1', role: 'assistant' }],
  [
    'a call of the caller',
    { type: 'function_call', id: 'fc_1', call_id: 'c' },
    { type: 'function_call', call_id: 'c' },
  ],
  [
    'a call of his shell',
    { type: 'shell_call', id: 'sh_1', call_id: 'c' },
    { type: 'shell_call', call_id: 'c' },
  ],
  ['a search', { type: 'web_search_call', id: 'ws_1' }, { type: 'web_search_call' }],
  ['a container', { type: 'code_interpreter_call', id: 'ci_1', container_id: 'cntr_1' }, null],
  ['a picture', { type: 'image_generation_call', id: 'ig_1' }, null],
  [
    'a result',
    { type: 'function_call_output', id: 'o', call_id: 'c' },
    { type: 'function_call_output', id: 'o', call_id: 'c' },
  ],
])('without reasoning there is of %s what stands without', (_of, item, left) => {
  const said = { role: 'user', content: 'hi' };
  const { body, dropped } = withoutSeals({ input: [THOUGHT, item, said, CALLED] }, () => true);
  expect(body.input).toEqual(left ? [left, said, CALLED] : [said, CALLED]);
  const isThought = item.type === 'reasoning' || left !== null || !String(item.type).endsWith('_call');
  expect(dropped).toEqual(isThought ? ['thinking'] : ['thinking', String(item.type)]);
});

const THOUGHT = { type: 'reasoning', id: 'rs_0', encrypted_content: SEAL };
const OWN = { sealed: 'mine', kept: 'my account’s' };
const CALLED = { type: 'mcp_call', id: 'mcp_0' };

it.each<[of: string, mark: string | undefined, isLeft: boolean]>([
  ['others', 'theirs', false],
  ['its own', 'mine', true],
  ['nobody knows whom', undefined, true],
])('with reasoning of %s goes what was given together with it, up to the next', (_of, mark, isLeft) => {
  const body = { input: [CALLED, THOUGHT, CALLED, { type: 'reasoning', id: 'rs_1' }, CALLED] };
  const left = withoutSeals(
    body,
    sealedByOthers({ get: (seal) => (seal === sealIn(THOUGHT) ? mark : undefined) }, OWN),
  );
  expect(left.body.input).toEqual(isLeft ? body.input : body.input.toSpliced(1, 2));
  expect(left.body === body).toBe(isLeft);
  expect(left.dropped).toEqual(isLeft ? [] : ['thinking', 'mcp_call']);
});

it.each<[of: string, reasoning: JsonObject, mark: string | undefined, isOut: boolean]>([
  ['its own account', { id: 'rs_1' }, OWN.kept, false],
  ['another account', { id: 'rs_1' }, 'theirs', true],
  ['nobody knows whom', { id: 'rs_1' }, undefined, false],
  ['its own model’s seal', { id: 'rs_1', encrypted_content: SEAL }, OWN.sealed, false],
  ['another model’s seal', { id: 'rs_1', encrypted_content: SEAL }, OWN.kept, true],
  ['nobody, which has no id', {}, 'theirs', false],
  ['this gateway, which nobody keeps', { id: 'rs_relay_1' }, 'theirs', false],
])('by its id or its seal reasoning is known to be of %s', (_of, more, mark, isOut) => {
  const reasoning = { type: 'reasoning', summary: [], ...more };
  const { body } = withoutSeals({ input: [reasoning] }, sealedByOthers({ get: () => mark }, OWN));
  expect(body.input).toEqual(isOut ? [] : [reasoning]);
});
