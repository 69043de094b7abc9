import { describe, expect, it } from 'bun:test';
import type { Json, JsonObject } from '../../core/json.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { CallersWords } from './callers-words.ts';

type Asked = ConstructorParameters<typeof CallersWords>[0];

const factsOf = (model: string) => ({ model, prompt: {}, previousAnswer: null }) as Asked['facts'];
const asking = (body: JsonObject, more: Partial<Asked> = {}) =>
  new CallersWords({
    operation: 'chat',
    dialect: openaiChat,
    body: { model: 'm', ...body },
    headers: new Headers(),
    query: new URLSearchParams(),
    facts: factsOf('m'),
    ...more,
  });
const saying = (...contents: string[]) =>
  asking({ messages: contents.map((content) => ({ role: 'user', content })) });

/** Milliseconds; the best of nine, since other work may come between. */
const took = (work: () => unknown): number =>
  Math.min(
    ...Array.from({ length: 9 }, () => {
      const from = performance.now();
      work();
      return performance.now() - from;
    }),
  );

describe('the names in an upstream’s words', () => {
  it.each(['a', 'a-', 'ab.', "'", '`a', '_', '$'])(
    'are found in about the time that its length takes: %s',
    (unit) => {
      const said = unit.repeat(8_192).slice(0, 8_192);
      const callers = saying('hi');
      const look = (text: string, times: number) => () => {
        for (let n = 0; n < times; n++) callers.namesTakenFrom(text);
      };
      look(said.slice(0, 819), 100)();
      expect(took(look(said, 1))).toBeLessThan(took(look(said.slice(0, 819), 10)) * 4 + 40);
    },
  );
});

const M = 256 * 1024;
const units: Record<string, string> = {
  'lists of numbers': '1,',
  'nested lists': '[',
  'nested objects': '{"a":',
  quotes: '"',
  'quoted letters': '"a",',
  'escaped letters': '\\u0041',
  backslashes: '\\',
  percents: '%41 ',
  commas: ', 1',
};

describe('a long request', () => {
  const said = "Your credit balance is too low: 'x.balance' in get_billing_info and temperature";
  const look = (content: string) => () => {
    const callers = saying(content);
    callers.namesTakenFrom(said);
    return [callers.hold('Your credit balance is too low'), callers.nameOthers];
  };

  it.each(Object.entries(units))('says nothing that does not stand there: %s', (_, unit) => {
    const content = `[${unit.repeat(M / unit.length)}`;
    for (const text of [content, content.replace(/,?$/, ']')]) expect(look(text)()[0]).toBe(false);
  });

  it('may hold lists in lists as deep as it likes', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(look(deep)()).toEqual([false, false]);
    expect(look(`{"a":${JSON.stringify(deep)}}`)()).toEqual([false, false]);
  });
});

describe('what a caller said', () => {
  const words = 'Your credit balance';
  const spelled = Array.from(words, (each) => `\\u00${each.charCodeAt(0).toString(16)}`).join('');

  it.each([
    ['plain', `so: ${words}`],
    ['folded', 'Ｙour\ncredit\u00a0Balance'],
    ['in an address', encodeURIComponent(words)],
    ['in JSON', JSON.stringify({ a: [words] })],
    [
      'in JSON of six layers',
      [1, 2, 3, 4, 5, 6].reduce((inner) => JSON.stringify([inner]), 'Your\ncredit\n"balance"'),
    ],
    ['in JSON, spelled', `{"a":"${spelled}"}`],
    ['in JSON, spelled and cut', `{"a":"${spelled}`],
    ['behind a million of lists', `${'['.repeat(1_000_000)}"${spelled}"`],
  ])('is known again: %s', (_, content) => {
    expect(saying(content).hold(words)).toBe(true);
    expect(saying(content).hold('your credit card')).toBe(false);
  });

  it('is known as his name, also in JSON of his', () => {
    const said = "'get_billing_info' and my.balance of your_plan";
    const told = ' and my of your_plan';
    expect(saying('{"name":"get_billing_info","n":{"balance":1}}').namesTakenFrom(said)).toBe(`''${told}`);
    expect(saying('[{"name":"\\u0067et_billing_info"}', 'balance').namesTakenFrom(said)).toBe(`''${told}`);
    expect(saying('["{\\"get_billing_info\\":{\\"balance\\":1}}"]').namesTakenFrom(said)).toBe(`''${told}`);
    expect(saying('get_billing_info is balance').namesTakenFrom(said)).toBe(said);
  });

  it.each([
    ['https://page.example', true],
    ['see https://page.example', true],
    ['{"a":"https:\\/\\/page.example"}', true],
    ['{"a":["{\\"b\\":\\"\\\\u0068ttps://page.example\\"}"]}', true],
    ['{"a":"see https://page.example"}', true],
    ['ht\ntps://page.example', true],
    ['{"a":"line\\\\nand","b":"C: \\\\"}', false],
    ['// nothing: in C:/temp or C:\\temp', false],
  ])('names others to tools that fetch, and to nobody else: %s: %p', (content, isNamed) => {
    const messages = [{ role: 'user', content }];
    const own = [{ type: 'function', function: { name: 'fetch' } }];
    expect(asking({ messages, tools: own }).nameOthers).toBe(false);
    expect(asking({ messages, tools: own, web_search_options: null, enable_search: false }).nameOthers).toBe(
      false,
    );
    expect(asking({ messages, web_search_options: {} }).nameOthers).toBe(isNamed);
    expect(asking({ messages, tools: [...own, { type: 'web_search' }] }).nameOthers).toBe(isNamed);
    expect(asking({ messages, mcp_servers: [{ type: 'url', name: 'n' }] }).nameOthers).toBe(isNamed);
    // It searches by itself.
    expect(asking({ messages }, { facts: factsOf('sonar') }).nameOthers).toBe(isNamed);
  });

  /** What was looked up before. */
  const BEEN_THERE: JsonObject[] = [
    {
      input: ['open_page', 'search'].map((type) => ({
        type: 'web_search_call',
        id: 'ws',
        action: {
          type,
          url: 'https://page.example',
          sources: [{ type: 'url', url: 'https://page.example' }],
        },
      })),
    },
    {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', name: 'web_fetch', input: { url: 'https://page.example' } },
            {
              type: 'web_search_tool_result',
              content: [{ type: 'web_search_result', url: 'https://page.example' }],
            },
            {
              type: 'web_fetch_tool_result',
              content: { type: 'web_fetch_result', url: 'https://page.example', content: { title: 'x' } },
            },
          ],
        },
      ],
    },
  ];
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'https://schemas.example/a.json',
    properties: { url: { type: 'string', default: 'https://page.example' } },
  };
  it.each<JsonObject>([
    { tools: [{ type: 'function', function: { name: 'f', description: '// see', parameters: schema } }] },
    { tools: [{ name: 'f', description: 'https://docs.example', input_schema: schema }] },
    { tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: schema }] }] },
    { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } },
    {
      messages: [
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"url":"https://page.example"}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: '{"url":"https://page.example"}' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', name: 'f', input: { url: 'https://page.example' } }],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', content: [{ type: 'text', text: 'https://page.example' }] }],
        },
      ],
    },
    { input: [{ type: 'function_call', name: 'f', arguments: '{"url":"https://page.example"}' }] },
    { input: [{ type: 'function_call_output', call_id: 'c', output: 'https://page.example' }] },
    { contents: [{ parts: [{ functionCall: { name: 'f', args: { url: 'https://page.example' } } }] }] },
    {
      contents: [{ parts: [{ functionResponse: { name: 'f', response: { url: 'https://page.example' } } }] }],
    },
    {
      messages: [
        { role: 'assistant', content: 'x', annotations: [{ url_citation: { url: 'https://page.example' } }] },
      ],
    },
    { metadata: { site: 'https://page.example' }, user: 'https://page.example/me' },
    { messages: [{ role: 'user', content: '//comment' }], stop: ['//'] },
    { messages: [{ role: 'user', content: 'x' }], stop: ['https://'], tools: [{ type: 'web_search' }] },
    { messages: [{ role: 'user', content: 'x' }], stop_sequences: ['https://'] },
    { contents: [{ parts: [{ text: 'x' }] }], generationConfig: { stopSequences: ['https://'] } },
    ...BEEN_THERE,
    ...BEEN_THERE.map((body) => ({ ...body, tools: [{ type: 'web_search' }] })),
  ])('names nobody where his own tools and data do: %j', (body) => {
    const headers = new Headers({ referer: 'https://site.example', origin: 'https://site.example' });
    headers.set('user-agent', 'Client/1.0 (+https://client.example)');
    expect(asking(body, { headers, query: new URLSearchParams('a=https://b.example') }).nameOthers).toBe(
      false,
    );
  });

  it.each<JsonObject>([
    {
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'HTTP://pic.example/a' } }] },
      ],
    },
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: ' ht\ntps:pic.example/a' }] }] },
    {
      messages: [
        { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https:\\\\pic.example' } }] },
      ],
    },
    { messages: [{ role: 'user', content: [{ type: 'video', video: ['data:x', 'https://pic.example'] }] }] },
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'tool_result', content: [{ type: 'image', source: { url: 'https://p.example' } }] },
          ],
        },
      ],
    },
    { input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'ftp://page.example/a.pdf' }] }] },
    { tools: [{ type: 'mcp', server_label: 'n', server_url: 'https://mcp.example' }] },
    { contents: [{ parts: [{ fileData: { fileUri: 'https://page.example' } }] }] },
    { own_field: '{"link":"https:\\/\\/page.example"}' },
    { own_field: [{ deep: 's3://bucket/key' }] },
    {
      input: [
        { type: 'web_search_call', content: [{ type: 'input_image', image_url: 'https://p.example' }] },
      ],
    },
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'web_fetch_result', content: { source: { type: 'url', url: 'https://p.example' } } },
          ],
        },
      ],
    },
  ])('names others where a field is an address: %j', (body) => {
    expect(asking(body).nameOthers).toBe(true);
  });

  it('is looked through once, however deep it lies', () => {
    const looksAt = (depth: number): number => {
      let looks = 0;
      const texts = new Proxy<Json[]>(
        Array.from({ length: 100 }, () => ''),
        {
          get(list, key, receiver) {
            looks++;
            return Reflect.get(list, key, receiver);
          },
        },
      );
      const x = Array.from({ length: depth }).reduce<Json>((inner) => [inner], texts);
      expect(asking({ x }).nameAddresses).toBe(false);
      return looks;
    };
    const flat = looksAt(0);
    expect(flat).toBeGreaterThan(100);
    expect(looksAt(55)).toBe(flat);
  });

  it('names others in what he has embedded, ranked or drawn', () => {
    const input = ['https://pic.example/a.png'];
    expect(asking({ input }, { operation: 'embeddings' }).nameOthers).toBe(true);
    expect(asking({ input: 'see https://pic.example' }, { operation: 'embeddings' }).nameOthers).toBe(false);
    expect(asking({ documents: input, query: 'x' }, { operation: 'rerank' }).nameOthers).toBe(true);
  });
});
