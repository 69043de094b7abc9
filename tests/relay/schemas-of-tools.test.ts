/**
 * Tools as MCP has them, which Claude and Gemini take and OpenAI refuses with the whole call (github/copilot-cli#2223,
 * digitalocean-labs/mcp-digitalocean#265, dust-tt/dust#27635), of the clients of others at OpenAI's models.
 */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import type { JsonObject } from '../../src/core/json.ts';
import { objectOf, objectsOf } from '../../src/dialects/fields.ts';
import { type Operations, openOperations } from '../support/operations.ts';

/** What is called at each, by which wire. */
const MODELS = [
  ['gpt-6.1-sol', '/v1/responses'],
  ['gpt-4.1', '/v1/chat/completions'],
] as const;

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ RetryTimes: 0, SelfUseModeEnabled: true });
  const setting = JSON.stringify({ proxy: t.base });
  const models = MODELS.map(([model]) => model).join(',');
  await t.relay.addChannel({ type: 1, base_url: 'http://api.openai.com', setting, models });
  await t.relay.setBalance(500_000_000);
  t.answers(({ path, body }) => {
    const wrong = objectsOf(body.tools).flatMap((tool) => refusalOf(objectOf(tool.function) ?? tool) ?? []);
    if (wrong.length > 0) {
      const message = `Invalid schema for function 'get_me': ${wrong.join()}.`;
      return Response.json(
        { error: { message, type: 'invalid_request_error', code: 'invalid_function_parameters' } },
        { status: 400 },
      );
    }
    return Response.json(path.endsWith('responses') ? RESPONSE : COMPLETION);
  });
});
afterAll(() => t.close());

const RESPONSE: JsonObject = {
  id: 'resp_1',
  status: 'completed',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] }],
  usage: { input_tokens: 2, output_tokens: 1, total_tokens: 3 },
};
const COMPLETION: JsonObject = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 },
};

/** OpenAI's words. */
function refusalOf({ parameters, strict }: JsonObject): string | undefined {
  const schema = objectOf(parameters) ?? {};
  const properties = objectOf(schema.properties);
  if (schema.type !== 'object') return `schema must be a JSON Schema of 'type: "object"'`;
  if (!properties) return 'In context=(), object schema missing properties';
  for (const [name, value] of Object.entries(properties)) {
    const { type, items } = objectOf(value) ?? {};
    if (type === 'array' && !items) return `In context=('properties', '${name}'), array schema missing items`;
    const { required } = schema;
    if (strict && !(Array.isArray(required) && required.includes(name)))
      return "In context=(), 'required' is required to be supplied and to be an array including every key in properties";
  }
  return undefined;
}

type Schema = Anthropic.Tool['input_schema'];
const PARTLY: Schema = {
  type: 'object',
  properties: { a: { type: 'string' }, b: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
};
const TOOLS: [what: string, schema: Schema, strict: boolean][] = [
  ['no arguments', { type: 'object' }, false],
  ['a schema of its own', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }, false],
  ['a list of anything', { type: 'object', properties: { list: { type: 'array' } } }, false],
  ['arguments that may be left out', PARTLY, true],
];

for (const [model, path] of MODELS) {
  it.each(TOOLS)(`${model} takes a tool with %s of both`, async (_what, schema, strict) => {
    const client = new Anthropic({ apiKey: t.relay.key, baseURL: t.relay.base, maxRetries: 0 });
    const message = await client.messages.create({
      model,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'hi' }],
      tools: [{ name: 'get_me', input_schema: schema, ...(strict && { strict }) }],
    });
    expect([message.content, t.lastSeen.path]).toMatchObject([[{ type: 'text', text: 'hi' }], path]);

    const google = new GoogleGenAI({ apiKey: t.relay.key, httpOptions: { baseUrl: t.relay.base } });
    const functionDeclarations = [{ name: 'get_me', parametersJsonSchema: schema }];
    const answer = await google.models.generateContent({
      model,
      contents: 'hi',
      config: { tools: [{ functionDeclarations }] },
    });
    expect([answer.text, t.lastSeen.path]).toEqual(['hi', path]);
  });
}

it('what comes in its own words goes up as it came', async () => {
  const parameters = { type: 'object', additionalProperties: false };
  const chat = { type: 'function', function: { name: 'f', parameters, strict: true } };
  const messages = [{ role: 'user', content: 'hi' }];
  await t.post('/v1/chat/completions', { model: 'gpt-4.1', messages, tools: [chat] });
  expect(t.lastSeen.body.tools).toEqual([chat]);
  const flat = { type: 'function', name: 'f', parameters, strict: true };
  await t.post('/v1/responses', { model: 'gpt-6.1-sol', input: 'hi', tools: [flat] });
  expect(t.lastSeen.body.tools).toEqual([flat]);
});
