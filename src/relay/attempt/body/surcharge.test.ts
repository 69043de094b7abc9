import { expect, it } from 'bun:test';
import type { JsonObject } from '../../../core/json.ts';
import type { DialectId, Operation } from '../../../dialects/dialect.ts';
import { chatDialects } from '../../../dialects/registry.ts';
import { findProvider, hostToolsAt } from '../../../providers/registry.ts';
import { type Sold, withoutSurcharges as withoutUnsold } from './surcharge.ts';

interface At extends Partial<Sold> {
  operation: Operation;
  wire?: DialectId;
}

function withoutSurcharges(body: JsonObject, { operation, wire = 'openai-chat', tools = {}, host }: At) {
  const dialect = chatDialects.map((chat) => chat.dialect).find(({ id }) => id === wire);
  if (!dialect) throw new Error(wire);
  return withoutUnsold(body, { operation, dialect }, { tools, host, vendor: null });
}

const chat = { operation: 'chat' } as const;
/** What Groq runs goes up once it has a price. */
const GROQS = { browser_search: 5, code_execution: 5 };

it.each([
  [{ service_tier: 'priority' }, ['service_tier']],
  [{ serviceTier: 'FLEX' }, ['serviceTier']],
  [{ service_tier: { any: 1 } }, ['service_tier']],
  [
    { speed: 'fast', models: ['a', 'b'], route: 'fallback', plugins: [{ id: 'web' }] },
    ['speed', 'models', 'route', 'plugins'],
  ],
  [{ provider: { order: ['dear-host'], allow_fallbacks: false } }, ['provider']],
  [{ caching: { type: 'enabled', prefix: true }, expire_at: 4_000_000_000 }, ['caching', 'expire_at']],
  [{ caching: { type: 'disabled', prefix: true } }, ['caching']],
])('what would be served dearer than it is priced is left out: %j', (more, names) => {
  const { body, dropped } = withoutSurcharges({ model: 'm', own_field: 1, ...more }, chat);
  expect(dropped).toEqual(names);
  expect(body).toEqual({ model: 'm', own_field: 1 });
});

it.each(['auto', 'default', 'standard_only', null])(
  'the usual service stays as it was asked for: %p',
  (service_tier) => {
    const asked = { model: 'm', service_tier, speed: 'standard', caching: { type: 'disabled' } };
    expect(withoutSurcharges(asked, chat)).toEqual({ body: asked, dropped: [] });
  },
);

it('a container whose price nobody knows becomes a usual one', () => {
  const own = { type: 'function', name: 'f', parameters: { container: { memory_limit: '128g' } } };
  const sized = (memory_limit: string): JsonObject[] => [
    { type: 'code_interpreter', container: { type: 'auto', memory_limit } },
    { type: 'shell', environment: { type: 'container_auto', memory_limit } },
    own,
  ];
  const asked = { model: 'm', tools: sized('128g') };
  const responses = { ...chat, wire: 'openai-responses' } as const;
  expect(withoutSurcharges(asked, responses)).toEqual({
    body: {
      model: 'm',
      tools: [
        { type: 'code_interpreter', container: { type: 'auto' } },
        { type: 'shell', environment: { type: 'container_auto' } },
        own,
      ],
    },
    dropped: ['memory_limit'],
  });
  const known = { model: 'm', tools: sized('64g') };
  expect(withoutSurcharges(known, responses)).toEqual({ body: known, dropped: [] });
});

it('a picture takes no more steps, no more pixels and no searches than are priced', () => {
  const dear = { resolution: '2K', steps: 50, tools: [{ type: 'web_search' }] };
  const asked = { model: 'm', prompt: 'a cat', ...dear, num_inference_steps: 9, seed: 1 };
  expect(withoutSurcharges(asked, { operation: 'image-edits' })).toEqual({
    body: { model: 'm', prompt: 'a cat', seed: 1 },
    dropped: ['resolution', 'steps', 'tools', 'num_inference_steps'],
  });
  const usual = { model: 'm', resolution: '1K', steps: null };
  expect(withoutSurcharges(usual, { operation: 'images' }).body).toBe(usual);
});

it.each<[format: JsonObject[string], dear: JsonObject]>([
  ['svg', { svg: { model: 'a-dear-one', reasoning: { effort: 'max' } } }],
  ['SVG', { svg: '{"model":"a-dear-one"}' }],
  ['gif', { frame_count: 16, frame_duration_ms: 100 }],
  ['of_the_future', { complexity: 'high' }],
])('a picture is drawn by nobody else, and as one, in a format that is known: %p', (output_format, dear) => {
  const own = { model: 'm', prompt: 'a cat', background: 'opaque', moderation: 'low', of_a_vendor: 1 };
  for (const operation of ['images', 'image-edits', 'image-variations'] as const) {
    expect(withoutSurcharges({ ...own, ...dear, output_format }, { operation })).toEqual({
      body: own,
      dropped: [...Object.keys(dear), 'output_format'],
    });
  }
  const usual = { ...own, output_format: 'WebP', complexity: 'low' };
  expect(withoutSurcharges(usual, { operation: 'images' }).body).toBe(usual);
});

it('a tool that draws is told nothing but what its pictures are priced by', () => {
  const responses = { ...chat, wire: 'openai-responses' } as const;
  const known = {
    ...{ type: 'image_generation', model: 'gpt-image-2', action: 'edit', size: '1024x1024', quality: 'low' },
    ...{ background: 'opaque', moderation: 'low', input_fidelity: 'high', output_compression: 50 },
    ...{ partial_images: 1, input_image_mask: { image_url: 'data:image/png;base64,AAAA' } },
  };
  const usual = { tools: [{ ...known, output_format: 'webp' }] };
  expect(withoutSurcharges(usual, responses)).toEqual({ body: usual, dropped: [] });
  const dear = { svg: { model: 'a-dear-one' }, output_format: 'svg', frame_count: 16, of_the_future: 1 };
  expect(withoutSurcharges({ tools: [{ ...known, ...dear }] }, responses)).toEqual({
    body: { tools: [known] },
    dropped: Object.keys(dear),
  });
});

it.each(['embeddings', 'rerank', 'moderations', 'images', 'speech', 'transcriptions'] as const)(
  'no other call goes to another model or a dearer host, and a voice reads as fast as it was asked to: %s',
  (operation) => {
    const dear = { models: ['a'], provider: { order: ['dear-host'] }, service_tier: 'priority' };
    expect(withoutSurcharges({ model: 'm', ...dear, speed: 1.5 }, { operation })).toEqual({
      body: { model: 'm', speed: 1.5 },
      dropped: Object.keys(dear),
    });
  },
);

it('a call of a tool has words of its own', () => {
  const asked = { models: ['a'] };
  expect(withoutSurcharges(asked, { operation: 'tool' }).body).toBe(asked);
});

const types = (...names: string[]): JsonObject[] => names.map((type) => ({ type, name: type }));
const FUNCTION = { type: 'function', function: { name: 'f' } };
const NAMED = { name: 'f', input_schema: { type: 'object' } };

it.each<[wire: DialectId, known: JsonObject[], unknown: JsonObject[], names: string[]]>([
  [
    'openai-chat',
    [
      { function_declarations: [{ name: 'f' }] },
      FUNCTION,
      { function: { name: 'f' } },
      { type: null, function: { name: 'f' } },
      ...types(
        'custom',
        'web_search',
        'live_search',
        'browser_search',
        'code_interpreter',
        'bash_20250124',
        'mcp',
      ),
      { type: 'retrieval', retrieval: { prompt_template: 'a' } },
      { type: 'builtin_function', function: { name: '$web_search' } },
    ],
    [
      ...types(
        'image_generation',
        'advisor_20260301',
        'drawing_tool',
        'web_search_image',
        'openrouter:fusion',
      ),
      { type: 'builtin_function', function: { name: '$another' } },
      { type: 'web_search', model: 'a-dear-one' },
      // Gateways to Google read these before whatever stands beside them.
      { googleSearch: {} },
      { enterprise_web_search: {}, ...FUNCTION },
      { of_the_future: {} },
    ],
    [
      'image_generation',
      'advisor_20260301',
      'drawing_tool',
      'web_search_image',
      'openrouter:*',
      'builtin_function',
      'web_search',
      'googleSearch',
      'function',
      'of_the_future',
    ],
  ],
  [
    'openai-responses',
    [
      { type: 'function', name: 'f' },
      ...types('custom', 'web_search', 'web_search_preview_2025_03_11', 'file_search', 'mcp'),
      ...types('code_interpreter', 'shell', 'local_shell', 'apply_patch', 'computer', 'tool_search'),
      { type: 'programmatic_tool_calling' },
      ...types(
        'x_search',
        'code_execution',
        'collections_search',
        'attachment_search',
        'view_image',
        'view_x_video',
      ),
      { type: 'image_generation', model: 'gpt-image-2' },
      { type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'g' }] },
    ],
    [
      ...types('knowledge_search', 'web_search_image', 'openrouter:advisor', 'constructor', ''),
      { type: 'web_search', model: 'a-dear-one' },
      { type: 'mcp', parameters: { model: 'a-dear-one' } },
      { type: 'file_search', ranking_options: [{ by: { model: 'a-dear-one' } }] },
      { type: 'A type that no header can tell' },
      // What is said of a shell means nothing elsewhere.
      { type: 'of_the_future', environment: { type: 'local' } },
    ],
    [
      'knowledge_search',
      'web_search_image',
      'openrouter:*',
      'constructor',
      'tools',
      'web_search',
      'mcp',
      'file_search',
      'of_the_future',
    ],
  ],
  [
    'anthropic-messages',
    [
      NAMED,
      { ...NAMED, type: null },
      ...types('computer_toolset_20260801', 'browser_toolset_20260801'),
      ...types(
        'custom',
        'web_search_20250305',
        'web_fetch_20250910',
        'code_execution_20250825',
        'mcp_toolset',
      ),
      ...types('computer_20250124', 'bash_20250124', 'text_editor_20250728', 'memory_20250818'),
      ...types('tool_search_tool_regex_20251119', 'tool_search_tool_bm25_20251119'),
      { type: 'mcp_toolset', configs: { model: { enabled: true } } },
    ],
    [
      { type: 'advisor_20260301', model: 'a' },
      { ...types('web_search_20250305')[0], model: 'a' },
      ...types('of_the_future'),
    ],
    ['advisor_20260301', 'web_search_20250305', 'of_the_future'],
  ],
  [
    'gemini',
    [
      { functionDeclarations: [{ name: 'f' }] },
      { googleSearch: {}, urlContext: {}, codeExecution: {} },
      ...[
        'google_search_retrieval',
        'googleMaps',
        'enterpriseWebSearch',
        'computerUse',
        'fileSearch',
        'mcpServers',
      ].map((name) => ({ [name]: {} })),
    ],
    [{ parallelAiSearch: { apiKey: 'k' } }, { of_the_future: {} }],
    ['parallelAiSearch', 'of_the_future'],
  ],
])(
  'of tools that run at a vendor those go up which are priced or cost tokens alone: %s',
  (wire, known, unknown, names) => {
    const kept = { model: 'm', tools: known };
    expect(withoutSurcharges(kept, { ...chat, wire, tools: GROQS })).toEqual({ body: kept, dropped: [] });
    const asked = { model: 'm', tools: [...known, ...unknown] };
    expect(withoutSurcharges(asked, { ...chat, wire, tools: GROQS })).toEqual({ body: kept, dropped: names });
    const alone = { model: 'm', tools: unknown, tool_choice: 'auto' };
    expect(withoutSurcharges(alone, { ...chat, wire }).body).toEqual({ model: 'm' });
  },
);

it.each<[wire: DialectId, asked: JsonObject, left: JsonObject]>([
  ['gemini', { tools: [{ googleSearch: {}, exaAiSearch: {} }] }, { tools: [{ googleSearch: {} }] }],
  // A choice of what is not there is refused upstream.
  ...[{ type: 'advisor_20260301' }, { type: 'tool', name: 'advisor' }].map(
    (tool_choice): [DialectId, JsonObject, JsonObject] => [
      'anthropic-messages',
      { tools: [NAMED, { type: 'advisor_20260301', name: 'advisor' }], tool_choice },
      { tools: [NAMED] },
    ],
  ),
  [
    'openai-responses',
    {
      tools: types('mcp', 'of_the_future'),
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: types('of_the_future') },
    },
    { tools: types('mcp') },
  ],
  ['openai-responses', { input: [{ type: 'additional_tools', tools: types('mcp') }] }, {}],
  // What stands among what was said may run again for what builds upon it.
  [
    'openai-responses',
    {
      input: [
        {
          type: 'additional_tools',
          role: 'developer',
          tools: types('web_search', 'image_generation', 'mcp'),
        },
        { type: 'additional_tools', role: 'developer', tools: types('custom', 'code_interpreter') },
        { type: 'tool_search_output', tools: types('mcp') },
        {
          type: 'of_the_future',
          tools: [
            { type: 'namespace', tools: types('function', 'x_search') },
            ...types('shell'),
            { type: 'shell', environment: { type: 'local' } },
          ],
        },
        { type: 'additional_tools', tools: [{ type: 'namespace', tools: types('mcp') }] },
        { type: 'mcp_list_tools', tools: [NAMED] },
      ],
      tools: [{ type: 'namespace', tools: types('function', 'web_search') }],
    },
    {
      input: [
        { type: 'additional_tools', role: 'developer', tools: types('custom') },
        { type: 'tool_search_output', tools: [] },
        {
          type: 'of_the_future',
          tools: [
            { type: 'namespace', tools: types('function') },
            { type: 'shell', environment: { type: 'local' } },
          ],
        },
        { type: 'mcp_list_tools', tools: [NAMED] },
      ],
      tools: [{ type: 'namespace', tools: types('function') }],
    },
  ],
  [
    'anthropic-messages',
    {
      messages: [
        { role: 'user', content: 'Hi.' },
        {
          role: 'system',
          content: [
            ...[...types('web_search_20250305', 'bash_20250124'), NAMED].map((definition) => ({
              type: 'tool_addition',
              tool: { type: 'tool_definition', definition },
            })),
            { type: 'tool_addition', tool: { type: 'tool_reference', name: 'f' } },
          ],
        },
      ],
    },
    {
      messages: [
        { role: 'user', content: 'Hi.' },
        {
          role: 'system',
          content: [
            ...[...types('bash_20250124'), NAMED].map((definition) => ({
              type: 'tool_addition',
              tool: { type: 'tool_definition', definition },
            })),
            { type: 'tool_addition', tool: { type: 'tool_reference', name: 'f' } },
          ],
        },
      ],
    },
  ],
])('wherever they stand: %s %#', (wire, asked, left) => {
  expect(withoutSurcharges(asked, { ...chat, wire }).body).toEqual(left);
});

it('what an operator has priced goes up, where answers tell its uses, and no other model with it', () => {
  const tools = [...types('knowledge_search'), { type: 'knowledge_search', model: 'a-dear-one' }];
  const at = { ...chat, tools: { knowledge_search: 5 } };
  for (const wire of ['openai-responses', 'anthropic-messages'] as const)
    expect(withoutSurcharges({ tools }, { ...at, wire }).body).toEqual({ tools: types('knowledge_search') });
  expect(withoutSurcharges({ tools }, at).body).toEqual({});
});

it.each<[wire: DialectId, kept: JsonObject[], left: JsonObject[]]>([
  ['openai-chat', [FUNCTION], types('web_search')],
  [
    'openai-responses',
    types('mcp', 'apply_patch', 'code_interpreter'),
    types('web_search_preview', 'image_generation', 'shell'),
  ],
  [
    'anthropic-messages',
    [NAMED, ...types('bash_20250124')],
    [
      ...types('web_search_20250305', 'web_fetch_20250910'),
      { ...types('bash_20250124')[0], engine: 'openrouter' },
    ],
  ],
])("OpenRouter's own stay behind by whichever of their names: %s", (wire, kept, left) => {
  const provider = findProvider(14);
  const host = provider && hostToolsAt(provider, 'https://openrouter.ai/api');
  const { body } = withoutSurcharges({ tools: [...left, ...kept] }, { ...chat, wire, host });
  expect(body).toEqual({ tools: kept });
});
