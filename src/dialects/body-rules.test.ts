import { describe, expect, it, spyOn } from 'bun:test';
import fc from 'fast-check';
import type { JsonObject } from '../core/json.ts';
import { HOST_END_MAX } from '../core/url.ts';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import { type CallersDialect, ruled } from './body-rules.ts';
import { FIELDS } from './gateway-fields.ts';
import { gemini } from './gemini/dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import { openaiRerank } from './plain/openai-rerank.ts';
import { folded, readings } from './spelling.ts';

const of = (dialect: CallersDialect, body: JsonObject) => ruled(body, dialect.rules);

describe('a body', () => {
  it('is the same object where nothing has to go', () => {
    const body = {
      model: 'm',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
      top_k: 1,
      Own: {},
    };
    expect(of(openaiChat, body).body).toBe(body);
  });

  it('keeps every field that is none of the gateway, wherever it stands', () => {
    const others = fc
      .string({ maxLength: 12 })
      .filter((name) => !readings(name).some((reading) => FIELDS.some((f) => folded(f) === reading)));
    fc.assert(
      fc.property(others, others, (name, inner) => {
        const body = JSON.parse(JSON.stringify({ model: 'm', [name]: { [inner]: [1, { [name]: 2 }] } }));
        const { body: kept, dropped } = of(openaiChat, body);
        expect(dropped).toEqual([]);
        expect(JSON.stringify(kept)).toBe(JSON.stringify(body));
      }),
    );
  });

  it('loses other spellings of fields of the gateway at every depth, and nothing beside them', () => {
    const { body, dropped } = of(openaiChat, {
      model: 'm',
      Model: 'dear',
      stream_options: { include_usage: true, Include_Usage: false },
      messages: [{ role: 'user', content: 'x', Content: 'y', own: 1 }],
      web_search: { enable: false, Enable: true },
      tools: [
        { type: 'function', Type: 'web_search', function: { name: 'f', parameters: { Model: 1, N: 2 } } },
      ],
    });
    expect(body).toEqual({
      model: 'm',
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'x', own: 1 }],
      web_search: { enable: false },
      tools: [{ type: 'function', function: { name: 'f', parameters: { Model: 1, N: 2 } } }],
    });
    expect(dropped).toEqual(['Model', 'Include_Usage', 'Content', 'Enable', 'Type']);
  });

  it('loses names that readers of forms fold into such a field', () => {
    const names = [
      'max tokens',
      'max.tokens',
      'max[tokens',
      'n.',
      'n[',
      'n[]',
      'n[0]',
      'n[x',
      ' n',
      'stream.options',
    ];
    const { body } = of(openaiChat, {
      model: 'm',
      ...Object.fromEntries(names.map((name) => [name, 9])),
      'own field': 1,
      'own.field': 2,
      'own[field': 3,
    });
    expect(body).toEqual({ model: 'm', 'own field': 1, 'own.field': 2, 'own[field': 3 });
  });

  it.each([
    ['a host of Google’s', `https://${'generativelanguage.'.repeat(400)}googleapis.com/`, true],
    ['a host far on', `https://generativelanguage.${'a.'.repeat(120)}googleapis.com/`, true],
    ['a file and much behind it', `https://generativelanguage.googleapis.com/x?${'a'.repeat(9_000)}`, true],
    ['a host in other letters', `https://${'é.'.repeat(4_000)}example/`, true],
    ['a host elsewhere', `https://${'aiplatform.'.repeat(400)}example/`, false],
    ['a text behind an address', `https://example.com\n\n${'Some “words” of it. '.repeat(400)}`, false],
  ])('has no address parsed that is longer than any: %s', (_what, url, isKept) => {
    const parse = spyOn(URL, 'parse');
    expect(of(openaiChat, { model: 'm', url }).kept !== undefined).toBe(isKept);
    const parsed = parse.mock.calls.map(([text]) => String(text).length);
    expect(Math.max(0, ...parsed)).toBeLessThanOrEqual(HOST_END_MAX);
    parse.mockRestore();
  });

  it('does not change the one that was given', () => {
    const given = { model: 'm', MODEL: 'x', messages: [{ role: 'user', Role: 'system' }] };
    const before = structuredClone(given);
    of(openaiChat, given);
    expect(given).toEqual(before);
  });

  it('has no limits but those that its wire is read by', () => {
    const caps = { max_output_tokens: 9, num_predict: 9, best_of: 9 };
    expect(of(openaiChat, { model: 'm', max_tokens: 1, n: 2, ...caps }).body).toEqual({
      model: 'm',
      max_tokens: 1,
      n: 2,
    });
    expect(of(openaiChat, { options: { num_predict: 9, num_ctx: 1 } }).body).toEqual({
      options: { num_ctx: 1 },
    });
    expect(of(openaiResponses, { max_output_tokens: 1, max_tokens: 9 }).body).toEqual({
      max_output_tokens: 1,
    });
    // Further down the word means something else.
    expect(of(openaiResponses, { reasoning: { max_tokens: 9 } }).body).toEqual({
      reasoning: { max_tokens: 9 },
    });
    expect(of(anthropicMessages, { max_tokens: 1, maxTokens: 2, max_tokens_to_sample: 9 }).body).toEqual({
      max_tokens: 1,
    });
  });

  it('made of protobuf is read in both spellings, and goes up in one', () => {
    const { body } = of(gemini, {
      generation_config: { max_output_tokens: 5, MaxOutputTokens: 9, candidateCount: 1, candidate_count: 8 },
      contents: [
        {
          parts: [
            { inlineData: { data: 'a' }, inline_data: { data: 'b' } },
            { functionCall: { args: { N: 1 } } },
          ],
        },
      ],
    });
    expect(body).toEqual({
      generation_config: { max_output_tokens: 5, candidateCount: 1 },
      contents: [{ parts: [{ inlineData: { data: 'a' } }, { functionCall: { args: { N: 1 } } }] }],
    });
  });

  it('made of protobuf takes one value for a list of one', () => {
    const { body } = of(gemini, {
      contents: { parts: { functionCall: { args: { parts: 'own' } } } },
      tools: { function_declarations: { name: 'f', parameters: { tools: 'own' } } },
      generationConfig: { responseModalities: 'AUDIO', stopSequences: null },
    });
    expect(body).toEqual({
      contents: [{ parts: [{ functionCall: { args: { parts: 'own' } } }] }],
      tools: [{ function_declarations: [{ name: 'f', parameters: { tools: 'own' } }] }],
      generationConfig: { responseModalities: ['AUDIO'], stopSequences: null },
    });
  });

  it("keeps the caller's own data as it is", () => {
    const documents = [{ Text: 'x', Model: 'y', file_id: 'z' }];
    expect(of(openaiRerank, { model: 'm', query: 'q', documents })).toMatchObject({
      body: { documents },
      dropped: [],
    });
    const use = { type: 'tool_use', id: 't', name: 'f', input: { file_id: 'x', Model: 'y' } };
    const messages = [{ role: 'assistant', content: [use] }];
    const found = of(anthropicMessages, { model: 'm', messages });
    expect(found).toMatchObject({ body: { messages }, dropped: [] });
    expect(found.kept).toBeUndefined();
  });

  it('with a field of the name `__proto__` keeps it', () => {
    const given = JSON.parse('{"model":"m","Model":"x","__proto__":{"a":{"Model":1}}}');
    expect(JSON.stringify(of(openaiChat, given).body)).toBe('{"model":"m","__proto__":{"a":{}}}');
  });

  it('tells of names that are fit for a header only', () => {
    expect(of(openaiChat, { ſtream: true, 'model\0': 1, N: 2 }).dropped).toEqual(['stream', 'model', 'N']);
  });
});
