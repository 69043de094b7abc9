import { describe, expect, test } from 'bun:test';
import { writtenBy } from '../../../tests/support/written.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ChatRequest, Part } from '../neutral.ts';
import { writeRequest } from './request.ts';

const written = writtenBy(writeRequest, {
  dialect: 'anthropic-messages',
  model: 'us.anthropic.claude-sonnet-4-20250514-v1:0',
  askUsage: false,
});

const said = (text: string): Part[] => [{ type: 'text', text }];
const png = { kind: 'data' as const, mediaType: 'image/png', data: 'AAAA' };

test('turns alternate, results come first, marks become points', () => {
  const { body } = written({
    messages: [
      { role: 'system', parts: [{ type: 'text', text: 'be brief', cache: { ttl: '1h' } }] },
      { role: 'user', parts: [...said('look'), { type: 'image', source: png, cache: { ttl: '5m' } }] },
      {
        role: 'assistant',
        parts: [
          { type: 'thinking', text: 'hm', signature: 'c2ln', origin: 'anthropic-messages' },
          { type: 'thinking', text: '', encrypted: 'ZA==', origin: 'bedrock-converse' },
          { type: 'tool-call', id: 'functions_f_0', name: 'f', input: '{"x":1}', kind: 'function' },
        ],
      },
      {
        role: 'tool',
        parts: [
          {
            type: 'tool-result',
            id: 'functions_f_0',
            kind: 'function',
            content: [...said('bad'), { type: 'image', source: png }],
            isError: true,
          },
        ],
      },
      { role: 'user', parts: said('and?') },
    ],
    tools: [
      { type: 'function', name: 'f', description: 'd', parameters: { type: 'object', properties: {} } },
    ],
    toolChoice: { mode: 'required' },
  });
  const image = { image: { format: 'png', source: { bytes: 'AAAA' } } };
  expect(body).toEqual({
    system: [{ text: 'be brief' }, { cachePoint: { type: 'default', ttl: '1h' } }],
    messages: [
      { role: 'user', content: [{ text: 'look' }, image, { cachePoint: { type: 'default' } }] },
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'hm', signature: 'c2ln' } } },
          { reasoningContent: { redactedContent: 'ZA==' } },
          { toolUse: { toolUseId: 'functions_f_0', name: 'f', input: { x: 1 } } },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'functions_f_0', content: [{ text: 'bad' }, image], status: 'error' } },
          { text: 'and?' },
        ],
      },
    ],
    toolConfig: {
      tools: [
        {
          toolSpec: {
            name: 'f',
            description: 'd',
            inputSchema: { json: { type: 'object', properties: {} } },
          },
        },
      ],
      toolChoice: { any: {} },
    },
    additionalModelResponseFieldPaths: ['/stop_sequence'],
  });
});

test('a history with calls declares their tools, though the request brings none', () => {
  const { body } = written({
    messages: [
      { role: 'user', parts: said('hi') },
      {
        role: 'assistant',
        parts: [{ type: 'tool-call', id: 'a', name: 'f', input: '{}', kind: 'function' }],
      },
    ],
  });
  expect(body.toolConfig).toEqual({
    tools: [{ toolSpec: { name: 'f', inputSchema: { json: { type: 'object', properties: {} } } } }],
  });
});

test('a document gets a name that the service takes', () => {
  const name = (filename: string | undefined, title?: string) => {
    const { body } = written({
      messages: [
        {
          role: 'user',
          parts: [
            {
              type: 'file',
              source: { kind: 'data', mediaType: 'application/pdf', data: 'AAAA' },
              filename,
              title,
            },
          ],
        },
      ],
    });
    return JSON.stringify(body.messages).match(/"name":"([^"]*)"/)?.[1];
  };
  expect(name('report (1)_final.v2.pdf')).toBe('report (1) final v2');
  expect(name('报告.pdf')).toBe('document-1');
  expect(name(undefined, 'Title')).toBe('Title');
});

describe('settings', () => {
  test('what has a word is said with it, what has none is reported', () => {
    const { body, dropped } = written({
      maxOutputTokens: 9,
      temperature: 0.5,
      topK: 3,
      stop: ['a', ' '],
      seed: 1,
    });
    expect(body.inferenceConfig).toEqual({ maxTokens: 9, temperature: 0.5, stopSequences: ['a'] });
    expect(body.additionalModelRequestFields).toEqual({ top_k: 3 });
    expect(dropped).toEqual(['seed']);
  });

  test.each<[string, Partial<ChatRequest>, JsonObject | undefined, string[]]>([
    [
      'anthropic.claude-sonnet-4-20250514-v1:0',
      { reasoning: { mode: 'on', budgetTokens: 2000 } },
      { thinking: { type: 'enabled', budget_tokens: 2000 } },
      [],
    ],
    ['openai.gpt-oss-120b-1:0', { reasoning: { effort: 'high' } }, { reasoning_effort: 'high' }, []],
    ['openai.gpt-oss-20b-1:0', { reasoning: { mode: 'off' } }, { reasoning_effort: 'low' }, []],
    ['us.openai.gpt-5.6-sol', { reasoning: { effort: 'max' } }, { reasoning: { effort: 'max' } }, []],
    ['us.openai.gpt-5.6-sol', { reasoning: { mode: 'off' } }, { reasoning: { effort: 'none' } }, []],
    ['openai.gpt-6-astra', { reasoning: { mode: 'off' } }, { reasoning: { effort: 'low' } }, []],
    ['openai.gpt-6-astra', { reasoning: { mode: 'adaptive' } }, undefined, ['reasoning']],
    ['amazon.nova-pro-v1:0', { reasoning: { effort: 'high' } }, undefined, ['reasoning']],
  ])('reasoning of %s', (model, request, expected, dropped) => {
    const result = written({ ...request, dialect: 'openai-chat' }, model);
    expect(result.body.additionalModelRequestFields).toEqual(expected);
    expect(result.dropped).toEqual(dropped);
  });

  test('what cannot be said at all is refused', () => {
    const parts: Part[] = [{ type: 'image', source: { kind: 'url', url: 'https://i.example/a.png' } }];
    expect(() => written({ messages: [{ role: 'user', parts }] })).toThrow('invalid_request');
  });
});
