import { expect, it, spyOn } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { measureChat } from './measure.ts';
import { openaiResponsesCodec } from './openai-responses/codec.ts';
import { withToolsOpened } from './opened-tools.ts';

const f = (name: string, description: string): JsonObject => ({ type: 'function', name, description });
const adds = (...tools: JsonObject[]): JsonObject => ({ type: 'additional_tools', role: 'developer', tools });
const inSpace = (name: string, ...tools: JsonObject[]): JsonObject => ({ type: 'namespace', name, tools });
const read = (body: JsonObject) => openaiResponsesCodec.readRequest({ model: 'm', ...body }, {});
const said = { type: 'message', role: 'user', content: 'hi' };

it('of two tools of a name the last one stands, and those of two namespaces are two', () => {
  const tools = [f('a', 'first'), inSpace('x', f('a', 'of x'))];
  const input = [adds(inSpace('functions', f('a', 'second'))), said, adds(inSpace('y', f('a', 'of y')))];
  const request = withToolsOpened(read({ tools, input }));
  expect(request.tools).toMatchObject([
    { name: 'x__a', description: 'of x' },
    { name: 'a', description: 'second' },
    { name: 'y__a', description: 'of y' },
  ]);
  expect(request.messages.map(({ role }) => role)).toEqual(['user']);
});

it('what was said beside tools is left', () => {
  const spoken = { type: 'message', role: 'assistant', content: 'well' };
  const { messages } = withToolsOpened(read({ input: [said, spoken, adds(f('a', 'one'))] }));
  expect(messages.map(({ parts }) => parts.map(({ type }) => type))).toEqual([['text'], ['text']]);
});

it('a long name of a namespace is not as long again with each of its tools', () => {
  const { tools } = withToolsOpened(read({ input: [adds(inSpace('x'.repeat(90_000), f('a', 'one')))] }));
  expect(tools).toMatchObject([{ name: expect.stringMatching(/^[\da-f]{64}__a$/) }]);
});

it('a long name of a namespace is read once, however many tools it has', () => {
  const update = spyOn(Bun.CryptoHasher.prototype, 'update');
  try {
    const tools = Array.from({ length: 100 }, (_, n) => f(`f${n}`, 'one'));
    read({ tools: [inSpace('x'.repeat(90_000), ...tools)] });
    expect(update).toHaveBeenCalledTimes(1);
  } finally {
    update.mockRestore();
  }
});

it('a call comes back as that of the tool that was told', () => {
  const tools = [inSpace('x', f('a', 'of x')), f('x__a', 'its own'), inSpace('y', f('b', 'of y'))];
  const request = read({ tools });
  const calls = ['x__a', 'y__b'].map((name, n) => ({
    ...{ type: 'tool-call' as const, id: `c${n}`, name, input: '{}', kind: 'function' as const },
  }));
  const choices = [{ index: 0, parts: calls, stop: 'tool-calls' as const }];
  const reply = { id: 'r', model: 'm', created: 0, choices, usage: null, extra: {} };
  const context = { model: 'm', createdSec: 0, requestId: 'r', request, wantsUsage: false };
  const { output } = openaiResponsesCodec.writeReply(reply, context) as { output: JsonObject[] };
  expect(output.map(({ name, namespace }) => [name, namespace])).toEqual([
    ['x__a', undefined],
    ['b', 'y'],
  ]);
});

it('tools are measured once, wherever they stand', () => {
  const long = f('a', 'word '.repeat(1_000));
  const sizeOf = (body: JsonObject) => {
    const { textBytes, tools } = measureChat(read(body), 'input');
    return textBytes + (tools?.bytes ?? 0);
  };
  const listed = sizeOf({ tools: [long], input: [said] });
  expect(sizeOf({ input: [adds(inSpace('x', long)), said] })).toBeWithin(listed, listed + 200);
  expect(sizeOf({ tools: [inSpace('x', long)], input: [said] })).toBeWithin(listed, listed + 200);
});
