/** DeepSeek's own wire has no schemas for answers, and forces no tool upon a model that thinks: callers of other wires have both. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { objectsOf } from '../../src/dialects/fields.ts';
import { type Operations, openOperations } from '../support/operations.ts';

const THINKER = 'deepseek-v4-pro';
const PLAIN = 'deepseek-chat';
const HI = { role: 'user', content: 'hi' };
const schema = { type: 'object', properties: { answer: { type: 'string' } }, additionalProperties: false };
const tool = { name: 'f', parameters: { type: 'object', properties: {} } };

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  await t.model(43, { named: THINKER });
  await t.model(43, { named: PLAIN });
  t.answers({
    id: 'x',
    choices: [{ index: 0, message: { role: 'assistant', content: '{}' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 },
  });
});
afterAll(() => t.close());

async function sent(path: string, body: JsonObject): Promise<JsonObject> {
  expect((await t.post(path, body)).status).toBe(200);
  await t.row();
  return t.lastSeen.body;
}
const byResponses = (body: JsonObject, model = THINKER) =>
  sent('/v1/responses', { model, input: 'hi', instructions: 'Be brief.', ...body });
const byGemini = (generationConfig: JsonObject) =>
  sent(`/v1beta/models/${THINKER}:generateContent`, {
    contents: [{ parts: [{ text: 'hi' }] }],
    generationConfig,
  });
const byChat = (body: JsonObject) =>
  sent('/v1/chat/completions', { model: THINKER, messages: [HI], ...body });

describe('a schema of an answer at DeepSeek', () => {
  it('of a caller of Responses is said in words', async () => {
    const { messages, response_format } = await byResponses({
      text: { format: { type: 'json_schema', name: 'x', strict: true, schema } },
    });
    expect(response_format).toEqual({ type: 'json_object' });
    const [first, said, ...rest] = objectsOf(messages);
    expect([first?.content, said?.role, rest]).toEqual(['Be brief.', 'system', [HI]]);
    expect(said?.content).toContain(JSON.stringify(schema));
  });

  it('of a caller of Gemini is, too, and so is a form without one', async () => {
    const named = await byGemini({ responseMimeType: 'application/json', responseJsonSchema: schema });
    expect(named.response_format).toEqual({ type: 'json_object' });
    expect(JSON.stringify(named.messages)).toContain('JSON schema');
    // "Prompt must contain the word 'json' in some form".
    const plain = await byGemini({ responseMimeType: 'application/json' });
    expect(plain.response_format).toEqual({ type: 'json_object' });
    expect(JSON.stringify(plain.messages)).toContain('JSON');
  });

  it('stays where its caller says it in these words', async () => {
    const response_format = { type: 'json_schema', json_schema: { name: 'x', schema } };
    expect(await byChat({ response_format })).toMatchObject({ response_format, messages: [HI] });
  });
});

describe('a forced tool at DeepSeek', () => {
  const tools = [{ type: 'function', ...tool }];
  it.each<JsonObject['tool_choice']>(['required', { type: 'function', name: 'f' }])(
    'of a caller who asks for no thoughts has none: %j',
    async (tool_choice) => {
      const body = await byResponses({ tools, tool_choice });
      expect(body.thinking).toEqual({ type: 'disabled' });
    },
  );

  it('changes nothing where thoughts are asked for, none is forced, or none are thought', async () => {
    const asked = await byResponses({ tools, tool_choice: 'required', reasoning: { effort: 'high' } });
    expect(asked.thinking).toEqual({ type: 'enabled' });
    expect(await byResponses({ tools, tool_choice: 'auto' })).not.toHaveProperty('thinking');
    expect(await byResponses({ tools, tool_choice: 'required' }, PLAIN)).not.toHaveProperty('thinking');
  });

  it('changes nothing where its caller speaks these words', async () => {
    const body = await byChat({ tools: [{ type: 'function', function: tool }], tool_choice: 'required' });
    expect(body).not.toHaveProperty('thinking');
  });
});
