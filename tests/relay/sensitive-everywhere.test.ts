/** Sensitive words in what is no plain text: tools, their arguments and results, forms, transcripts, sessions. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';
import { connect, type RealtimeUpstream, startRealtime } from '../support/realtime.ts';

let t: Operations;
let upstream: RealtimeUpstream;
beforeAll(async () => {
  t = await openOperations();
  upstream = startRealtime();
  await t.relay.addChannel({ models: 'gpt-realtime', base_url: upstream.base });
  await t.price({ ModelRatio: { 'gpt-realtime': 1 } });
});
afterAll(async () => {
  await upstream.stop();
  await t.close();
});
afterEach(() => t.relay.api.deps.options.reset(['SensitiveWords', 'StopOnSensitiveEnabled']));

const forbid = (stops = true) =>
  t.relay.set({ SensitiveWords: '敏感词\nforbidden', StopOnSensitiveEnabled: stops });

/** As Python's `json.dumps` writes it. */
const ESCAPED = '{"q": "\\u654f\\u611f\\u8bcd"}';

/** What a tool is, was called with or answered, in the words of each surface. */
const TOOLS: Record<string, (model: string) => [string, JsonObject][]> = {
  chat: (model) => {
    const tool = (fn: JsonObject) => ({ tools: [{ type: 'function', function: { name: 'f', ...fn } }] });
    const call = (args: string, result: string) => ({
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: args } }],
        },
        { role: 'tool', tool_call_id: 'c', content: result },
      ],
    });
    const messages = { messages: [{ role: 'user', content: 'hi' }] };
    return [
      ['tool description', { ...messages, ...tool({ description: 'Forbidden' }) }],
      [
        'parameter',
        { ...messages, ...tool({ parameters: { type: 'object', properties: { forbidden: {} } } }) },
      ],
      ['arguments', call('{"q":"forbidden"}', '')],
      ['escaped arguments', call(ESCAPED, '')],
      ['cut arguments', call(ESCAPED.slice(0, -2), '')],
      ['result', call('{}', 'so forbidden')],
      ['escaped result', call('{}', ESCAPED)],
    ].map(([name, body]) => [`${name}`, { path: '/v1/chat/completions', model, ...(body as JsonObject) }]);
  },
  messages: (model) => {
    const call = (input: JsonObject, content: JsonObject[] | string) => ({
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content }] },
      ],
    });
    const tools = [{ name: 'f', description: 'FORBIDDEN', input_schema: { type: 'object' } }];
    return [
      ['tool description', { messages: [{ role: 'user', content: 'hi' }], tools }],
      ['arguments', call({ q: ['敏感词'] }, 'fine')],
      ['result', call({}, [{ type: 'text', text: 'forbidden' }])],
      ['escaped result', call({}, ESCAPED)],
    ].map(([name, body]) => [
      `${name}`,
      { path: '/v1/messages', model, max_tokens: 9, ...(body as JsonObject) },
    ]);
  },
  responses: (model) => {
    const call = (args: string, output: string) => ({
      input: [
        { role: 'user', content: 'hi' },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: args },
        { type: 'function_call_output', call_id: 'c', output },
      ],
    });
    const tools = [{ type: 'function', name: 'forbidden', parameters: { type: 'object' } }];
    return [
      ['tool name', { input: 'hi', tools }],
      ['escaped arguments', call(ESCAPED, 'fine')],
      ['escaped result', call('{}', ESCAPED)],
    ].map(([name, body]) => [`${name}`, { path: '/v1/responses', model, ...(body as JsonObject) }]);
  },
  gemini: (model) => {
    const call = (args: JsonObject, response: JsonObject) => ({
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response } }] },
      ],
    });
    const tools = [{ functionDeclarations: [{ name: 'f', description: 'forbidden' }] }];
    return [
      ['tool description', { contents: [{ parts: [{ text: 'hi' }] }], tools }],
      ['arguments', call({ q: 'forbidden' }, {})],
      ['result', call({}, { found: '敏感词' })],
      ['result as text', call({}, { result: ESCAPED })],
    ].map(([name, body]) => [
      `${name}`,
      { path: `/v1beta/models/${model}:generateContent`, ...(body as JsonObject) },
    ]);
  },
};

describe.each(Object.keys(TOOLS))('a prompt of the surface %s', (surface) => {
  it('with a word in a tool, its arguments or its result is refused', async () => {
    await forbid();
    const model = await t.model(1);
    const before = t.seen.length;
    for (const [name, { path, ...body }] of TOOLS[surface]?.(model) ?? []) {
      const answer = await t.post(`${path}`, body);
      const text = await answer.text();
      expect([name, answer.status, text.includes('not allowed here')]).toEqual([name, 400, true]);
    }
    expect(t.seen.length).toBe(before);
  });
});

describe('an answer that calls a tool', () => {
  const call = (args: string) => ({ id: 'c', type: 'function', function: { name: 'f', arguments: args } });
  const whole = (args: string) => ({
    id: 'x',
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'well', tool_calls: [call(args)] },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
  const ask = async (model: string, stream = false) =>
    (
      await t.post('/v1/chat/completions', { model, stream, messages: [{ role: 'user', content: 'hi' }] })
    ).text();

  it('with a word in its arguments has no such call, or masked ones', async () => {
    await forbid();
    const model = await t.model(1);
    t.answers(whole('{"q":"forbidden"}'));
    const { choices } = JSON.parse(await ask(model));
    expect(choices[0]).toMatchObject({ finish_reason: 'content_filter', message: { content: 'well' } });
    expect(JSON.stringify(choices)).not.toContain('forbidden');
    await forbid(false);
    const [masked] = JSON.parse(await ask(model)).choices;
    expect(masked.message.tool_calls[0].function.arguments).toBe('{"q":"*********"}');
  });

  it('ends before the word as a stream, which is not cut where there is none', async () => {
    const model = await t.model(1);
    const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
      id: 'x',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason }],
    });
    const piece = (args: string) => chunk({ tool_calls: [{ index: 0, function: { arguments: args } }] });
    const frames =
      (...args: string[]) =>
      () =>
        eventStream([
          chunk({ tool_calls: [{ index: 0, ...call('') }] }),
          ...args.map(piece),
          chunk({}, 'tool_calls'),
        ]);
    const argsOf = (text: string) =>
      [...text.matchAll(/"arguments":"((?:[^"\\]|\\.)*)"/g)]
        .map(([, args]) => JSON.parse(`"${args}"`))
        .join('');
    await forbid();
    t.answers(frames('{"q":"for', 'bidden"', '}'));
    const cut = await ask(model, true);
    expect(argsOf(cut)).toBe('{"q":"');
    expect(cut).toContain('content_filter');
    t.answers(frames('{"q":"for', 'bid"', '}'));
    const fine = await ask(model, true);
    expect(argsOf(fine)).toBe('{"q":"forbid"}');
    expect(fine).toContain('"finish_reason":"tool_calls"');
  });
});

describe('a transcription', () => {
  const post = (model: string, fields: [string, string][] = []) => {
    const form = new FormData();
    form.append('model', model);
    form.append('file', new Blob([new Uint8Array(4_000)]), 'a.mp3');
    for (const [name, value] of fields) form.append(name, value);
    return t.post('/v1/audio/transcriptions', form);
  };

  it('is refused with a word in its prompt, also in one of two', async () => {
    await forbid();
    const model = await t.model(1);
    t.answers({ text: 'fine' });
    for (const fields of [
      [['prompt', 'forbidden']],
      [
        ['prompt', 'fine'],
        ['prompt', 'Forbidden'],
      ],
      [['hotwords', '敏感词']],
    ] as [string, string][][]) {
      expect((await post(model, fields)).status).toBe(400);
    }
    expect((await post(model, [['prompt', 'fine']])).status).toBe(200);
  });

  it('ends before the word, and spells it out nowhere', async () => {
    await forbid();
    const model = await t.model(1);
    const said = 'this is forbidden talk';
    t.answers({
      text: said,
      duration: 1,
      segments: [
        { id: 0, text: 'this is' },
        { id: 1, text: ' forbidden talk', tokens: [1, 2] },
      ],
      words: said.split(' ').map((word) => ({ word })),
    });
    expect(await (await post(model)).json()).toEqual({ text: 'this is ', duration: 1, segments: [] });
    await forbid(false);
    expect(await (await post(model)).json()).toEqual({
      text: 'this is ********* talk',
      duration: 1,
      segments: [
        { id: 0, text: 'this is' },
        { id: 1, text: ' ********* talk' },
      ],
    });
    t.answers(
      () => new Response('1\n00:00 --> 00:01\nso forbidden\n', { headers: { 'content-type': 'text/plain' } }),
    );
    expect(await (await post(model, [['response_format', 'srt']])).text()).toBe(
      '1\n00:00 --> 00:01\nso *********\n',
    );
  });

  it('ends before the word as a stream', async () => {
    await forbid();
    const model = await t.model(1);
    const stream =
      (...deltas: string[]) =>
      () =>
        eventStream([
          ...deltas.map((delta) => ({ type: 'transcript.text.delta', delta })),
          { type: 'transcript.text.done', text: deltas.join(''), usage: { type: 'duration', seconds: 1 } },
        ]);
    const read = async () => {
      const text = await (await post(model, [['stream', 'true']])).text();
      return text
        .split('\n\n')
        .filter(Boolean)
        .map((frame) => JSON.parse(frame.slice(6)));
    };
    t.answers(stream('so for', 'bidd', 'en', ' it is'));
    const cut = await read();
    expect(cut.map(({ delta }) => delta ?? '').join('')).toBe('so ');
    expect(cut.at(-1)).toMatchObject({ type: 'transcript.text.done', text: 'so ' });
    t.answers(stream('so for', 'bear'));
    const fine = await read();
    expect(fine.map(({ delta }) => delta ?? '').join('')).toBe('so forbear');
    expect(fine.at(-1)).toEqual({
      type: 'transcript.text.done',
      text: 'so forbear',
      usage: { type: 'duration', seconds: 1 },
    });
  });

  it("ends before the word as a stream of vLLM's", async () => {
    await forbid();
    const model = await t.model(1);
    const chunk = (choice: JsonObject): JsonObject => ({
      object: 'transcription.chunk',
      choices: [choice],
    });
    const stream =
      (...pieces: string[]) =>
      () =>
        eventStream([
          ...pieces.map((content) => chunk({ delta: { content } })),
          chunk({ delta: { content: '' }, finish_reason: 'stop' }),
          '[DONE]',
        ]);
    const read = async () => {
      const text = await (await post(model, [['stream', 'true']])).text();
      const frames = text.split('\n\n').filter(Boolean);
      const said = frames.map((frame) => JSON.parse(frame.slice(6)).choices[0]);
      return { text, said: said.map(({ delta }) => delta.content).join(''), last: said.at(-1) };
    };
    t.answers(stream('so for', 'bidd', 'en', ' it is'));
    const cut = await read();
    expect([cut.said, cut.last.finish_reason]).toEqual(['so ', 'stop']);
    await forbid(false);
    const told = await read();
    expect([told.said, told.last.finish_reason]).toEqual(['so ********* it is', 'stop']);
    expect(told.text).not.toContain('bidd');
    t.answers(stream('so for', 'bear'));
    expect((await read()).said).toBe('so forbear');
  });

  it("ends before the word as a stream of Mistral's", async () => {
    await forbid();
    const model = await t.model(42);
    const usage = { prompt_audio_seconds: 1, prompt_tokens: 4, total_tokens: 30, completion_tokens: 8 };
    const stream = (text: string) => () =>
      eventStream([
        { type: 'transcription.text.delta', text: text.slice(0, 6) },
        { type: 'transcription.segment', text, start: 0, end: 1 },
        { type: 'transcription.text.delta', text: text.slice(6) },
        { type: 'transcription.done', text, segments: [{ text }], usage },
      ]);
    const read = async () => {
      const text = await (await post(model, [['stream', 'true']])).text();
      return text
        .split('\n\n')
        .filter(Boolean)
        .map((frame) => JSON.parse(frame.slice(6)));
    };
    t.answers(stream('so forbidden it is'));
    const cut = await read();
    expect(JSON.stringify(cut)).not.toContain('bidden');
    expect(cut.at(-1)).toEqual({ type: 'transcription.done', text: 'so ' });
    await forbid(false);
    const told = await read();
    expect(told.at(-1)).toMatchObject({
      text: 'so ********* it is',
      segments: [{ text: 'so ********* it is' }],
    });
    expect(JSON.stringify(told)).not.toContain('bidden');
    t.answers(stream('so forbear it is'));
    expect((await read()).at(-1)).toEqual({
      type: 'transcription.done',
      text: 'so forbear it is',
      segments: [{ text: 'so forbear it is' }],
      usage,
    });
  });
});

describe('a realtime session', () => {
  async function open() {
    const opening = upstream.next();
    const headers = { authorization: `Bearer ${t.relay.key}` };
    const client = await connect(`${t.relay.base}/v1/realtime?model=gpt-realtime`, { headers });
    return { client, session: await opening };
  }

  it('refuses events with a word, tells so and goes on', async () => {
    await forbid();
    const { client, session } = await open();
    const item = (more: JsonObject) => ({ type: 'conversation.item.create', item: more });
    const text = (type: string, text: string) =>
      item({ type: 'message', role: 'user', content: [{ type, text, transcript: text }] });
    const refused: JsonObject[] = [
      { type: 'session.update', session: { instructions: 'be forbidden' } },
      {
        type: 'session.update',
        session: { tools: [{ type: 'function', name: 'f', description: '敏感词' }] },
      },
      { type: 'session.update', session: { audio: { input: { transcription: { prompt: 'forbidden' } } } } },
      text('input_text', 'Forbidden'),
      text('input_audio', 'forbidden'),
      item({ type: 'function_call', name: 'f', arguments: ESCAPED }),
      item({ type: 'function_call_output', call_id: 'c', output: ESCAPED }),
      { type: 'response.create', response: { instructions: 'forbidden' } },
    ];
    for (const event of refused) client.send(event);
    client.send({ type: 'input_audio_buffer.append', audio: 'forbidden' });
    client.send(text('input_text', 'fine'));
    while (session.got.length < 2) await Bun.sleep(5);
    expect(session.got.map((data) => JSON.parse(`${data}`).type)).toEqual([
      'input_audio_buffer.append',
      'conversation.item.create',
    ]);
    const errors = client.got.filter(({ type }) => type === 'error');
    expect(errors).toHaveLength(refused.length);
    expect(errors[0]).toMatchObject({
      error: { code: 'sensitive_words_detected', type: 'invalid_request_error' },
    });
    client.socket.close();
  });

  it.each([
    [
      'what was heard',
      { type: 'conversation.item.input_audio_transcription.completed', transcript: 'so forbidden' },
    ],
    ['an answer', { type: 'response.output_text.done', text: 'so forbidden' }],
  ])('ends with a word in %s, which goes no further', async (_, event) => {
    await forbid();
    const { client, session } = await open();
    session.send({ ...event, event_id: 'e' });
    const { code, reason } = await client.closed;
    expect([code, reason]).toEqual([1008, 'sensitive_words_detected']);
    expect(JSON.stringify(client.got)).not.toContain('so forbidden');
  });

  it('ends with a word that comes in pieces, or masks it in what comes whole', async () => {
    await forbid();
    const first = await open();
    first.session.send({ type: 'response.created', response: { id: 'r' } });
    for (const delta of ['so for', 'bid', 'den']) {
      first.session.send({ type: 'response.output_audio_transcript.delta', delta });
    }
    await first.client.closed;
    expect(first.client.got.filter(({ delta }) => delta !== undefined)).toHaveLength(2);
    await forbid(false);
    const { client, session } = await open();
    session.send({ type: 'response.output_text.done', text: 'so forbidden' });
    expect(await client.until('response.output_text.done')).toMatchObject({ text: 'so *********' });
    client.socket.close();
  });
});
