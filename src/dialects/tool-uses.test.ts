import { describe, expect, test } from 'bun:test';
import type { Json, JsonObject } from '../core/json.ts';
import { AS_SHOWN, type VendorBill } from '../core/vendor-bill.ts';
import { ToolCounter, toolModels, toolUsesIn } from './tool-uses.ts';

/** As vendors bill at their own addresses. */
const VENDORS: VendorBill = { freePages: true, tellsSearches: true, freeRepeats: true };

/** What the caller runs himself. */
const CALLED: JsonObject[] = [
  ...['custom_tool_call', 'computer_call', 'local_shell_call', 'apply_patch_call'].map((type) => ({ type })),
  { type: 'shell_call', environment: { type: 'local' } },
];

/** It leans on a page. */
const LEANS: JsonObject = { message: { content: 'News.', annotations: [{ type: 'url_citation' }] } };

/** What a search of this id has found, and one that found nothing for a reason. */
const shown = (id: string, content: Json = []): JsonObject => ({
  type: 'web_search_tool_result',
  tool_use_id: id,
  content,
});
const FAILED = shown('f', { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' });

const webCall = (id: string, action?: string): JsonObject => ({
  type: 'web_search_call',
  id,
  ...(action !== undefined && { action: { type: action } }),
});
const SEARCH_AND_PAGES = ['search', 'open_page', 'find_in_page'].map((action) => webCall(action, action));
const billed = (num_requests: Json): JsonObject => ({ tool_usage: { web_search: { num_requests } } });

test.each<[string, JsonObject, object]>([
  [
    'Anthropic',
    { usage: { input_tokens: 1, server_tool_use: { web_search_requests: 3 } } },
    { web_search: 3 },
  ],
  [
    'Anthropic, beside what costs tokens alone',
    { usage: { server_tool_use: { web_search_requests: 1, web_fetch_requests: 2 } } },
    { web_search: 1 },
  ],
  [
    'LiteLLM, which shows what it has searched itself and counts none',
    {
      content: [shown('a'), shown('b'), shown('b'), shown(''), shown(''), FAILED],
      usage: { input_tokens: 1 },
    },
    { web_search: 4 },
  ],
  [
    'some gateway that shows searches beside a count of none',
    { content: [shown('a')], usage: { server_tool_use: { web_search_requests: 0 } } },
    { web_search: 1 },
  ],
  [
    'Anthropic, whose count holds beside what it shows',
    { content: [shown('a'), shown('b')], usage: { server_tool_use: { web_search_requests: 1 } } },
    { web_search: 1 },
  ],
  [
    'Anthropic, where all have failed',
    { content: [FAILED], usage: { server_tool_use: { web_search_requests: 0 } } },
    { web_search: 0 },
  ],
  [
    'LiteLLM, of what Google has found',
    { usage: { prompt_tokens_details: { cached_tokens: 0, web_search_requests: 4 } }, choices: [LEANS] },
    { web_search: 4 },
  ],
  [
    'LiteLLM, on the wire of Responses',
    { usage: { input_tokens_details: { web_search_requests: 2 } } },
    { web_search: 2 },
  ],
  ['LiteLLM, beside the details', { usage: { web_search_requests: 3 } }, { web_search: 3 }],
  [
    'whoever fills in zeros of what another word tells',
    {
      usage: {
        server_tool_use: { web_search_requests: 0 },
        prompt_tokens_details: { web_search_requests: 0 },
        input_tokens_details: { web_search_requests: 2 },
      },
    },
    { web_search: 2 },
  ],
  [
    'LiteLLM, where it found nothing to count',
    { usage: { prompt_tokens_details: { web_search_requests: null } }, choices: [LEANS] },
    { web_search: 1 },
  ],
  [
    'Responses',
    {
      output: [
        { type: 'web_search_call' },
        { type: 'web_search_call' },
        { type: 'file_search_call' },
        { type: 'code_interpreter_call' },
        { type: 'image_generation_call', quality: 'low', result: 'iVBO' },
        { type: 'image_generation_call', result: 'iVBO' },
        // Moderation has stopped these.
        { type: 'image_generation_call', status: 'failed', result: null },
        { type: 'image_generation_call', result: '' },
        { type: 'image_generation_call', status: 'generating' },
        { type: 'message' },
      ],
    },
    { web_search: 2, file_search: 1, code_interpreter: 1, image_generation_low: 1, image_generation_high: 1 },
  ],
  ['OpenAI, which opens pages for nothing', { output: SEARCH_AND_PAGES }, { web_search: 1 }],
  [
    'OpenAI, which tells what it bills',
    { output: [...SEARCH_AND_PAGES, { type: 'web_search_call' }], ...billed(1) },
    { web_search: 1 },
  ],
  ['OpenAI, which bills more than it shows', { output: SEARCH_AND_PAGES, ...billed(3) }, { web_search: 3 }],
  ['OpenAI, which has searched for nothing', { output: [], ...billed(0) }, { web_search: 0 }],
  [
    'some gateway that fills in zeros beside what it shows',
    { output: SEARCH_AND_PAGES, ...billed(0) },
    { web_search: 1 },
  ],
  ['some gateway that tells no number', { output: SEARCH_AND_PAGES, ...billed('1') }, { web_search: 1 }],
  [
    'Perplexity, by what it shows',
    { output: [{ type: 'search_results' }, { type: 'fetch_url_results' }, { type: 'message' }] },
    { web_search: 1, fetch_url: 1 },
  ],
  [
    'Perplexity, by what it counts',
    {
      output: [{ type: 'search_results' }, { type: 'message' }],
      usage: { tool_calls_details: { search_web: { invocation: 10 }, fetch_url: { invocation: 2 } } },
    },
    { web_search: 10, fetch_url: 2 },
  ],
  [
    'Responses, by the container and not by the call',
    {
      output: [
        { type: 'code_interpreter_call', id: 'ci_1', container_id: 'cntr_1' },
        { type: 'code_interpreter_call', id: 'ci_2', container_id: 'cntr_1' },
        { type: 'code_interpreter_call', id: 'ci_3', container_id: 'cntr_2' },
        {
          type: 'shell_call',
          id: 'sh_1',
          environment: { type: 'container_reference', container_id: 'cntr_3' },
        },
        {
          type: 'shell_call',
          id: 'sh_2',
          environment: { type: 'container_reference', container_id: 'cntr_3' },
        },
        { type: 'shell_call', id: 'sh_3', environment: null },
        { type: 'shell_call', id: 'sh_4', environment: { type: 'local' } },
      ],
    },
    { code_interpreter: 2, shell: 1, shell_somewhere: 1 },
  ],
  ['Gemini', { candidates: [{ groundingMetadata: { webSearchQueries: ['a', 'b'] } }] }, { google_search: 2 }],
  [
    'Gemini that looks for pictures',
    { candidates: [{ groundingMetadata: { webSearchQueries: ['a'], imageSearchQueries: ['b', 'c'] } }] },
    { google_search: 3 },
  ],
  [
    'Gemini that tells a query again, and one that is empty',
    {
      candidates: [
        { groundingMetadata: { webSearchQueries: ['a', 'b', 'a', '', ' '], imageSearchQueries: ['a'] } },
        { groundingMetadata: { webSearchQueries: ['b', 'c', null] } },
        { groundingMetadata: { groundingChunks: [{}] } },
      ],
    },
    { google_search: 5 },
  ],
  [
    'Responses of tools that have no price here',
    {
      output: [
        ...CALLED,
        { type: 'knowledge_search_call' },
        { type: 'mcp_call' },
        { type: 'function_call' },
        { type: 'constructor' },
      ],
    },
    { knowledge_search: 1 },
  ],
  [
    'Gemini without queries',
    { candidates: [{ groundingMetadata: { groundingChunks: [{}] } }] },
    { google_search: 1 },
  ],
  [
    'Gemini that was told what to fetch',
    {
      candidates: [
        {
          groundingMetadata: { groundingChunks: [{ web: { uri: 'https://a.example' } }] },
          urlContextMetadata: { urlMetadata: [{ retrievedUrl: 'https://a.example' }] },
        },
      ],
    },
    {},
  ],
  [
    'a search model',
    { choices: [{ message: { annotations: [{ type: 'url_citation' }] } }] },
    { web_search: 1 },
  ],
  [
    'Groq, which tells what it has run',
    {
      choices: [
        {
          message: {
            executed_tools: [
              'search',
              'python',
              'visit_website',
              'browser_automation',
              'wolfram_alpha',
              'else',
            ].map((type, index) => ({ type, index })),
          },
        },
      ],
    },
    { web_search: 1, code_execution: 1, visit_website: 1, browser_automation: 1, wolfram_alpha: 1 },
  ],
  ['Perplexity', { usage: { num_search_queries: 4 } }, { web_search: 4 }],
  [
    'xAI, which counts what succeeded',
    {
      output: [{ type: 'x_search_call' }, { type: 'custom_tool_call', name: 'x_keyword_search' }],
      usage: { server_side_tool_usage_details: { x_search_calls: 1, document_search_calls: 2 } },
    },
    { x_search: 1, attachment_search: 2 },
  ],
  [
    'xAI without a count',
    {
      output: [
        { type: 'x_search_call' },
        { type: 'custom_tool_call', name: 'x_semantic_search' },
        { type: 'custom_tool_call', name: 'x_thread_fetch' },
        { type: 'custom_tool_call', name: 'own' },
      ],
    },
    { x_search: 3 },
  ],
  ['absurd counts', { usage: { server_tool_use: { web_search_requests: 1e12 } } }, { web_search: 1000 }],
  ['no tool', { usage: { prompt_tokens: 1 }, choices: [{ message: { content: 'x' } }] }, {}],
])('an answer of %s tells what its tools were used', (_, answer, uses) => {
  expect(toolUsesIn(answer, VENDORS)).toEqual(uses as never);
});

test.each<[string, JsonObject, object]>([
  ['each call of a search is one, whatever it does', { output: SEARCH_AND_PAGES }, { web_search: 3 }],
  ['no number is less than what is shown', { output: SEARCH_AND_PAGES, ...billed(1) }, { web_search: 3 }],
  ['a number may be more', { output: SEARCH_AND_PAGES, ...billed(4) }, { web_search: 4 }],
  ['nothing says that there was none', { output: [], ...billed(0) }, {}],
  [
    'xAI counts its own, wherever it is told',
    { output: SEARCH_AND_PAGES, usage: { server_side_tool_usage_details: { web_search_calls: 2 } } },
    { web_search: 2 },
  ],
  [
    'each query is a search',
    {
      candidates: [
        { groundingMetadata: { webSearchQueries: ['a', 'a', ''] } },
        { groundingMetadata: { webSearchQueries: ['a'] } },
      ],
    },
    { google_search: 4 },
  ],
])('who sells on what a vendor has made bills what is shown: %s', (_, answer, uses) => {
  expect(toolUsesIn(answer, AS_SHOWN)).toEqual(uses as never);
  const completed = { type: 'response.completed', response: answer };
  expect(countedBy(AS_SHOWN, 'candidates' in answer ? answer : completed)).toEqual(uses as never);
});

test('what is no answer has used nothing', () => {
  for (const none of [null, 'x', [], 5]) expect(toolUsesIn(none, AS_SHOWN)).toEqual({});
});

function countedBy(bill: VendorBill, ...events: object[]) {
  const counter = new ToolCounter(bill);
  for (const event of events) counter.look(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
  return counter.uses;
}

function heardBy(bill: VendorBill, ...events: object[]) {
  const counter = new ToolCounter(bill);
  for (const event of events) counter.hear(JSON.stringify(event));
  return counter.uses;
}

describe('a stream', () => {
  const counted = (...events: object[]) => countedBy(VENDORS, ...events);

  test('of Anthropic tells totals as it goes', () => {
    const usage = (web_search_requests: number) => ({ usage: { server_tool_use: { web_search_requests } } });
    expect(
      counted({ type: 'message_start', message: usage(0) }, { type: 'message_delta', ...usage(2) }),
    ).toEqual({ web_search: 2 });
  });

  test('of LiteLLM tells at its end what Google has found', () => {
    const usage = { prompt_tokens_details: { web_search_requests: 4 } };
    expect(counted({ choices: [{ delta: { content: 'News.' } }] }, { choices: [], usage })).toEqual({
      web_search: 4,
    });
  });

  test('counts a use when it begins', () => {
    const item = { id: 'ws_1', type: 'web_search_call' };
    const begun = [
      { type: 'response.output_item.added', item },
      { type: 'response.output_item.added', item: { ...item, id: 'ws_2' } },
    ];
    expect(counted(...begun)).toEqual({ web_search: 2 });
    expect(counted(...begun, { type: 'response.output_item.done', item })).toEqual({ web_search: 2 });
    const block = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
    expect(counted({ type: 'content_block_start', content_block: block })).toEqual({ web_search: 1 });
    // Searches of today run it unasked.
    const code = { type: 'server_tool_use', id: 'srvtoolu_2', name: 'code_execution', input: {} };
    expect(counted({ type: 'content_block_start', content_block: code })).toEqual({});
    // What no price here knows, an operator may have one for.
    const other = { ...block, name: 'of_the_future' };
    expect(counted({ type: 'content_block_start', content_block: other })).toEqual({ of_the_future: 1 });
  });

  test('of Anthropic counts in the end what it charges: what failed was free', () => {
    const content_block = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search' };
    const usage = { output_tokens: 1, server_tool_use: { web_search_requests: 0 } };
    expect(counted({ type: 'content_block_start', content_block }, { type: 'message_delta', usage })).toEqual(
      { web_search: 0 },
    );
  });

  test('of OpenAI opens pages for nothing, which begin as searches do', () => {
    const begins = (id: string) => ({ type: 'response.output_item.added', item: webCall(id) });
    const ends = (id: string, action: string) => ({
      type: 'response.output_item.done',
      item: webCall(id, action),
    });
    const begun = [begins('a'), ends('a', 'search'), begins('b')];
    const all = [...begun, ends('b', 'open_page')];
    const completed = (answer: JsonObject) => ({ type: 'response.completed', response: answer });
    expect(counted(...begun)).toEqual({ web_search: 2 });
    expect(counted(...all)).toEqual({ web_search: 1 });
    expect(counted(...all, completed({ output: SEARCH_AND_PAGES }))).toEqual({ web_search: 1 });
    expect(counted(...all, completed({ output: [], ...billed(0) }))).toEqual({ web_search: 1 });
    expect(counted(...all, completed({ output: [], ...billed(2) }))).toEqual({ web_search: 2 });
    // Of one that nobody saw the end of, too.
    expect(counted(...begun, completed({ output: SEARCH_AND_PAGES, ...billed(1) }))).toEqual({
      web_search: 1,
    });
    // Who sells that on bills each call.
    const told = completed({ output: SEARCH_AND_PAGES, ...billed(1) });
    expect(countedBy(AS_SHOWN, ...all, told)).toEqual({ web_search: 3 });
    expect(countedBy(AS_SHOWN, ...all, completed({ output: [], ...billed(5) }))).toEqual({ web_search: 5 });
  });

  test('of a session counts as others do', () => {
    const heard = (...events: object[]) => heardBy(VENDORS, ...events);
    const added = { type: 'response.output_item.added', item: webCall('open_page') };
    const done = (answer: JsonObject) => ({ type: 'response.done', response: answer });
    expect(heard(added)).toEqual({ web_search: 1 });
    expect(heard(added, done({ output: SEARCH_AND_PAGES }))).toEqual({ web_search: 1 });
    expect(heard(added, done({ output: SEARCH_AND_PAGES, ...billed(2) }))).toEqual({ web_search: 2 });
    const nameless = SEARCH_AND_PAGES.map(({ id: _, ...item }) => item);
    expect(heard(done({ output: nameless }))).toEqual({ web_search: 1 });
    expect(heardBy(AS_SHOWN, done({ output: nameless, ...billed(1) }))).toEqual({ web_search: 3 });
    expect(heardBy(AS_SHOWN, done({ output: nameless, ...billed(4) }))).toEqual({ web_search: 4 });
  });

  test('of LiteLLM shows what it has searched itself, and counts none', () => {
    const begins = (index: number, content_block: JsonObject) => ({
      type: 'content_block_start',
      index,
      content_block,
    });
    const searches = [begins(0, shown('a')), begins(1, shown('')), begins(2, shown('')), begins(3, FAILED)];
    const ends = (usage: JsonObject) => ({ type: 'message_delta', usage: { output_tokens: 1, ...usage } });
    const told = (web_search_requests: number) => ends({ server_tool_use: { web_search_requests } });
    expect(counted(...searches, ends({}))).toEqual({ web_search: 3 });
    expect(counted(...searches, told(0))).toEqual({ web_search: 3 });
    expect(counted(...searches, told(2))).toEqual({ web_search: 2 });
    const called = begins(0, { type: 'server_tool_use', id: 'a', name: 'web_search' });
    expect(counted(called, begins(1, shown('a')), ends({}))).toEqual({ web_search: 1 });
  });

  test('of Responses tells the quality of a picture when it is drawn', () => {
    const item = { id: 'ig_1', type: 'image_generation_call' };
    expect(
      counted(
        { type: 'response.output_item.added', item },
        { type: 'response.output_item.done', item: { ...item, quality: 'low', result: 'iVBO' } },
      ),
    ).toEqual({ image_generation_low: 1 });
  });

  describe('of pictures that never came', () => {
    const item = { id: 'ig_1', type: 'image_generation_call', status: 'in_progress', result: null };
    const begins = { type: 'response.output_item.added', output_index: 0, item };
    const fails = {
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...item, status: 'failed' },
    };
    const shows = (quality?: string) => ({
      type: 'response.image_generation_call.partial_image',
      output_index: 0,
      item_id: 'ig_1',
      partial_image_b64: 'iVBO',
      ...(quality !== undefined && { quality }),
    });
    const ends = (type: string, status = 'completed') => ({
      type: `response.${type}`,
      response: { status, output: [] },
    });

    test.each<[string, object[], object]>([
      ['one that is being drawn is one', [begins], { image_generation_high: 1 }],
      ['one that has failed is none', [begins, fails], {}],
      ['or is over without any', [begins, { ...fails, item: { ...item, status: 'completed' } }], {}],
      ['one that has not come by the end is none', [begins, ends('completed')], {}],
      ['nor by an end for its length', [begins, ends('incomplete')], {}],
      ['one that was shown half-done is one', [begins, shows('low'), fails], { image_generation_low: 1 }],
      [
        'though its answer ended before it was whole',
        [begins, shows('low'), { ...fails, item: { ...item, status: 'incomplete' } }, ends('incomplete')],
        { image_generation_low: 1 },
      ],
      ['of whatever quality it was', [begins, shows(), ends('completed')], { image_generation_high: 1 }],
      ['and so is one of which nothing else is told', [shows('medium')], { image_generation_medium: 1 }],
      [
        'one that came is one, whatever is said of it',
        [begins, { ...fails, item: { ...item, status: 'failed', quality: 'low', result: 'iVBO' } }, fails],
        { image_generation_low: 1 },
      ],
    ])('%s', (_, events, uses) => {
      expect(counted(...events)).toEqual(uses as never);
    });

    test('all is over where the upstream has failed', () => {
      const counter = new ToolCounter(AS_SHOWN);
      const two = { ...begins, output_index: 1, item: { ...item, id: 'ig_2' } };
      for (const event of [begins, two, shows('low')])
        counter.look(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
      expect(counter.uses).toEqual({ image_generation_low: 1, image_generation_high: 1 });
      counter.endDrawing();
      expect(counter.uses).toEqual({ image_generation_low: 1 });
    });

    test('so it is in sessions, but where the caller has ended the answer', () => {
      const heard = (...events: object[]) => heardBy(AS_SHOWN, ...events);
      expect(heard(begins)).toEqual({ image_generation_high: 1 });
      expect(heard(begins, fails)).toEqual({});
      expect(heard(begins, ends('done', 'failed'))).toEqual({});
      expect(heard(begins, ends('done'))).toEqual({});
      const cut = { ...item, status: 'incomplete' };
      const cancelled = { type: 'response.done', response: { status: 'cancelled', output: [cut] } };
      expect(heard(begins, { ...fails, item: cut }, cancelled)).toEqual({ image_generation_high: 1 });
      const came = { ...item, status: 'completed', quality: 'low', result: 'iVBO' };
      const done = { type: 'response.done', response: { status: 'completed', output: [came] } };
      expect(heard(begins, done)).toEqual({ image_generation_low: 1 });
    });
  });

  test('of Responses tells them at its end', () => {
    const output = [{ type: 'web_search_call' }];
    expect(counted({ type: 'response.completed', response: { output } })).toEqual({ web_search: 1 });
  });

  test('of Responses tells the rounds of its programs, whose uses cost nothing', () => {
    const counter = new ToolCounter(VENDORS);
    for (const item of [
      { id: 'p_1', type: 'program', code: 'text(await f())' },
      { id: 'po_1', type: 'program_output', result: 'so many words '.repeat(100) },
    ]) {
      const event = { type: 'response.output_item.done', item };
      counter.look(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
    }
    expect(counter.found).toHaveLength(1);
    expect(counter.foundTokens).toBeGreaterThan(100);
    expect(counter.uses).toEqual({});
  });

  test('of Responses tells how long the lists of its servers are, which are no uses', () => {
    const counter = new ToolCounter(VENDORS);
    const tools = [{ name: 'f', description: 'so many words '.repeat(100) }];
    for (const item of [
      { id: 'l_1', type: 'mcp_list_tools', tools: [] },
      { id: 'l_1', type: 'mcp_list_tools', tools },
      { id: 'l_2', type: 'mcp_list_tools' },
    ]) {
      const event = { type: 'response.output_item.done', item };
      counter.look(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
    }
    expect(counter.listed).toEqual([expect.any(Number), 0]);
    expect(counter.listed[0]).toBeGreaterThan(100);
    expect([counter.found, counter.uses]).toEqual([[], {}]);
  });

  test('of Responses weighs those lists as tools, which is less than what the same says elsewhere', () => {
    const properties = {
      owner: { type: 'string', description: 'Whose repository it is' },
      page: { type: 'number' },
    };
    const input_schema = { type: 'object', properties, required: ['owner'], additionalProperties: false };
    const tool = { name: 'list_issues', description: 'Lists all issues', input_schema };
    const tools = Array.from({ length: 300 }, () => tool);
    const counter = new ToolCounter(VENDORS);
    const event = { type: 'response.output_item.done', item: { id: 'l_1', type: 'mcp_list_tools', tools } };
    counter.look(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
    expect(counter.listed).toEqual([Math.ceil(JSON.stringify(tools).length / 2)]);
  });

  test('of Moonshot tells each search that its model calls, in one frame or in several', () => {
    const calls = (...tool_calls: JsonObject[]) => ({ choices: [{ index: 0, delta: { tool_calls } }] });
    const search = (index: number) => ({ index, id: `c_${index}`, function: { name: '$web_search' } });
    const more = (index: number) => ({ index, function: { arguments: '"$web_search"' } });
    expect(counted(calls(search(0)), calls(more(0)), calls(search(1)), calls(more(1)))).toEqual({
      web_search: 2,
    });
    expect(counted(calls(search(0), search(1)), calls(search(1)))).toEqual({ web_search: 2 });
  });

  test('of Gemini tells them where they stand', () => {
    expect(
      counted({ candidates: [{ groundingMetadata: { webSearchQueries: ['a'] } }] }, { candidates: [{}] }),
    ).toEqual({ google_search: 1 });
    const searched = (...webSearchQueries: string[]) => ({
      candidates: [{ groundingMetadata: { webSearchQueries } }],
    });
    expect(counted(searched('a', 'b'), searched(''), searched('b', 'c'))).toEqual({ google_search: 3 });
  });
});

test.each<[JsonObject, string[]]>([
  [{ type: 'image_generation', model: 'gpt-image-1' }, ['gpt-image-1']],
  [{ type: 'image_generation', model: 'a', svg: { model: 'b', reasoning: {} } }, ['a', 'b']],
  [{ type: 'of_the_future', steps: [{ by: { model: 'a' } }, { model: ['b'] }] }, ['a', 'b']],
  [{ type: 'namespace', tools: [{ type: 'of_the_future', parameters: { model: 'a' } }] }, ['a']],
  // What the caller runs has a schema there.
  [{ type: 'function', parameters: { properties: { model: { default: { model: 'a' } } } } }, []],
  [{}, []],
])('tools may name models, at any depth: %j', (tool, models) => {
  expect(toolModels({ tools: [tool] })).toEqual(models);
});
