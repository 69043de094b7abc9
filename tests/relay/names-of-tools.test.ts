/**
 * Names of tools that only their caller's own wire takes: Claude Code's, which are longer than any at OpenAI or Google
 * (mrexodia/ida-pro-mcp#129), and Google's with dots, in clients of these two.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { FunctionCallingConfigMode, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { modelOf, openWireRelay, type WireRelay } from '../support/wire-relay.ts';
import { TOOL_RESULT } from '../support/wires.ts';

let t: WireRelay;
let anthropic: Anthropic;
let google: GoogleGenAI;
beforeAll(async () => {
  t = await openWireRelay();
  await t.relay.set({ RetryTimes: 0 });
  anthropic = new Anthropic({ apiKey: t.relay.key, baseURL: t.relay.base, maxRetries: 0 });
  google = new GoogleGenAI({ apiKey: t.relay.key, httpOptions: { baseUrl: t.relay.base } });
});
afterAll(() => t.close());

const LONG = 'mcp__plugin_oh-my-claudecode_omc-tools__lsp_diagnostics_directory';
const ALIKE = `${LONG}_of_another`;
const DOTTED = 'github.create_issue';
const WEATHER = 'How is the weather?';
const OPENAI = /^[a-zA-Z0-9_-]{1,64}$/;
const GOOGLE = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;
const CLAUDE = /^[a-zA-Z0-9_-]{1,128}$/;

/** All names in what went up last, in their order. */
const namesSent = (): string[] =>
  [...t.lastSeen.raw.matchAll(/"name":"([^"]*)"|"allowedFunctionNames":\["([^"]*)"\]/g)].map(
    ([, name, allowed]) => name ?? allowed ?? '',
  );

describe.each([
  ['chat', OPENAI],
  ['responses', OPENAI],
  ['generateContent', GOOGLE],
] as const)("Claude Code's tools on the wire '%s'", (wire, taken) => {
  const names = ['ok', LONG, ALIKE];
  const asked: Anthropic.MessageCreateParamsNonStreaming = {
    model: modelOf(wire),
    max_tokens: 100,
    messages: [{ role: 'user', content: WEATHER }],
    tools: names.map((name) => ({ name, input_schema: { type: 'object' } })),
    tool_choice: { type: 'tool', name: LONG },
  };

  it('have names that it takes, by which they are called', async () => {
    for (const streams of [false, true]) {
      t.wires.tool = { name: 'ok', input: '{}' };
      await anthropic.messages.create(asked);
      const [ok, long = '', alike, chosen] = namesSent();
      expect([ok, chosen]).toEqual(['ok', long]);
      for (const name of [long, alike]) expect(name).toMatch(taken);
      expect(long).toStartWith('mcp__plugin_oh-my-claudecode_omc-tools__lsp_');
      expect(alike).not.toBe(long);

      t.wires.tool = { name: long, input: '{"city":"Oslo"}' };
      const first = streams
        ? await anthropic.messages.stream(asked).finalMessage()
        : await anthropic.messages.create(asked);
      const call = first.content.find((block) => block.type === 'tool_use');
      expect(call).toMatchObject({ name: LONG, input: { city: 'Oslo' } });

      const second = await anthropic.messages.create({
        ...asked,
        messages: [
          ...asked.messages,
          { role: 'assistant', content: first.content },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: TOOL_RESULT }],
          },
        ],
      });
      expect(second.content).toMatchObject([{ type: 'text', text: 'It is 7 degrees.' }]);
      expect([...new Set(namesSent())].sort()).toEqual(['ok', long, alike ?? ''].sort());
    }
  });
});

describe.each([
  ['chat', OPENAI],
  ['responses', OPENAI],
  ['messages', CLAUDE],
] as const)("functions of Google's on the wire '%s'", (wire, taken) => {
  const functionDeclarations = ['ok', DOTTED].map((name) => ({ name, parametersJsonSchema: {} }));
  const functionCallingConfig = { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: [DOTTED] };
  const config = { tools: [{ functionDeclarations }], toolConfig: { functionCallingConfig } };
  const asked = { model: modelOf(wire), config };

  it('have names that it takes, by which they are called', async () => {
    t.wires.tool = { name: 'ok', input: '{}' };
    await google.models.generateContent({ ...asked, contents: WEATHER });
    const [told = ''] = namesSent().filter((name) => name !== 'ok');
    expect(told).toMatch(/^github_create_issue_[0-9a-f]{12}$/);

    t.wires.tool = { name: told, input: '{"city":"Oslo"}' };
    const chat = google.chats.create(asked);
    const streamed = [];
    for await (const { functionCalls = [] } of await chat.sendMessageStream({ message: WEATHER }))
      streamed.push(...functionCalls);
    expect(streamed).toMatchObject([{ name: DOTTED, args: { city: 'Oslo' } }]);
    const { functionCalls: [call] = [] } = await google.models.generateContent({
      ...asked,
      contents: WEATHER,
    });
    expect(call).toMatchObject({ name: DOTTED, args: { city: 'Oslo' } });

    const functionResponse = { id: streamed[0]?.id, name: DOTTED, response: { output: TOOL_RESULT } };
    expect((await chat.sendMessage({ message: { functionResponse } })).text).toBe('It is 7 degrees.');
    for (const name of namesSent()) expect(name).toMatch(taken);
    expect(namesSent().filter((name) => name === told).length).toBeGreaterThan(2);
  });
});

it("tools of OpenAI's clients have names that Google takes, and those of a choice with them", async () => {
  const client = new OpenAI({ apiKey: t.relay.key, baseURL: `${t.relay.base}/v1`, maxRetries: 0 });
  const model = modelOf('generateContent');
  const tools = ['1st', LONG].map((name) => ({
    type: 'function' as const,
    name,
    parameters: {},
    strict: null,
  }));
  const asked = { model, input: WEATHER, tools, tool_choice: { type: 'function', name: LONG } } as const;
  await client.responses.create(asked);
  const [first, long = ''] = namesSent();
  expect([first, long]).toEqual([
    expect.stringMatching(/^_1st_[0-9a-f]{12}$/),
    expect.stringMatching(GOOGLE),
  ]);
  t.wires.tool = { name: long, input: '{}' };
  const { output } = await client.responses.create(asked);
  expect(output).toMatchObject([{ type: 'function_call', name: LONG }]);
  expect(namesSent()).toEqual([first ?? '', long, long]);
});

it('what comes in its own words has the names that it has', async () => {
  t.wires.tool = { name: ALIKE, input: '{}' };
  const tools = [{ name: ALIKE, input_schema: { type: 'object' as const } }];
  const messages = [{ role: 'user' as const, content: WEATHER }];
  const asked = { model: modelOf('messages'), max_tokens: 100, tools, messages };
  expect((await anthropic.messages.create(asked)).content).toMatchObject([{ name: ALIKE }]);
  expect(namesSent()).toEqual([ALIKE]);
});
