import { describe, expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { believedUses, NO_TOOLS, type PaidTool, type PaidTools } from '../core/paid-tools.ts';
import type { ToolUses } from '../core/price-formula.ts';
import { readsBilled } from '../core/tool-reading.ts';
import { AS_SHOWN } from '../core/vendor-bill.ts';
import {
  chatTools,
  geminiTools,
  messagesTools,
  responsesTools,
  runsCode,
  withCallLimit,
  withUnasked,
  withUseLimits,
} from './asked-tools.ts';
import { containersOf } from './containers.ts';
import { toolUsesIn } from './tool-uses.ts';

type Found = [name: string, most: number | null][];
const uses = (paid: PaidTools): Found => paid.tools.map(({ as, most }) => [as[0] ?? '', most]);
const PRO = { search_type: 'pro' };

describe('the paid tools that a request may set off', () => {
  it.each<[JsonObject, string, number | null]>([
    [{}, 'groq/compound', 10],
    [{ tools: [{ type: 'browser_search' }] }, 'openai/gpt-oss-120b', null],
    [{ tools: [{ type: 'code_interpreter' }] }, 'openai/gpt-oss-120b', null],
  ])('are those that Groq tells at the end, whichever it runs: %j of %p', (body, model, most) => {
    const [tool] = chatTools(body, [model]).tools;
    expect(tool).toMatchObject({ most, toldLate: true });
    expect(tool?.as).toContainValues(['web_search', 'code_execution', 'visit_website', 'browser_automation']);
  });

  it.each<[JsonObject, string, Found]>([
    [{}, 'gpt-4o', []],
    [{ tools: [{ type: 'function' }, { type: 'custom' }, { function: {} }] }, 'gpt-4o', []],
    [{ web_search_options: null }, 'gpt-4o', []],
    [{ web_search_options: {} }, 'gpt-4o', [['web_search', 1]]],
    [{}, 'gpt-4o-search-preview', [['web_search_preview', 1]]],
    [{ enable_search: true }, 'gpt-4o-mini-search-preview', [['web_search_preview', 1]]],
    [{}, 'gpt-5-search-api', [['web_search', 1]]],
    [{}, 'openai/gpt-4o:online', [['web_search', 1]]],
    [{}, 'groq/compound', [['web_search', 10]]],
    [{}, 'groq/compound-mini', [['web_search', 1]]],
    [{ plugins: [{ id: 'web' }] }, 'm', [['web_search', 1]]],
    [{}, 'sonar', [['web_search', 1]]],
    [{}, 'sonar-deep-research', [['web_search', null]]],
    [{ web_search_options: { search_context_size: 'medium' } }, 'sonar-pro', [['web_search', 1]]],
    [{ web_search_options: { search_context_size: 'high' } }, 'sonar-pro', [['web_search_high', 1]]],
    [{ web_search_options: { search_context_size: 'high' } }, 'sonar-deep-research', [['web_search', null]]],
    [{ stream: true, web_search_options: { search_type: 'fast' } }, 'sonar-pro', [['web_search', 1]]],
    [{ stream: true, web_search_options: PRO }, 'sonar-pro', [['web_search_pro', 1]]],
    [{ stream: true, web_search_options: { search_type: 'auto' } }, 'sonar-pro', [['web_search_pro', 1]]],
    [{ stream: false, web_search_options: PRO }, 'sonar-pro', [['web_search', 1]]],
    [{ stream: true, web_search_options: PRO }, 'sonar-deep-research', [['web_search', null]]],
    [{}, 'perplexity/sonar-pro-search', [['web_search_pro', 1]]],
    [{ tools: [{ type: 'web_search_20250305', max_uses: 7 }] }, 'm', [['web_search', 7]]],
    [{ search_parameters: { mode: 'off' } }, 'grok', []],
    [{ search_parameters: { max_search_results: 9 } }, 'grok', [['search_source', 9]]],
    [{ search_parameters: { max_search_results: '9' } }, 'grok', [['search_source', 20]]],
  ])('on the chat wire: %j of %p', (body, model, tools) => {
    expect(uses(chatTools(body, [model]))).toEqual(tools);
  });

  it.each<[options: JsonObject, most: number | null]>([
    [{}, null],
    [{ search_context_size: null }, null],
    [{ search_context_size: 'low' }, 1],
    [{ search_context_size: 'medium' }, 5],
    [{ search_context_size: 'high' }, 10],
    [{ search_context_size: 'of the future' }, null],
  ])('are as many as a gateway lets a Claude make of them, by either of its names: %j', (options, most) => {
    const asked = { web_search_options: options };
    for (const names of [
      ['claude-sonnet-4-6'],
      ['fast', 'claude-opus-4-6'],
      ['eu.anthropic.Claude-x', 'fast'],
    ])
      for (const more of [{}, { enable_search: true }, { plugins: [{ id: 'web' }] }])
        expect(uses(chatTools({ ...asked, ...more }, names))).toEqual([['web_search', most]]);
    expect(uses(chatTools({}, ['claude-opus-4-6:online']))).toEqual([['web_search', 1]]);
  });

  it.each<[JsonObject, string]>([
    [{}, 'web_search'],
    [{ web_search_options: { search_context_size: 'high' } }, 'web_search_high'],
    [{ stream: true, web_search_options: PRO }, 'web_search_pro'],
  ])('are paid by the request where a model always searches, however often it tells: %j', (body, as) => {
    const paid = chatTools(body, ['sonar-pro']);
    for (const told of [toolUsesIn({}, AS_SHOWN), { web_search: 0 }, { web_search: 9 }])
      expect(believedUses(told, paid, {}, {})).toEqual({ uses: { [as]: 1 }, suspect: false, unasked: false });
  });

  it('are paid by the search where a model researches', () => {
    const paid = chatTools({}, ['sonar-deep-research']);
    expect(believedUses({ web_search: 9 }, paid, {}, {})).toEqual({
      uses: { web_search: 9 },
      suspect: false,
      unasked: false,
    });
  });

  const OPTION: JsonObject = { web_search_options: {} };
  it.each<[names: string[], JsonObject, charged: ToolUses]>([
    [['sonar-deep-research'], {}, { web_search: 3 }],
    [['groq/compound'], {}, { web_search: 1 }],
    [['sonar-pro'], {}, { web_search: 1 }],
    // That it may cost what either name says makes nothing sure.
    [['gpt-5', 'my-search-preview'], OPTION, {}],
    [['gpt-5', 'sonar-pro-search'], OPTION, {}],
    [['gpt-5'], OPTION, {}],
  ])('are charged where no wire beside chats tells them, as far as they are sure: %j %j', (...given) => {
    const [names, body, charged] = given;
    const paid = withUnasked(NO_TOOLS, body, names);
    expect(believedUses({}, paid, {}, { deep_research: 3 }).uses).toEqual(charged);
  });

  const SEARCH = { tools: [{ type: 'web_search' }] };
  it.each<[typeof chatTools, JsonObject]>([
    [chatTools, { web_search_options: {} }],
    [chatTools, { web_search_options: {}, enable_search: true }],
    [chatTools, SEARCH],
    [chatTools, { tools: [{ type: 'web_search_preview' }] }],
    [responsesTools, SEARCH],
    [responsesTools, { tools: [{ type: 'web_search_preview' }] }],
    [messagesTools, { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }] }],
  ])('cost what Google takes for its own where its model is asked, by %p %j', (read, body) => {
    const charged = (told: number, ...names: string[]) =>
      believedUses({ web_search: told }, read(body, names), {}, { google_search: 10 }).uses;
    for (const names of [
      ['vertex_ai/gemini-2.5-flash-lite'],
      ['my-flash', 'gemini-2.5-flash-lite'],
      ['gemini-2.5-flash-lite', 'my-flash'],
    ])
      expect(charged(4, ...names)).toEqual({ google_search_prompt: 1 });
    expect(charged(4, 'gemini-3-flash-preview')).toEqual({ google_search: 4 });
    expect(charged(0, 'gemini-3-flash-preview')).toEqual({});
    // What its operator calls so is another maker's.
    expect(charged(1, 'gpt-5', 'gemini-3')).toEqual({ web_search: 1 });
  });

  it('are charged in any case where a service searches for every answer of a model of Google’s', () => {
    const paid = chatTools({ web_search_options: {}, plugins: [{ id: 'web' }] }, ['google/gemini-3-pro']);
    expect(believedUses({}, paid, {}, {}).uses).toEqual({ google_search: 1 });
  });

  it.each<[JsonObject, string, boolean]>([
    [{}, 'gpt-4o-search-preview', true],
    [{}, 'gpt-4o-mini-search-preview-2025-03-11', true],
    [{}, 'gpt-5-search-api', true],
    [{}, 'openai/gpt-4o:online', true],
    [{ plugins: [{ id: 'web' }] }, 'm', true],
    [{ plugins: [{ id: 'web', enabled: false }] }, 'm', false],
    // Whether it was, only what the answer cites tells.
    [{ web_search_options: {} }, 'gpt-4o', false],
  ])(
    'are used for every answer where their service searches before it writes: %j of %p',
    (body, model, is) => {
      expect(chatTools(body, [model]).tools.some(({ always }) => always === 1)).toBe(is);
    },
  );

  it.each<[JsonObject, Found]>([
    [{ tools: [{ type: 'function' }, { type: 'mcp' }, { type: 'programmatic_tool_calling' }] }, []],
    [
      { tools: [{ type: 'web_search_preview_2025_03_11' }, { type: 'web_search_2025_08_26' }] },
      [
        ['web_search', null],
        ['web_search', null],
      ],
    ],
    // What only begins like one is another tool, and its uses are told by its own name.
    [{ tools: [{ type: 'web_search_image' }] }, [['web_search_image', null]]],
    [{ tools: [{ type: 'x_search' }, { type: 'view_image' }] }, [['x_search', null]]],
    // What has no price here goes by the operator's, if he has one for its name.
    [{ tools: [{ type: 'constructor' }] }, [['constructor', null]]],
    [{ tools: [{ type: 'image_generation', quality: 'medium' }] }, [['image_generation_medium', null]]],
    // Wherever they stand.
    [
      {
        tools: [{ type: 'namespace', tools: [{ type: 'x_search' }] }],
        input: [
          { type: 'additional_tools', tools: [{ type: 'namespace', tools: [{ type: 'file_search' }] }] },
          { type: 'tool_search_output', tools: [{ type: 'image_generation', quality: 'low' }] },
        ],
      },
      [
        ['x_search', null],
        ['file_search', null],
        ['image_generation_low', null],
      ],
    ],
    [
      { tools: [{ type: 'file_search' }, { type: 'code_interpreter' }] },
      [
        ['file_search', null],
        ['code_interpreter', null],
      ],
    ],
  ])('on the Responses wire: %j', (body, tools) => {
    expect(uses(responsesTools(body, ['gpt-5']))).toEqual(tools);
  });

  it.each<[model: string, tools: string[], found: string[]]>([
    ['gpt-4.1', ['web_search_preview'], ['web_search_preview']],
    ['gpt-4.1', ['web_search'], ['web_search']],
    // An answer tells both by one name.
    [
      'gpt-4.1',
      ['web_search', 'web_search_preview_2025_03_11'],
      ['web_search_preview', 'web_search_preview'],
    ],
    ['o4-mini-deep-research', ['web_search_preview'], ['web_search']],
  ])('search at the price of before where its model does not think: %s with %j', (model, types, found) => {
    const { tools } = responsesTools({ tools: types.map((type) => ({ type })) }, [model]);
    expect(tools.map(({ as }) => as[0] ?? '')).toEqual(found);
  });

  it.each<[JsonObject[], Found]>([
    [[{ type: 'code_interpreter', container: { type: 'auto' } }], [['code_interpreter', null]]],
    [
      [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '1g' } }],
      [['code_interpreter', null]],
    ],
    [
      [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '4g' } }],
      [['code_interpreter_4g', null]],
    ],
    [[{ type: 'code_interpreter', container: { memory_limit: ' 64G ' } }], [['code_interpreter_64g', null]]],
    // Nobody knows what it costs.
    [
      [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: 128 } }],
      [['code_interpreter_64g', null]],
    ],
    // Which of them runs is the upstream's choice.
    [
      [
        { type: 'code_interpreter' },
        { type: 'code_interpreter', container: { memory_limit: '16g' } },
        { type: 'code_interpreter', container: { memory_limit: '4g' } },
      ],
      [['code_interpreter_16g', null]],
    ],
    [[{ type: 'shell', environment: { type: 'container_auto' } }], [['shell', null]]],
    [
      [{ type: 'shell', environment: { type: 'container_auto', memory_limit: '64g' } }],
      [['shell_64g', null]],
    ],
    [[{ type: 'shell', environment: { type: 'container_reference', container_id: 'c' } }], [['shell', null]]],
    [[{ type: 'shell' }], [['shell', null]]],
    // The caller's own machine.
    [[{ type: 'shell', environment: { type: 'local' } }], []],
    [[{ type: 'local_shell' }], []],
  ])('containers by their memory: %j', (tools, names) => {
    expect(uses(responsesTools({ tools }, ['gpt-5']))).toEqual(names);
  });

  it('drawings by all pictures that they may be drawn from, wherever those stand', () => {
    const picture = { type: 'input_image', image_url: 'https://a.example/a.png' };
    const timesOf = (input: JsonObject[]) =>
      responsesTools({ tools: [{ type: 'image_generation', quality: 'low', model: 'gpt-image-2' }], input }, [
        'm',
      ]).tools[0]?.times?.image_generation_low;
    const said = timesOf([{ role: 'user', content: [picture] }]);
    expect(said).toBeGreaterThan(1);
    for (const item of [
      { type: 'function_call_output', call_id: 'c', output: [picture] },
      { type: 'custom_tool_call_output', call_id: 'c', output: [picture] },
      { type: 'computer_call_output', call_id: 'c', output: { ...picture, type: 'computer_screenshot' } },
    ])
      expect(timesOf([item])).toBe(said);
  });

  it('on the wires of xAI files, which it searches unasked', () => {
    const content = [{ type: 'input_file', file_data: 'x' }];
    expect(uses(responsesTools({ input: [{ role: 'user', content }] }, ['grok-4']))).toEqual([
      ['attachment_search', null],
    ]);
    expect(uses(responsesTools({ input: [{ role: 'user', content }] }, ['gpt-5']))).toEqual([]);
    expect(
      uses(chatTools({ messages: [{ role: 'user', content: [{ type: 'file' }] }] }, ['grok-4'])),
    ).toEqual([['attachment_search', null]]);
  });

  it('are as many as a body has room for: the largest container and the most uses of a million are found', () => {
    const million = <T>(tool: T) => Array<T>(1_000_000).fill(tool);
    expect(containersOf(million({ type: 'shell' }))).toMatchObject([{ as: ['shell'] }]);
    const paid: PaidTools = { tools: million({ as: ['shell'], most: 3 }), together: null };
    expect(withCallLimit({}, paid, ({ most }) => most ?? 0)).toEqual({ max_tool_calls: 3 });
  });

  it('are limited where they are open, by the field of their wire', () => {
    const most = (body: JsonObject) => withCallLimit(body, responsesTools(body, ['m']), usual).max_tool_calls;
    const usual = ({ as }: PaidTool) => (as[0] === 'web_search' ? 7 : 2);
    const tools = [{ type: 'web_search' }, { type: 'image_generation' }];
    expect(most({ tools })).toBe(7);
    expect(most({ tools, max_tool_calls: 1 })).toBe(1);
    expect(most({ tools: [{ type: 'function' }] })).toBeUndefined();
    expect(most({ search_parameters: {} })).toBeUndefined();
    const SEARCH = 'web_search_20250305';
    const body = {
      tools: [{ name: 'own' }, { type: SEARCH }, { type: SEARCH, max_uses: 3 }],
    };
    expect(withUseLimits(body, messagesTools(body, ['claude-sonnet-4-5']), usual).tools).toEqual([
      { name: 'own' },
      { type: SEARCH, max_uses: 7 },
      { type: SEARCH, max_uses: 3 },
    ]);
  });

  it('on the Responses wire so many together, and any of a prompt that the service keeps', () => {
    expect(responsesTools({ tools: [{ type: 'web_search' }], max_tool_calls: 3 }, ['m']).together).toBe(3);
    expect(responsesTools({ prompt: { id: 'pmpt_1' } }, ['m']).tools).toHaveLength(4);
    expect(responsesTools({ tools: [{ type: 'web_search' }] }, ['o3-deep-research']).tools[0]?.usual).toBe(
      'deep_research',
    );
  });

  it.each<[JsonObject, Found]>([
    [{ tools: [{ name: 'own', input_schema: {} }, { type: 'web_fetch_20250910' }] }, []],
    [{ tools: [{ type: null, name: 'own' }, { type: 'computer_toolset_20260801' }] }, []],
    [{ tools: [{ type: 'web_search_20260209', max_uses: 2 }] }, [['web_search', 2]]],
    [{ tools: [{ type: 'web_search_20250305' }] }, [['web_search', null]]],
    [{ tools: [{ type: 'of_the_future_20270101', max_uses: 2 }] }, [['of_the_future', 2]]],
    [{ tools: [{ type: 'web_search_image_20270101' }] }, [['web_search_image', null]]],
    [
      {
        messages: [
          {
            role: 'system',
            content: [
              {
                type: 'tool_addition',
                tool: { type: 'tool_definition', definition: { type: 'web_search_20250305', max_uses: 3 } },
              },
            ],
          },
        ],
      },
      [['web_search', 3]],
    ],
  ])('on the Messages wire: %j', (body, tools) => {
    expect(uses(messagesTools(body, ['claude-sonnet-4-5']))).toEqual(tools);
  });

  it.each<[JsonObject, number]>([
    [{ tools: [{ functionDeclarations: [] }, { function_declarations: [] }, { url_context: {} }] }, 0],
    [{ tools: [{ codeExecution: {} }] }, 0],
    [{ tools: [{ googleSearch: {} }] }, 1],
    [{ tools: [{ google_search_retrieval: {} }, { googleMaps: {} }] }, 1],
    [{ tools: { enterpriseWebSearch: {} } }, 1],
    [{ cached_content: 'cachedContents/1' }, 1],
  ])("on Gemini's wire: %j", (body, count) => {
    expect(geminiTools(body, ['gemini-3-pro']).tools).toHaveLength(count);
  });

  it.each<[string, JsonObject, string, number | null]>([
    ['gemini-3-flash-preview', { googleSearch: {} }, 'google_search', null],
    ['gemini-3-flash-preview', { googleMaps: {} }, 'google_search', null],
    ['gemini-flash-latest', { googleSearch: {} }, 'google_search', null],
    ['gemini-2.5-pro', { google_search: {} }, 'google_search_prompt', 1],
    ['google/gemini-2.0-flash-001', { googleSearchRetrieval: {} }, 'google_search_prompt', 1],
    ['gemini-2.5-flash', { googleMaps: {}, urlContext: {} }, 'google_maps_prompt', 1],
    ['gemini-2.5-flash', { googleMaps: {}, googleSearch: {} }, 'google_search_prompt', 1],
  ])('by the search, or by the prompt of models up to 2.5: %s with %j', (model, tool, name, most) => {
    const paid = geminiTools({ tools: [tool] }, [model]);
    expect(uses(paid)).toEqual([[name, most]]);
    const told = toolUsesIn(
      { candidates: [{ groundingMetadata: { webSearchQueries: ['a', 'b', 'c'] } }] },
      AS_SHOWN,
    );
    expect(believedUses(told, paid, {}, {}).uses).toEqual({ [name]: most ?? 3 });
  });

  it.each<[boolean, JsonObject, ...string[]]>([
    [true, { tools: [{ googleSearch: {} }, { googleMaps: {} }] }, 'gemini-3-pro'],
    [
      true,
      { tools: [{ enterprise_web_search: {} }, { functionDeclarations: [] }] },
      'google/gemini-flash-latest',
    ],
    [true, { tools: [{ googleSearch: {} }] }, 'my-deployment', 'gemini-3-pro'],
    [false, { tools: [{ googleSearch: {} }] }, 'my-deployment', 'gemini-2.5-pro'],
    [false, { tools: [{ googleSearch: {} }] }, 'my-deployment'],
    [false, { tools: [{ googleSearch: {} }] }, 'gemini-2.5-pro', 'gemini-3-pro'],
    [false, { tools: [{ googleSearch: {}, urlContext: {} }] }, 'gemini-3-pro'],
    [false, { tools: [{ googleSearch: {} }, { code_execution: {} }] }, 'gemini-3-pro'],
    [false, { tools: [{ googleSearch: {} }, { parallelAiSearch: {} }] }, 'gemini-3-pro'],
    [false, { tools: [{ googleSearch: {}, mcpServers: [{ name: 'a' }] }] }, 'gemini-3-pro'],
    [false, { tools: [{ googleSearch: {} }], cachedContent: 'cachedContents/1' }, 'gemini-3-pro'],
  ])('what searches alone find is billed to nobody (%p): %j at %s', (isUnbilled, body, ...names) => {
    const paid = geminiTools(body, names);
    expect(paid.reads).not.toBeEmpty();
    expect(readsBilled(paid).length === 0).toBe(isUnbilled);
  });
});

describe('code that may run at the upstream', () => {
  it.each<[tool: JsonObject, runs: boolean]>([
    [{ type: 'code_interpreter' }, true],
    [{ type: 'code_execution' }, true],
    [{ type: 'shell', environment: { type: 'container_auto' } }, true],
    [{ type: 'programmatic_tool_calling' }, true],
    [{ type: 'code_execution_20250825', name: 'code_execution' }, true],
    // Claude's model filters what they find by code of its own.
    [{ type: 'web_search_20260209', name: 'web_search' }, true],
    [{ type: 'web_fetch_20260209', name: 'web_fetch' }, true],
    [{ codeExecution: {} }, true],
    [{ code_execution: {} }, true],
    [{ codeExecution: null }, false],
    [{ googleSearch: {} }, false],
    [{ type: 'web_search_20250305', name: 'web_search' }, false],
    [{ type: 'web_search_2025_08_26' }, false],
    [{ type: 'web_search' }, false],
    [{ type: 'mcp', server_label: 'code' }, false],
    // The caller's own.
    [{ type: 'local_shell' }, false],
    [{ type: 'shell', environment: { type: 'local' } }, false],
    [{ type: 'bash_20250124', name: 'bash' }, false],
    [{ name: 'code_execution', input_schema: {} }, false],
    [{ type: 'function', function: { name: 'shell' } }, false],
    [{ functionDeclarations: [{ name: 'shell' }] }, false],
  ])('is told by the tool: %j', (tool, runs) => {
    expect(runsCode({ tools: [tool] }, ['m'])).toBe(runs);
  });

  it.each<[body: JsonObject, runs: boolean]>([
    // Alibaba's chats.
    [{ enable_code_interpreter: true }, true],
    [{ enable_code_interpreter: false }, false],
    [{ enable_code_interpreter: null }, false],
    [{ decoder_input_details: true }, false],
    [{ encoding_format: 'float' }, false],
    [{ language_code: 'en', audio_codec: 'mp3' }, false],
  ])('and by a field of the body: %j', (body, runs) => {
    expect(runsCode(body, ['m'])).toBe(runs);
  });

  it('is that of models which run it unasked', () => {
    expect(['groq/compound', 'groq/compound-mini', 'm'].map((name) => runsCode({}, [name]))).toEqual([
      ...[true, true],
      false,
    ]);
  });
});
