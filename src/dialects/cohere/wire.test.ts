import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { accumulate } from '../../../tests/dialects/accumulate.ts';
import {
  bytesOf,
  called,
  content,
  END,
  read,
  STREAM,
  said,
  USAGE,
} from '../../../tests/dialects/cohere-stream.ts';
import type { JsonObject } from '../../core/json.ts';
import { noUsage } from '../../core/usage.ts';
import { joinedText, joinedThinking } from '../accumulate.ts';
import type { ChatRequest, Part } from '../neutral.ts';
import { cohere } from './wire.ts';

describe('reading answers', () => {
  test('events become parts; a plan is thinking, and what is billed counts', () => {
    expect(accumulate(read([bytesOf(STREAM)]))).toMatchObject({
      id: 'c1',
      choices: [
        {
          parts: [
            { type: 'thinking', text: 'hm' },
            {
              type: 'text',
              text: 'ok é 🙂',
              citations: [{ kind: 'document', title: 'T', start: 0, end: 2 }],
            },
            { type: 'thinking', text: 'I will look.' },
            { type: 'tool-call', id: 'f_1', name: 'f', input: '{"x":1}' },
            { type: 'tool-call', id: 'g_1', name: 'g', input: '{}' },
          ],
          stop: 'tool-calls',
        },
      ],
      usage: { ...noUsage(), input: 8, output: 50 },
    });
    expect(read([bytesOf(STREAM)]).at(-1)).toEqual({ type: 'end' });
  });

  test('a function without arguments has none, however that is said', () => {
    for (const pieces of [[], [''], ['null'], ['{}']]) {
      const events = [
        ...STREAM.slice(0, 1),
        called('tool-call-start', 0, { id: 'a', type: 'function', function: { name: 'f', arguments: '' } }),
        ...pieces.map((text) => called('tool-call-delta', 0, { function: { arguments: text } })),
        { type: 'tool-call-end', index: 0 },
        END,
      ];
      expect(accumulate(read([bytesOf(events)])).choices[0]?.parts).toMatchObject([{ input: '{}' }]);
    }
    const tool_calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: 'null' } }];
    const reply = cohere.readReply({ id: 'c', message: { role: 'assistant', tool_calls } });
    expect(reply.choices[0]?.parts).toMatchObject([{ input: '{}' }]);
  });
});

test('an answer is the same as a stream and as a body, whatever is in it', () => {
  const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const inputs = fc.dictionary(words, fc.jsonValue()).map((value) => JSON.stringify(value));
  const call = fc
    .record({ id: words, name: words, arguments: inputs })
    .map(({ id, ...called }) => ({ id, type: 'function', function: called }));
  fc.assert(
    fc.property(words, words, words, fc.array(call, { maxLength: 4 }), (thinking, text, plan, calls) => {
      const message: JsonObject = {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking },
          { type: 'text', text },
        ],
        tool_plan: plan,
        tool_calls: calls,
      };
      const events = [
        { type: 'message-start', id: 'c1', ...said({ role: 'assistant' }) },
        { type: 'tool-plan-delta', ...said({ tool_plan: plan }) },
        { type: 'content-start', ...said({ content: { type: 'text', text: '' } }, { index: 0 }) },
        content('content-delta', { thinking }),
        content('content-delta', { text }),
        ...calls.flatMap((one, index) => [
          called('tool-call-start', index, { ...one, function: { ...one.function, arguments: '' } }),
          called('tool-call-delta', index, { function: { arguments: one.function.arguments } }),
          { type: 'tool-call-end', index },
        ]),
        END,
      ];
      const whole = cohere.readReply({ id: 'c1', message, finish_reason: 'TOOL_CALL', usage: USAGE });
      const streamed = accumulate(read([bytesOf(events)]));
      const outcome = ({ choices: [choice], usage }: typeof whole) => ({
        thinking: joinedThinking(choice?.parts ?? []),
        text: joinedText(choice?.parts ?? []),
        calls: choice?.parts.filter((part) => part.type === 'tool-call'),
        stop: choice?.stop,
        usage,
      });
      expect(outcome(streamed)).toEqual(outcome(whole));
      expect(outcome(whole)).toMatchObject({
        thinking: plan + thinking,
        text,
        calls: calls.map(({ id, function: { name, arguments: input } }) => ({ id, name, input })),
      });
    }),
  );
});

describe('requests', () => {
  test('hold no plan for tools, whatever fields a thought of another dialect has', () => {
    const dropped: string[] = [];
    const request: ChatRequest = {
      dialect: 'anthropic-messages',
      model: 'asked',
      stream: false,
      messages: [
        {
          role: 'assistant',
          parts: [
            {
              type: 'thinking',
              text: 'hm',
              signature: 'c2ln',
              origin: 'anthropic-messages',
              extra: { tool_plan: true },
            },
            { type: 'text', text: 'ok' },
          ],
        },
      ],
      tools: [],
      extra: {},
    };
    const { messages } = cohere.writeRequest(request, {
      model: 'up',
      stream: false,
      askUsage: true,
      defaultMaxTokens: 1,
      drop: (what) => dropped.push(what),
    });
    expect(messages).toEqual([{ role: 'assistant', content: 'ok' }]);
    expect(dropped).toEqual(['thinking']);
  });

  const picture: Part = {
    type: 'image',
    source: { kind: 'data', mediaType: 'image/png', data: 'iVBORw0K' },
  };
  const pdf: Part = {
    type: 'file',
    source: { kind: 'data', mediaType: 'application/pdf', data: 'JVBERi0x' },
  };
  const shown = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0K' } };

  test.each<[model: string, content: Part[], said: string, beside: JsonObject[], left: string[]]>([
    ['command-a-vision-07-2025', [picture], '(picture below)', [shown], []],
    ['command-a-vision-07-2025', [{ type: 'text', text: 'a' }, picture], 'a', [shown], []],
    ['command-a-03-2025', [picture], '[image was left out: it cannot be read here]', [], ['image']],
    ['command-a-03-2025', [pdf], '[file was left out: it cannot be read here]', [], ['file']],
    ['command-a-03-2025', [], '(no content)', [], []],
  ])('tell %s of a result in texts: %j', (model, content, said, beside, left) => {
    const dropped: string[] = [];
    const results = ['a', 'b'].map((id): Part => ({ type: 'tool-result', id, content, kind: 'function' }));
    const request: ChatRequest = {
      dialect: 'anthropic-messages',
      model,
      stream: false,
      messages: [
        { role: 'tool', parts: results.slice(0, 1) },
        { role: 'tool', parts: results.slice(1) },
        { role: 'user', parts: [{ type: 'text', text: 'and?' }] },
      ],
      tools: [],
      extra: {},
    };
    const { messages } = cohere.writeRequest(request, {
      model,
      stream: false,
      askUsage: true,
      defaultMaxTokens: 1,
      drop: (what) => dropped.push(what),
    });
    expect(messages).toEqual([
      { role: 'tool', tool_call_id: 'a', content: said },
      { role: 'tool', tool_call_id: 'b', content: said },
      ...(beside.length > 0 ? [{ role: 'user', content: [...beside, ...beside] }] : []),
      { role: 'user', content: 'and?' },
    ]);
    expect(dropped).toEqual([...left, ...left]);
  });
});
