import { describe, expect, it } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../core/json.ts';
import { toolsOf, withEachTool } from './all-tools.ts';

const typed = (...types: string[]): JsonObject[] => types.map((type) => ({ type }));
const defined = (definition: JsonObject): JsonObject => ({
  type: 'tool_addition',
  tool: { type: 'tool_definition', definition },
});

describe('the tools of a request', () => {
  it.each<[JsonObject, string[]]>([
    [{}, []],
    [{ tools: 'none', input: 'Hi.', messages: 1 }, []],
    [{ tools: typed('a', 'b') }, ['tools[0]', 'tools[1]']],
    [{ tools: typed('a')[0] }, ['tools[0]']],
    [{ functions: typed('a'), tools: typed('b') }, ['tools[0]', 'functions[0]']],
    [
      { tools: [null, { type: 'namespace', tools: [{ type: 'n', tools: typed('a') }] }] },
      ['tools[1]', '* tools[1].tools[0]', '* tools[1].tools[0].tools[0]'],
    ],
    [{ input: ['x', { tools: typed('a') }] }, ['* input[1].tools[0]']],
    [{ messages: [{ tools: typed('a') }] }, ['* messages[0].tools[0]']],
    [
      { messages: [{ role: 'user', content: 'Hi.' }, { content: ['x', defined({ type: 'a' })] }] },
      ['* messages[1].content[1].tool.definition'],
    ],
  ])('are found wherever they stand, and left as they are: %j', (body, places) => {
    const found: string[] = [];
    const same = withEachTool(body, (tool, { at, isInside }) => {
      found.push(isInside ? `* ${at}` : at);
      return tool;
    });
    expect(same).toBe(body);
    expect(found).toEqual(places);
    expect(toolsOf(body)).toHaveLength(places.length);
  });

  it.each<[choice: JsonObject[string], stays: boolean | JsonObject]>([
    ['auto', true],
    [{ type: 'b' }, true],
    [{ type: 'a' }, false],
    [{ type: 'tool', name: 'n' }, false],
    [
      { type: 'allowed_tools', tools: typed('b', 'a') },
      { type: 'allowed_tools', tools: typed('b') },
    ],
    [{ type: 'allowed_tools', tools: typed('a') }, false],
    [{ type: 'allowed_tools', allowed_tools: { tools: typed('a') } }, false],
    [{ type: 'allowed_tools', allowed_tools: { tools: typed('b') } }, true],
  ])('are chosen from as long as they are there: %j', (tool_choice, stays) => {
    const body = { tools: [{ type: 'a', name: 'n' }, { type: 'b' }], tool_choice };
    const left = { tools: typed('b'), ...(stays && { tool_choice: stays === true ? tool_choice : stays }) };
    expect(withEachTool(body, (tool) => (tool.type === 'a' ? null : tool))).toEqual(left);
    expect(withEachTool(body, () => null)).toEqual({});
  });

  it.each<[choice: JsonObject, stays: boolean | JsonObject]>([
    [{ type: 'mcp' }, true],
    [{ type: 'mcp', server_label: 'listed' }, true],
    [{ type: 'mcp', server_label: 'inside' }, false],
    [{ type: 'allowed_tools', tools: [{ type: 'mcp', server_label: 'listed' }] }, true],
    [
      {
        type: 'allowed_tools',
        tools: ['listed', 'inside'].map((label) => ({ type: 'mcp', server_label: label })),
      },
      { type: 'allowed_tools', tools: [{ type: 'mcp', server_label: 'listed' }] },
    ],
  ])('are chosen from where another of that kind has gone: %j', (tool_choice, stays) => {
    const tools = [{ type: 'mcp', server_label: 'listed' }];
    const input = [{ tools: [{ type: 'mcp', server_label: 'inside' }] }];
    expect(
      withEachTool({ tools, input, tool_choice }, (tool, { isInside }) => (isInside ? null : tool)),
    ).toEqual({
      tools,
      input: [{ tools: [] }],
      ...(stays && { tool_choice: stays === true ? tool_choice : stays }),
    });
  });

  it('are found among thousands that are chosen from', () => {
    const tools = Array.from({ length: 4_000 }, (_, n) => ({ type: `t${n}` }));
    const among = Array.from({ length: 100_000 }, (_, n) => ({ type: `u${n}` }));
    const body = { tools, tool_choice: { type: 'allowed_tools', tools: among } };
    const isLast = ({ type }: JsonObject) => type === 't3999';
    const left = withEachTool(body, (tool) => (isLast(tool) ? tool : null));
    expect(left).toEqual({ tools: [{ type: 't3999' }], tool_choice: body.tool_choice });
  });

  it.each<[choice: JsonObject[string], stays: boolean]>([
    ['auto', true],
    [{ name: 'b' }, true],
    [{ name: 'a' }, false],
  ])('are chosen from in the old list as long as they are there: %j', (function_call, stays) => {
    const body = { functions: [{ name: 'a' }, { name: 'b' }], function_call, tool_choice: 'none' };
    const left = { functions: [{ name: 'b' }], ...(stays && { function_call }), tool_choice: 'none' };
    expect(withEachTool(body, (tool) => (tool.name === 'a' ? null : tool))).toEqual(left);
    expect(withEachTool(body, () => null)).toEqual({ tool_choice: 'none' });
  });

  it('take along what holds nothing else, and a list of nothing but that', () => {
    const input = [{ type: 'additional_tools', tools: typed('a') }];
    expect(withEachTool({ input, own: 1 }, () => null)).toEqual({ own: 1 });
    const messages = [{ role: 'system', content: [defined({ type: 'a' })] }];
    expect(withEachTool({ messages, own: 1 }, () => null)).toEqual({ own: 1 });
  });

  it('become what is made of each, and what was not one stays', () => {
    const body = { tools: [null, 7, ...typed('a', 'b')], messages: [{ content: [defined({ type: 'a' })] }] };
    const kept = JSON.stringify(body);
    expect(withEachTool(body, ({ type }) => (type === 'a' ? { type, more: 1 } : null))).toEqual({
      tools: [null, 7, { type: 'a', more: 1 }],
      messages: [{ content: [defined({ type: 'a', more: 1 })] }],
    });
    expect(JSON.stringify(body)).toBe(kept);
  });
});

/** A tripwire, no proof: what reads a list of tools as a caller wrote it in the ways that are usual here. Nobody does but the home of it, and whoever writes each tool anew. */
const LIST =
  /\b(?:body|asked|given|fields|settings)\.tools\b|\btools\b[^{}()]*\}\s*=\s*(?:camelFields\()?(?:body|asked|given|draft)/;
const HOMES = [
  'dialects/all-tools.ts',
  // Codecs, and what else each wire reads of its own functions.
  /^dialects\/[\w-]+\/(?:request|request-facts|tools)\.ts$/,
  // The settings of a session, which are no request.
  'dialects/plain/realtime-sent.ts',
];

it('nobody else looks for them in a body', () => {
  const src = join(import.meta.dir, '..');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^(?:dialects|providers|relay)\/.*(?<!\.test)\.ts$/.test(file),
  );
  const isHome = (file: string) =>
    HOMES.some((home) => (typeof home === 'string' ? home === file : home.test(file)));
  const reading = files.filter(
    (file) =>
      !isHome(file) && LIST.test(readFileSync(join(src, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')),
  );
  expect(reading).toEqual([]);
  expect(files.length).toBeGreaterThan(300);
});
