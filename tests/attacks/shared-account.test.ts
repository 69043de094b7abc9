/**
 * Requests that name what the operator's account at a vendor keeps: another caller's files, caches, containers, indexes,
 * conversations. They are refused before anything is held, unless the operator shares the account.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { spelled } from '../support/spelled.ts';
import { type Forms, openForms, openSessions } from '../support/ways-in.ts';
import { openWireRelay, type WireRelay } from '../support/wire-relay.ts';
import type { Wire } from '../support/wires.ts';

let t: WireRelay;
const shared: Partial<Record<Wire, string>> = {};
beforeAll(async () => {
  t = await openWireRelay();
  // A film by its address is held for as the longest there is.
  const { root, user } = t.relay;
  await root.put('/api/user/', { id: user.id, add_quota: 10_000_000 });
  const setting = JSON.stringify({ shared_context: true });
  for (const wire of ['chat', 'messages', 'generateContent'] as const) {
    shared[wire] = (await t.extra(wire, { setting })).model;
  }
});
afterAll(() => t.close());

const user = (...content: JsonObject[]) => ({ messages: [{ role: 'user', content }] });
const parts = (...all: JsonObject[]) => ({ contents: [{ role: 'user', parts: all }] });
const items = (...content: JsonObject[]) => ({ input: [{ role: 'user', content }] });

const ATTACKS: readonly [name: string, wire: Wire, what: string, more: JsonObject, field: string][] = [
  // Chat Completions
  ['openai-chat', 'chat', 'a file', user({ type: 'file', file: { file_id: 'file-1' } }), 'file_id'],
  [
    'openai-chat',
    'chat',
    'a server of a gateway',
    { tools: [{ type: 'mcp', server_label: 'x', server_url: 'litellm_proxy/mcp/crm' }] },
    'server_url',
  ],
  [
    'openai-chat',
    'chat',
    'a file in capitals',
    user({ type: 'file', file: { File_ID: 'file-1' } }),
    'File_ID',
  ],
  ['openai-chat', 'chat', 'a bucket', user({ type: 'image_url', image_url: { url: 'gs://b/x.png' } }), 'url'],
  [
    'openai-chat',
    'chat',
    'a bucket as a text',
    user({ type: 'image_url', image_url: ' GS://b/x.png' }),
    'image_url',
  ],
  [
    'openai-chat',
    'chat',
    'a file by its text',
    { messages: [{ role: 'system', content: 'fileid://f-1' }] },
    'content',
  ],
  // Moonshot's, by a tag that somebody chose or by its id.
  ...['cache', ' Cache'].map((role): (typeof ATTACKS)[number] => [
    'openai-chat',
    'chat',
    `a cache by the role ${role}`,
    {
      messages: [
        { role, content: 'tag=manual;reset_ttl=3600' },
        { role: 'user', content: 'Say it again.' },
      ],
    },
    'messages[0].role',
  ]),
  [
    'openai-chat',
    'chat',
    'a cache',
    { extra_body: { google: { cached_content: 'cachedContents/1' } } },
    'cached_content',
  ],
  [
    'openai-chat',
    'chat',
    "Bedrock's rules",
    { guardrailConfig: { guardrailIdentifier: 'g', guardrailVersion: '1' } },
    'guardrailConfig',
  ],
  ['openai-chat', 'chat', 'rules by their name', { guardrail_identifier: 'g' }, 'guardrail_identifier'],
  ['openai-chat', 'chat', "a gateway's indexes", { knowledge_bases: ['k'] }, 'knowledge_bases'],
  ['openai-chat', 'chat', "Azure's data", { data_sources: [{ type: 'azure_search' }] }, 'data_sources'],
  [
    'openai-chat',
    'chat',
    "Azure's data as it was",
    { dataSources: [{ type: 'azure_search' }] },
    'dataSources',
  ],
  [
    'openai-chat',
    'chat',
    'a managed identity',
    { index: { authentication: { managedIdentityResourceId: '/subscriptions/s/identities/i' } } },
    'managedIdentityResourceId',
  ],
  [
    'openai-chat',
    'chat',
    'a managed identity by itself',
    { index: { managed_identity: { type: 'system' } } },
    'managed_identity',
  ],
  ['openai-chat', 'chat', 'a conversation', { conversation_id: 'c-1' }, 'conversation_id'],
  ['openai-chat', 'chat', 'an earlier answer', { previous_response_id: 'resp_1' }, 'previous_response_id'],
  [
    'openai-chat',
    'chat',
    'knowledge',
    { tools: [{ type: 'retrieval', retrieval: { knowledge_id: 'k' } }] },
    'retrieval',
  ],
  ['openai-chat', 'chat', 'a thread', { thread_id: 'thread_1' }, 'thread_id'],
  [
    'openai-chat',
    'chat',
    'buckets in a list',
    user({ type: 'image_url', image_url: ['https://pictures.example/a.png', 'oss://b/x.png'] }),
    'image_url',
  ],
  ['openai-chat', 'chat', 'a video of pictures', user({ type: 'video', video: ['oss://b/1.png'] }), 'video'],
  [
    'openai-chat',
    'chat',
    'an upload',
    { files: [{ type: 'image', upload_file_id: 'u-1' }] },
    'upload_file_id',
  ],
  [
    'openai-chat',
    'chat',
    'the sound of an answer',
    { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] },
    'messages[0].audio.id',
  ],
  // Responses
  ['openai-responses', 'responses', 'a file', items({ type: 'input_file', file_id: 'file-1' }), 'file_id'],
  [
    'openai-responses',
    'responses',
    'a picture',
    items({ type: 'input_image', file_id: 'file-1' }),
    'file_id',
  ],
  [
    'openai-responses',
    'responses',
    'a vector store',
    { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
    'vector_store_ids',
  ],
  [
    'openai-responses',
    'responses',
    'a container',
    { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] },
    'container',
  ],
  [
    'openai-responses',
    'responses',
    'files of a container',
    { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-1'] } }] },
    'file_ids',
  ],
  [
    'openai-responses',
    'responses',
    'a container of an item',
    {
      input: [
        { role: 'user', content: 'x' },
        { type: 'code_interpreter_call', id: 'ci', container_id: 'cntr_1' },
      ],
    },
    'container_id',
  ],
  [
    'openai-responses',
    'responses',
    'a connector',
    { tools: [{ type: 'mcp', server_label: 'x', connector_id: 'connector_gmail' }] },
    'connector_id',
  ],
  [
    'openai-responses',
    'responses',
    'a tunnel',
    { tools: [{ type: 'mcp', server_label: 'x', tunnel_id: 'tnl_1' }] },
    'tunnel_id',
  ],
  // Ark's, and whatever tools of the future name by a number of theirs.
  [
    'openai-responses',
    'responses',
    'a knowledge base',
    { tools: [{ type: 'knowledge_search', knowledge_resource_id: 'kb-1', limit: 10 }] },
    'knowledge_resource_id',
  ],
  ...['shelf_id', 'Shelf_IDs', 'shelfId', 'shelfIDs'].map((field): (typeof ATTACKS)[number] => [
    'openai-responses',
    'responses',
    `what a tool is told by its ${field}`,
    { tools: [{ type: 'shelf_search', [field]: ['s-1'] }] },
    field,
  ]),
  [
    'openai-responses',
    'responses',
    'all servers of a gateway',
    { tools: [{ type: 'mcp', server_label: 'x', server_url: 'litellm_proxy' }] },
    'server_url',
  ],
  ['openai-responses', 'responses', 'a prompt', { prompt: { id: 'pmpt_1' } }, 'prompt'],
  ['openai-responses', 'responses', 'a conversation', { conversation: 'conv_1' }, 'conversation'],
  [
    'openai-responses',
    'responses',
    'a picture that was drawn',
    {
      input: [
        { role: 'user', content: 'x' },
        { type: 'image_generation_call', id: 'ig_1' },
      ],
    },
    'input[1]',
  ],
  [
    'openai-responses',
    'responses',
    'pictures of a bucket',
    items({ type: 'input_image', image_url: ['gs://b/x.png'] as never }),
    'image_url',
  ],
  // Messages
  [
    'anthropic-messages',
    'messages',
    'a file',
    user({ type: 'document', source: { type: 'file', file_id: 'file_1' } }),
    'file_id',
  ],
  [
    'anthropic-messages',
    'messages',
    'an upload',
    user({ type: 'container_upload', file_id: 'file_1' }),
    'file_id',
  ],
  [
    'anthropic-messages',
    'messages',
    'a server of a gateway',
    { mcp_servers: [{ type: 'url', name: 'x', url: 'litellm_proxy' }] },
    'mcp_servers',
  ],
  ['anthropic-messages', 'messages', 'a container', { container: 'container_1' }, 'container'],
  [
    'anthropic-messages',
    'messages',
    'a container with skills',
    { container: { id: 'container_1' } },
    'container',
  ],
  [
    'anthropic-messages',
    'messages',
    'a skill',
    { container: { skills: [{ type: 'custom', skill_id: 'skill_1' }] } },
    'skill_id',
  ],
  [
    'anthropic-messages',
    'messages',
    'a file in the result of a tool',
    user({
      type: 'tool_result',
      tool_use_id: 't',
      content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }],
    }),
    'file_id',
  ],
  [
    'anthropic-messages',
    'messages',
    'a bucket',
    user({ type: 'image', source: { type: 'url', url: 's3://b/x.png' } }),
    'url',
  ],
  [
    'anthropic-messages',
    'messages',
    'a thread',
    { thread: { type: 'continue', previous_message_id: 'msg_1' } },
    'thread',
  ],
  ...['outputConfig', 'output_config'].map((name): (typeof ATTACKS)[number] => [
    'gemini',
    'generateContent',
    `a bucket to write to, in ${name}`,
    { [name]: { outputUriPrefix: 'gs://operators-bucket/invoices/' } },
    'outputUriPrefix',
  ]),
  // Whatever a field is called.
  ['openai-chat', 'chat', 'a bucket of the future', { own: { to: [['x', ' \nS3://b/x']] } }, 'own.to'],
  // What becomes the first message of a chat over another wire.
  ['anthropic-messages', 'chat', 'a file by its text', { system: 'fileid://f-1' }, 'system'],
  ['openai-responses', 'chat', 'a file by its text', { instructions: 'fileid://f-1' }, 'instructions'],
  // Gemini
  ['gemini', 'generateContent', 'files in a list', { files: ['files/abc'] }, 'files'],
  ['gemini', 'generateContent', 'a cache', { cachedContent: 'cachedContents/1' }, 'cachedContent'],
  ['gemini', 'generateContent', 'a cache in lines', { cached_content: 'cachedContents/1' }, 'cached_content'],
  [
    'gemini',
    'generateContent',
    'a template that looks through words',
    { modelArmorConfig: { promptTemplateName: 'projects/p/locations/l/templates/t' } },
    'modelArmorConfig',
  ],
  ['gemini', 'generateContent', 'a bucket', parts({ fileData: { fileUri: 'gs://b/x.mp4' } }), 'fileUri'],
  ['gemini', 'generateContent', 'a file', parts({ file_data: { file_uri: 'files/abc' } }), 'file_uri'],
  [
    'gemini',
    'generateContent',
    'a file with blanks in its name',
    parts({ file_data: { file_uri: `\nf${'\n'.repeat(600)}iles/abc` } }),
    'file_uri',
  ],
  [
    'gemini',
    'generateContent',
    'a file by its address',
    parts({ fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc' } }),
    'fileUri',
  ],
  [
    'gemini',
    'generateContent',
    'a datastore',
    { tools: [{ retrieval: { vertexAiSearch: { datastore: 'projects/p' } } }] },
    'retrieval',
  ],
  [
    'gemini',
    'generateContent',
    'a file search store',
    { tools: [{ fileSearch: { fileSearchStoreNames: ['fileSearchStores/1'] } }] },
    'fileSearchStoreNames',
  ],
];

describe('what the account keeps', () => {
  it.each(ATTACKS)('is nobody’s by default: %s on %s, %s', async (name, wire, _what, more, field) => {
    const before = t.wires.seen.length;
    const answer = await t.ask(name, wire, { more });
    const text = await answer.text();
    expect([answer.status, t.wires.seen.length - before]).toEqual([400, 0]);
    expect(text).toContain(`${field}'`);
    expect(await t.relay.reservations()).toEqual([]);
  });

  it.each([
    ['a bucket', 'gs://b/x.png'],
    ['a file', 'https://generativelanguage.googleapis.com/v1beta/files/abc'],
    ['a file far on', `https://${'a'.repeat(200)}@generativelanguage.googleapis.com/v1beta/files/abc`],
    ['a file in wide letters', 'https://generativelanguage。ｇｏｏｇｌｅａｐｉｓ.com/v1beta/files/abc'],
  ])('is known in every spelling: %s', async (_what, address) => {
    const before = t.wires.seen.length;
    const answers: [spelling: string, status: number, code: unknown][] = [];
    for (const [spelling, url] of Object.entries(spelled(address))) {
      const more = user({ type: 'image_url', image_url: { url } });
      const answer = await t.ask('openai-chat', 'generateContent', { more });
      answers.push([spelling, answer.status, (await answer.json()).error?.code]);
    }
    expect(answers).toEqual(answers.map(([spelling]) => [spelling, 400, 'shared_context_refused']));
    expect(t.wires.seen.length).toBe(before);
  });

  it('is refused before a call over another wire, too', async () => {
    for (const wire of ['messages', 'tencent'] as const) {
      const more = { data_sources: [{ type: 'azure_search' }] };
      expect((await t.ask('openai-chat', wire, { more })).status).toBe(400);
    }
  });

  it.each<[string, string, JsonObject]>([
    [
      'messages',
      '/v1/messages/count_tokens',
      user({ type: 'document', source: { type: 'file', file_id: 'f' } }),
    ],
    [
      'generateContent',
      '/v1beta/models/model-generateContent:countTokens',
      { cachedContent: 'cachedContents/1', ...parts({ text: 'x' }) },
    ],
    [
      'generateContent',
      '/v1beta/models/model-generateContent:countTokens',
      { generateContentRequest: { cachedContent: 'cachedContents/1', ...parts({ text: 'x' }) } },
    ],
  ])('cannot be sized either: %s', async (wire, path, body) => {
    const before = t.wires.seen.length;
    const answer = await fetch(t.relay.base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${t.relay.key}` },
      body: JSON.stringify({ model: `model-${wire}`, ...body }),
    });
    expect([answer.status, t.wires.seen.length - before]).toEqual([400, 0]);
  });

  it.each<[string, Wire, JsonObject]>([
    ['openai-chat', 'chat', user({ type: 'text', text: 'read file_id gs://b/x' })],
    [
      'openai-chat',
      'chat',
      user({ type: 'image_url', image_url: { url: 'https://storage.googleapis.com/b/x.png' } }),
    ],
    // Said, and not to be opened.
    ['openai-chat', 'chat', user({ type: 'text', text: 'gs://b/x' })],
    ...['developer', 'root', 'critique', 'latest_reminder'].map((role): [string, Wire, JsonObject] => [
      'openai-chat',
      'chat',
      {
        metadata: { role: 'cache' },
        messages: [
          { role, content: 'x' },
          { role: 'user', content: 'x' },
        ],
      },
    ]),
    // Names of the caller's own, whatever his tools call theirs.
    [
      'openai-responses',
      'responses',
      {
        tools: [
          {
            type: 'function',
            name: 'paid',
            parameters: {
              type: 'object',
              properties: { user_id: { type: 'string' } },
              examples: [{ user_id: 'u-1' }],
              dependentRequired: { shelf_id: ['user_id'] },
            },
          },
          { type: 'web_search', user_location: { type: 'approximate', city_id: '1' } },
        ],
      },
    ],
    ['openai-chat', 'chat', { stop: ['gs://'], of_the_future: 'GS: what is said of it' }],
    [
      'openai-responses',
      'responses',
      {
        input: [
          { type: 'function_call', call_id: 'c', name: 'f', arguments: 'gs://b' },
          { type: 'function_call_output', call_id: 'c', output: 's3://b/x' },
        ],
      },
    ],
    [
      'anthropic-messages',
      'messages',
      user({
        type: 'search_result',
        source: 's3://b/x',
        title: 's3://b',
        content: [{ type: 'text', text: 'x' }],
      }),
    ],
    ['openai-responses', 'responses', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }],
    [
      'openai-responses',
      'responses',
      {
        input: [
          { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAB' },
          { role: 'user', content: 'x' },
        ],
      },
    ],
    // What its own answers told it, as the vendors' clients send it back.
    [
      'openai-responses',
      'responses',
      {
        input: [
          { type: 'reasoning', id: 'rs_1', summary: [] },
          { role: 'user', content: 'x' },
        ],
      },
    ],
    ['openai-responses', 'responses', { client_metadata: { thread_id: '01a2', session_id: '01a2' } }],
    ['openai-chat', 'chat', { audio: { voice: 'alloy', format: 'wav' } }],
    [
      'openai-chat',
      'chat',
      { tools: [{ type: 'mcp', server_label: 'x', server_url: 'HTTPS://m.example/mcp' }] },
    ],
    [
      'anthropic-messages',
      'messages',
      { mcp_servers: [{ type: 'url', name: 'x', url: 'https://m.example/mcp' }] },
    ],
    ['anthropic-messages', 'messages', { container: { skills: [{ type: 'anthropic', skill_id: 'pptx' }] } }],
    ['gemini', 'generateContent', parts({ fileData: { fileUri: 'https://www.youtube.com/watch?v=1' } })],
    [
      'gemini',
      'generateContent',
      parts({ text: 'x' }, { functionCall: { name: 'f', args: { file_id: 'x' } } }),
    ],
  ])("does not keep the caller's own from going up: %s on %s, %j", async (name, wire, more) => {
    expect((await t.ask(name, wire, { more })).status).toBe(200);
    expect(JSON.stringify(t.lastSeen.body)).toContain(JSON.stringify(Object.values(more)[0]).slice(1, -1));
    await t.row();
  });

  it.each<[string, Wire, JsonObject]>([
    ['openai-chat', 'chat', { data_sources: [{ type: 'azure_search' }] }],
    ['anthropic-messages', 'messages', { container: 'container_1' }],
    ['gemini', 'generateContent', { cachedContent: 'cachedContents/1' }],
  ])('goes up where the operator shares it: %s on %s', async (name, wire, more) => {
    const answer = await t.ask(name, wire, { model: shared[wire], more });
    expect(answer.status).toBe(200);
    expect(t.lastSeen.body).toMatchObject(more);
    await t.row();
  });
});

describe('a form', () => {
  let forms: Forms;
  beforeAll(async () => {
    forms = await openForms(t.relay);
  });
  afterAll(() => forms.close());

  it.each<[name: string, values: string[]]>([
    ['file_id', ['file-1']],
    ['file_ids[]', ['file-1']],
    ['file_ids[0]', ['file-1', 'file-2']],
    ['image[]', ['gs://b/x.png']],
    ['image[]', ['https://pictures.example/a.png', 'gs://b/x.png']],
    ['image[url]', ['gs://b/x.png']],
    ['images[0][file_id]', ['file-1']],
    ['options[File_ID]', ['file-1']],
    ['images.0.file_id', ['file-1']],
    ['image_url', [' GS://b/x.png']],
    ['to', ['x', 's3://b/x']],
  ])('names nothing that the account keeps: %s=%j', async (name, values) => {
    const answer = await forms.ask(...values.map((value) => [name, value] as const));
    expect([answer.status, forms.seen.length]).toEqual([400, 0]);
    const { error } = await answer.json();
    expect(error.code).toBe('shared_context_refused');
    expect(error.message).toContain(`'${name}'`);
  });

  it("goes up with what is the caller's own", async () => {
    const url = 'https://pictures.example/a.png';
    expect((await forms.ask(['own[field]', 'x'], ['image_url', url])).status).toBe(200);
    expect(forms.seen).toHaveLength(1);
  });
});

describe('a session', () => {
  it('names nothing that the account keeps, and goes on', async () => {
    const setting = JSON.stringify({ shared_context: true });
    const sessions = await openSessions(t.relay, { 'gpt-realtime': {}, shared: { setting } });
    const events: JsonObject[] = [
      { type: 'session.update', session: { prompt: { id: 'pmpt_1' } } },
      { type: 'session.update', session: { tools: [{ type: 'mcp', connector_id: 'connector_gmail' }] } },
      { type: 'session.update', session: { tools: [{ type: 'mcp', tunnel_id: 'tnl_1' }] } },
      { type: 'session.update', session: { tools: [{ type: 'mcp', server_url: 'litellm_proxy' }] } },
      { type: 'response.create', response: { prompt: { id: 'pmpt_1' } } },
      { type: 'response.create', response: { conversation: 'conv_1' } },
      { type: 'conversation.item.create', item: { content: [{ type: 'input_image', file_id: 'file-1' }] } },
      {
        type: 'conversation.item.create',
        item: { content: [{ type: 'input_image', image_url: 'gs://b/x' }] },
      },
      {
        type: 'conversation.item.create',
        item: { content: [{ type: 'input_image', image_url: ['gs://b/x'] }] },
      },
      { type: 'session.update', session: { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] } },
    ];
    const own = { type: 'response.create', response: { conversation: 'none', instructions: 'hi' } };
    try {
      const { client, session } = await sessions.open('gpt-realtime');
      for (const event of events) client.send(event);
      client.send(own);
      while (session.got.length === 0) await Bun.sleep(2);
      expect(session.got).toEqual([JSON.stringify(own)]);
      const errors = client.got.filter(({ type }) => type === 'error');
      expect(errors).toHaveLength(events.length);
      for (const error of errors) expect(error).toMatchObject({ error: { code: 'shared_context_refused' } });
      await sessions.end(client);
      const shared = await sessions.open('shared');
      for (const event of events) shared.client.send(event);
      while (shared.session.got.length < events.length) await Bun.sleep(2);
      expect(shared.session.got).toEqual(events.map((event) => JSON.stringify(event)));
      await sessions.end(shared.client);
    } finally {
      await sessions.close();
    }
  });
});
