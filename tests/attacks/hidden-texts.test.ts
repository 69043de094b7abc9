/**
 * Text for nothing: it stands in fields that nobody here reads but the model behind the upstream does (templates,
 * documents, predictions, reasoning of before), and the upstream tells no usage. It must be held for, charged, and looked
 * through for the operator's words like any other.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack } from '../support/attack.ts';
import type { Operations } from '../support/operations.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    openai: { type: 1 },
    claude: { type: 14 },
    gemini: { type: 24 },
    cohere: { type: 34 },
  }));
});
beforeEach(() => t.relay.setBalance(1_000_000));
afterAll(() => t.close());

/** About ten thousand tokens, of every tokenizer. */
const TEXT = 'the quick brown fox '.repeat(2_500);
const LEAST = 8_000;

interface Way {
  path: string;
  model: string;
  /** A small request, with what is hidden in it. */
  body(hidden: JsonObject): JsonObject;
  answer: JsonObject;
}

const chatAnswer = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'So.' }, finish_reason: 'stop' }],
};
const user = (more: JsonObject = {}): JsonObject => ({ role: 'user', content: 'Why?', ...more });
const chatWay = (body: Way['body']): Way => ({
  path: '/v1/chat/completions',
  model: 'openai',
  body: (hidden) => ({ max_tokens: 10, ...body(hidden) }),
  answer: chatAnswer,
});
const CHAT = chatWay((hidden) => ({ messages: [user()], ...hidden }));
const CHAT_MESSAGE = chatWay((hidden) => ({
  messages: [user(), { role: 'assistant', content: 'So.', ...hidden }, user()],
}));
const CHAT_PART = chatWay((hidden) => ({
  messages: [user({ content: [{ type: 'text', text: 'Why?', ...hidden }] })],
}));
const CHAT_PARTS = chatWay((hidden) => ({ messages: [user({ content: [hidden] })] }));
const responsesWay = (body: Way['body']): Way => ({
  path: '/v1/responses',
  model: 'openai',
  body: (hidden) => ({ max_output_tokens: 16, ...body(hidden) }),
  answer: {
    id: 'resp_1',
    status: 'completed',
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'So.' }] }],
  },
});
const RESPONSES = responsesWay((hidden) => ({ input: 'Why?', ...hidden }));
const RESPONSES_ITEM = responsesWay((hidden) => ({ input: [user(hidden)] }));
const RESPONSES_PART = responsesWay((hidden) => ({
  input: [user({ content: [{ type: 'input_text', text: 'Why?', ...hidden }] })],
}));
const messagesWay = (body: Way['body']): Way => ({
  path: '/v1/messages',
  model: 'claude',
  body: (hidden) => ({ max_tokens: 10, ...body(hidden) }),
  answer: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'So.' }],
    stop_reason: 'end_turn',
  },
});
const MESSAGES = messagesWay((hidden) => ({ messages: [user()], ...hidden }));
const MESSAGES_MESSAGE = messagesWay((hidden) => ({ messages: [user(hidden)] }));
const MESSAGES_BLOCK = messagesWay((hidden) => ({ messages: [user({ content: [hidden] })] }));
const geminiWay = (body: Way['body']): Way => ({
  path: '/v1beta/models/MODEL:generateContent',
  model: 'gemini',
  body: (hidden) => ({ generationConfig: { maxOutputTokens: 10 }, ...body(hidden) }),
  answer: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'So.' }] }, finishReason: 'STOP' }],
  },
});
const GEMINI = geminiWay((hidden) => ({ contents: [{ parts: [{ text: 'Why?' }] }], ...hidden }));
const GEMINI_CONTENT = geminiWay((hidden) => ({ contents: [{ parts: [{ text: 'Why?' }], ...hidden }] }));
const GEMINI_PART = geminiWay((hidden) => ({ contents: [{ parts: [{ text: 'Why?', ...hidden }] }] }));
const COMPLETIONS: Way = {
  path: '/v1/completions',
  model: 'openai',
  body: (hidden) => ({ prompt: 'Why?', max_tokens: 10, ...hidden }),
  answer: { choices: [{ index: 0, text: 'So.', finish_reason: 'stop' }] },
};
const EMBEDDINGS: Way = {
  path: '/v1/embeddings',
  model: 'openai',
  body: (hidden) => ({ input: 'Why?', ...hidden }),
  answer: { data: [{ index: 0, embedding: [1] }] },
};
const GEMINI_EMBED: Way = {
  path: '/v1beta/models/MODEL:embedContent',
  model: 'gemini',
  body: (hidden) => ({ content: { parts: [{ text: 'Why?' }] }, ...hidden }),
  answer: { embedding: { values: [1] } },
};
const RERANK: Way = {
  path: '/v1/rerank',
  model: 'openai',
  body: (hidden) => ({ query: 'Why?', documents: ['So.'], ...hidden }),
  answer: { results: [{ index: 0, relevance_score: 1 }] },
};
const MODERATIONS: Way = {
  path: '/v1/moderations',
  model: 'openai',
  body: (hidden) => ({ input: 'Why?', ...hidden }),
  answer: { results: [{ flagged: false }] },
};

const WAYS: [where: string, way: Way, hidden: JsonObject][] = [
  ['in arguments of a template', CHAT, { chat_template_kwargs: { note: TEXT } }],
  ['in names of arguments of a template', CHAT, { chat_template_kwargs: { [TEXT]: true } }],
  ['in a template', CHAT, { chat_template: TEXT }],
  ['in documents', CHAT, { documents: [{ title: 'a', text: TEXT }] }],
  ['in a prediction', CHAT, { prediction: { type: 'content', content: TEXT } }],
  ['in a field that nobody knows', CHAT, { any_new_field: TEXT }],
  ['in lists of a field that nobody knows', CHAT, { any_new_field: [[TEXT]] }],
  ['in words of another vendor', CHAT, { translation_options: { domains: TEXT } }],
  ['in the place of a search', CHAT, { web_search_options: { user_location: { city: TEXT } } }],
  [
    'in details of reasoning',
    CHAT_MESSAGE,
    { reasoning_details: [{ type: 'reasoning.text', text: TEXT, signature: 'a' }] },
  ],
  [
    'in summaries of reasoning',
    CHAT_MESSAGE,
    { reasoning_details: [{ type: 'reasoning.summary', summary: TEXT }] },
  ],
  ['in an unknown field of a message', CHAT_MESSAGE, { thinking_blocks: [{ thinking: TEXT }] }],
  ['in annotations', CHAT_MESSAGE, { annotations: [{ url_citation: { content: TEXT } }] }],
  ['in the transcript of a sound', CHAT_MESSAGE, { audio: { transcript: TEXT } }],
  ['in an unknown field of a part', CHAT_PART, { context: TEXT }],
  ['in a part of an unknown type', CHAT_PARTS, { type: 'document', document: { text: TEXT } }],
  [
    'beside the data of a part',
    CHAT_PARTS,
    { type: 'file', file: { filename: TEXT, file_data: 'data:application/pdf;base64,JVBERi0x' } },
  ],
  [
    'beside a picture',
    CHAT_PARTS,
    { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', alt: TEXT } },
  ],
  [
    'in the description of a format',
    RESPONSES,
    { text: { format: { type: 'json_schema', name: 'a', description: TEXT, schema: {} } } },
  ],
  [
    'in a file of text',
    CHAT_PARTS,
    {
      type: 'file',
      file: { file_data: `data:text/plain;base64,${Buffer.from(TEXT).toString('base64')}` },
    },
  ],
  [
    'in a document of text',
    MESSAGES_BLOCK,
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: TEXT } },
  ],
  ['in an unknown field of Responses', RESPONSES, { any_new_field: { a: [TEXT] } }],
  ['in an unknown field of an item', RESPONSES_ITEM, { context: TEXT }],
  ['in an unknown field of an item’s part', RESPONSES_PART, { context: TEXT }],
  ['in an unknown field of Messages', MESSAGES, { any_new_field: TEXT }],
  ['in an unknown field of a turn', MESSAGES_MESSAGE, { reasoning_content: TEXT }],
  ['in an unknown field of a block', MESSAGES_BLOCK, { type: 'text', text: 'Why?', context: TEXT }],
  [
    'in the context of a document',
    MESSAGES_BLOCK,
    {
      type: 'document',
      title: 'a',
      context: TEXT,
      source: { type: 'text', media_type: 'text/plain', data: 'a' },
    },
  ],
  [
    'in the title of a document',
    MESSAGES_BLOCK,
    { type: 'document', title: TEXT, source: { type: 'text', media_type: 'text/plain', data: 'a' } },
  ],
  ['in an unknown field of Gemini', GEMINI, { anyNewField: TEXT }],
  ['in an unknown setting of Gemini', GEMINI, { generationConfig: { maxOutputTokens: 10, note: TEXT } }],
  [
    'in a schema that no type goes with',
    GEMINI,
    {
      generationConfig: {
        maxOutputTokens: 10,
        responseMimeType: 'text/x.enum',
        responseSchema: { type: 'STRING', enum: [TEXT] },
      },
    },
  ],
  ['in an unknown field of a content', GEMINI_CONTENT, { note: TEXT }],
  ['in an unknown field of a content’s part', GEMINI_PART, { note: TEXT }],
  ['in a second kind of a part', GEMINI_PART, { executableCode: { language: 'PYTHON', code: TEXT } }],
  ['in an unknown field of Completions', COMPLETIONS, { chat_template_kwargs: { a: TEXT } }],
  ['in an unknown field of an input', EMBEDDINGS, { input: [{ text: 'a', title: TEXT }] }],
  ['in an instruction for vectors', EMBEDDINGS, { instruction: TEXT }],
  ['in the title of a content', GEMINI_EMBED, { title: TEXT }],
  ['in another field of a document', RERANK, { documents: [{ text: 'So.', body: TEXT }] }],
  ['in another field of a query', RERANK, { query: { text: 'Why?', context: TEXT } }],
  ['in an instruction for documents', RERANK, { instruction: TEXT }],
  ['in an unknown field of moderations', MODERATIONS, { context: TEXT }],
];

const post = ({ path, model, body }: Way, hidden: JsonObject) => {
  const named = models[model] ?? '';
  const asked = body(hidden);
  return t.post(path.replace('MODEL', named), path.includes('MODEL') ? asked : { model: named, ...asked });
};

describe.each(WAYS)('a text %s', (_, way, hidden) => {
  it('is charged where the upstream tells no usage', async () => {
    t.answers(way.answer);
    const got = await post(way, hidden);
    expect([got.status, await got.text()]).toEqual([200, expect.any(String)]);
    const row = await t.row();
    expect(row.other).toMatchObject({ usage_source: 'estimated' });
    expect(row.prompt_tokens).toBeWithin(LEAST, 3 * LEAST);
  });

  it('does not go up on a balance that is too small for it', async () => {
    await t.relay.setBalance(LEAST);
    const before = t.seen.length;
    const got = await post(way, hidden);
    expect([got.status, await got.text()]).toEqual([403, expect.stringContaining('quota')]);
    expect(t.seen.length).toBe(before);
  });
});

describe('what is known', () => {
  const SETTINGS: JsonObject = {
    user: 'somebody',
    metadata: { note: 'x'.repeat(500) },
    safety_identifier: 'somebody',
    prompt_cache_key: 'a',
    reasoning_effort: 'low',
    verbosity: 'low',
    response_format: { type: 'text' },
    tool_choice: 'auto',
    seed: 1,
    stop: ['x'],
    chat_template_kwargs: { enable_thinking: false },
    thinking: { type: 'disabled' },
  };

  it('costs nothing as a setting', async () => {
    t.answers(chatAnswer);
    const counts: number[] = [];
    for (const settings of [{}, { response_format: { type: 'text' } }, SETTINGS]) {
      expect((await post(CHAT, settings)).status).toBe(200);
      counts.push((await t.row()).prompt_tokens);
    }
    // The format is JSON that has always been counted.
    expect(counts[2]).toBe(counts[1] ?? 0);
  });

  it('costs once what is said twice', async () => {
    t.answers(chatAnswer);
    const details = [{ type: 'reasoning.text', text: TEXT }];
    const counts: number[] = [];
    for (const said of [{ reasoning: TEXT }, { reasoning: TEXT, reasoning_details: details }]) {
      expect((await post(CHAT_MESSAGE, said)).status).toBe(200);
      counts.push((await t.row()).prompt_tokens);
    }
    expect(counts[1]).toBe(counts[0] ?? 0);
  });
});

it('holds back the operator’s words in any field', async () => {
  await t.relay.set({
    CheckSensitiveEnabled: true,
    CheckSensitiveOnPromptEnabled: true,
    SensitiveWords: 'zyzzyva',
  });
  t.answers(chatAnswer);
  for (const hidden of [
    { documents: [{ text: 'a zyzzyva' }] },
    { chat_template_kwargs: { note: 'a Zyzzyva' } },
    { any_new_field: 'zyzzyva' },
  ]) {
    expect((await post(CHAT, hidden)).status).toBe(400);
  }
  await t.relay.set({ CheckSensitiveEnabled: false });
});

it('costs what came behind thousands of texts that are half a character each', async () => {
  const halves = Object.fromEntries(Array.from({ length: 2_100 }, (_, n) => [`x${n}`, '\udc00']));
  const said = { object: 'text_completion', choices: [{ index: 0, text: 'word '.repeat(500) }] };
  const end = { object: 'text_completion', choices: [{ index: 0, text: '', finish_reason: 'length' }] };
  const frames = [said, end].map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  t.answers(
    () => new Response(`${frames}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } }),
  );
  // None of this is a text.
  const prompt = Array.from({ length: 400 }, (_, n) => n);
  const body = { model: models.openai, stream: true, max_tokens: 800, prompt };
  const answer = await t.post('/v1/completions', { ...body, ...halves });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toEndWith('data: [DONE]\n\n');
  const { completion_tokens, quota } = await t.row();
  expect(completion_tokens).toBeWithin(500, 600);
  expect(quota).toBeGreaterThan(2 * 500 + 400);
});
