import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import OpenAI, { toFile } from 'openai';
import type { JsonObject } from '../../src/core/json.ts';
import { eventStream, filesIn, type Operations, openOperations } from '../support/operations.ts';
import { recording } from '../support/recording.ts';
import { secondsOf } from '../support/sound.ts';

let t: Operations;
let client: OpenAI;
beforeAll(async () => {
  t = await openOperations();
  client = new OpenAI({ apiKey: t.relay.key, baseURL: `${t.relay.base}/v1`, maxRetries: 0 });
});
afterAll(() => t.close());

/** Pieces of sound with pauses between them; the connection is cut before the end where `whole` is false. */
function sound(pieces: readonly Uint8Array[], { whole = true, type = 'audio/mpeg' } = {}): Response {
  const body = new ReadableStream({
    async start(controller) {
      for (const piece of pieces) {
        controller.enqueue(piece);
        await Bun.sleep(5);
      }
      if (whole) controller.close();
      else controller.error(new Error('cut'));
    },
  });
  return new Response(body, { headers: { 'content-type': type } });
}
const PIECES = [1, 2, 3].map((n) => new Uint8Array(4000).fill(n));

describe('speech', () => {
  it("comes to OpenAI's client as the bytes that the upstream sent, and costs its characters", async () => {
    const model = await t.model(1, { named: 'tts-1' });
    t.answers(() => sound(PIECES));
    const asked = { model, input: 'Grüße, 世界!', voice: 'alloy', speed: 1.5 };
    const answer = await client.audio.speech.create(asked);
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(new Uint8Array(Buffer.concat(PIECES)));
    expect(answer.headers.get('content-type')).toBe('audio/mpeg');
    expect([t.lastSeen.path, t.lastSeen.body]).toEqual(['/v1/audio/speech', asked]);
    expect(await t.row()).toMatchObject({
      quota: 10,
      prompt_tokens: 10,
      completion_tokens: 0,
      is_stream: true,
      other: { stream_end: 'done', usage_source: 'estimated' },
    });
  });

  it('begins before the upstream has ended', async () => {
    const model = await t.model(1);
    const gate = Promise.withResolvers<void>();
    t.answers(
      () =>
        new Response(
          new ReadableStream({
            async start(controller) {
              controller.enqueue(PIECES[0]);
              await gate.promise;
              controller.enqueue(PIECES[1]);
              controller.close();
            },
          }),
          { headers: { 'content-type': 'audio/wav' } },
        ),
    );
    const response = await t.post('/v1/audio/speech', { model, input: 'Hello', voice: 'v' });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value?.length).toBe(4000);
    gate.resolve();
    let rest = 0;
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      rest += part.value.length;
    }
    expect(rest).toBe(4000);
    expect((await t.row()).quota).toBe(5);
  });

  it('of a model that speaks tokens costs the text and the length of the sound', async () => {
    const model = await t.model(1, { named: 'gpt-4o-mini-tts' });
    const second = new Uint8Array(48_000);
    t.answers(() => sound([second, second, second], { type: 'audio/wav' }));
    const asked = { model, input: 'one two three', voice: 'alloy', response_format: 'wav' };
    await (await t.post('/v1/audio/speech', asked)).arrayBuffer();
    expect(await t.row()).toMatchObject({
      quota: 3 + 3 * 20 * 6,
      other: { audio: true, audio_output: 60, text_input: 3, usage_source: 'estimated' },
    });
  });

  it('under another name costs what the model behind it counts', async () => {
    const speak = async (named: string, real: string) => {
      const model = await t.model(1, { named, model_mapping: JSON.stringify({ [named]: real }) });
      t.answers(() => sound([new Uint8Array(96_000)], { type: 'audio/wav' }));
      const asked = { model, input: 'one two three', voice: 'alloy', response_format: 'wav' };
      await (await t.post('/v1/audio/speech', asked)).arrayBuffer();
      return t.row();
    };
    expect(await speak('my-voice', 'gpt-4o-mini-tts')).toMatchObject({
      quota: 3 + 2 * 20 * 6,
      other: { audio_output: 40 },
    });
    expect((await speak('my-speaker', 'gemini-2.5-pro-tts')).other).toMatchObject({ audio_output: 50 });
    expect((await speak('my-reader', 'tts-1')).quota).toBe(13);
    // Whose price is one of characters is counted in these.
    expect((await speak('tts-1-mine', 'gpt-4o-mini-tts')).quota).toBe(13);
  });

  describe("of Gemini's", () => {
    const spoken = (seconds: number, usageMetadata?: JsonObject): JsonObject => ({
      candidates: [
        {
          content: {
            parts: [
              {
                inlineData: {
                  mimeType: 'audio/L16;codec=pcm;rate=24000',
                  data: Buffer.alloc(seconds * 48_000).toString('base64'),
                },
              },
            ],
          },
          finishReason: 'STOP',
        },
      ],
      ...(usageMetadata && { usageMetadata }),
    });
    const told = { promptTokenCount: 9, candidatesTokenCount: 51, totalTokenCount: 60 };
    const ask = async (model: string, input = 'Hello') => {
      const asked = { model, input, voice: 'alloy', response_format: 'pcm' };
      const response = await t.post('/v1/audio/speech', asked);
      await response.arrayBuffer();
      return response.status;
    };

    it('costs the tokens that were told beside it', async () => {
      const model = await t.model(24, { named: 'gemini-2.5-flash-preview-tts' });
      t.answers(spoken(2, told));
      expect(await ask(model)).toBe(200);
      expect(await t.row()).toMatchObject({
        quota: 9 + 51 * 6,
        prompt_tokens: 9,
        completion_tokens: 51,
        other: { audio_output: 51, usage_source: 'upstream' },
      });
    });

    it('costs its length where they were not told, or left the sound out', async () => {
      const model = await t.model(24, { named: 'gemini-2.5-pro-preview-tts' });
      for (const usage of [undefined, { promptTokenCount: 9, totalTokenCount: 9 }]) {
        t.answers(spoken(2, usage));
        expect(await ask(model)).toBe(200);
        const row = await t.row();
        expect(row).toMatchObject({ other: { audio_output: 50, usage_source: 'estimated' } });
        expect(row.quota).toBe(row.prompt_tokens + 50 * 6);
      }
    });

    it('costs its characters under a name whose price is one of these', async () => {
      const mapping = JSON.stringify({ 'tts-gemini': 'gemini-2.5-flash-tts' });
      const model = await t.model(24, { named: 'tts-gemini', model_mapping: mapping });
      t.answers(spoken(2, told));
      expect(await ask(model)).toBe(200);
      expect((await t.row()).quota).toBe(5);
    });

    it('is held for by the length of its text, under each of its names', async () => {
      const model = await t.model(24, { named: 'gemini-held-tts' });
      const alias = await t.model(24, {
        named: 'held',
        model_mapping: JSON.stringify({ held: 'gemini-held-tts' }),
      });
      // A slow voice speaks 100 seconds of it, 2,500 tokens of six units each.
      const input = 'a'.repeat(1000);
      t.answers(spoken(1, told));
      for (const name of [model, alias]) {
        await t.relay.setBalance(14_999);
        expect(await ask(name, input)).toBe(403);
        await t.relay.setBalance(1_000_000);
        expect(await ask(name, input)).toBe(200);
        expect((await t.row()).quota).toBe(9 + 51 * 6);
      }
    });
  });

  it('as events tells its usage', async () => {
    const model = await t.model(1, { named: 'gpt-4o-mini-tts-2' });
    t.answers(() =>
      eventStream([
        { type: 'speech.audio.delta', audio: 'AAAA' },
        { type: 'speech.audio.done', usage: { input_tokens: 14, output_tokens: 101, total_tokens: 115 } },
      ]),
    );
    const asked = { model, input: 'Hello', voice: 'alloy', stream_format: 'sse' };
    const response = await t.post('/v1/audio/speech', asked);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect((await response.text()).split('\n\n').slice(-2)[0]).toContain('speech.audio.done');
    expect(await t.row()).toMatchObject({ quota: 14 + 101 * 6, other: { usage_source: 'upstream' } });
  });

  it('that breaks off does not look whole, and is charged', async () => {
    const model = await t.model(1);
    t.answers(() => sound(PIECES, { whole: false }));
    const response = await t.post('/v1/audio/speech', { model, input: 'Hello', voice: 'v' });
    expect(response.status).toBe(200);
    expect(await response.arrayBuffer().catch(() => 'broken')).toBe('broken');
    expect(await t.row()).toMatchObject({ quota: 5, other: { stream_end: 'upstream_cut' } });
  });

  it('that is no sound is tried elsewhere, and costs nothing when nobody has any', async () => {
    const model = await t.model(1, { named: 'silent' });
    await t.model(1, { named: 'silent' });
    let tries = 0;
    t.answers(() =>
      tries++ === 0
        ? Response.json({ error: { message: 'no voice', code: 'voice' } })
        : sound(PIECES, { type: 'audio/ogg' }),
    );
    const response = await t.post('/v1/audio/speech', { model, input: 'Hello', voice: 'v' });
    expect((await response.arrayBuffer()).byteLength).toBe(12_000);
    expect((await t.row()).other.admin_info.use_channel).toHaveLength(2);
    for (const nothing of [
      () => new Response('', { headers: { 'content-type': 'audio/mpeg' } }),
      () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
    ]) {
      t.answers(nothing);
      const failed = await t.post('/v1/audio/speech', { model, input: 'Hello', voice: 'v' });
      expect(failed.status).toBe(502);
      expect((await t.row()).quota).toBe(0);
    }
  });

  describe('of vendors who sell characters', () => {
    const input = 'Grüße, 世界!'.repeat(10);
    const minimax = (usage_characters?: number): JsonObject => ({
      data: { audio: '00ff'.repeat(100), status: 2 },
      extra_info: { audio_format: 'mp3', ...(usage_characters !== undefined && { usage_characters }) },
      base_resp: { status_code: 0, status_msg: 'success' },
    });
    const ask = async (model: string) => {
      const response = await t.post('/v1/audio/speech', { model, input, voice: 'v' });
      await response.arrayBuffer();
      return response.status;
    };

    it('costs these, whatever their model is called', async () => {
      const model = await t.model(1, { named: 'canopylabs/orpheus-v1-english' });
      t.answers(() => sound(PIECES));
      expect(await ask(model)).toBe(200);
      expect((await t.row()).quota).toBe(100);
    });

    it('costs as many as MiniMax tells, to whom some are two, and holds for them', async () => {
      const model = await t.model(35, { named: 'speech-02-hd' });
      t.answers(minimax());
      expect(await ask(model)).toBe(200);
      expect(await t.row()).toMatchObject({ quota: 100, other: { usage_source: 'estimated' } });
      t.answers(minimax(120));
      await t.relay.setBalance(119);
      expect(await ask(model)).toBe(403);
      await t.relay.setBalance(1_000_000);
      expect(await ask(model)).toBe(200);
      expect(await t.row()).toMatchObject({ quota: 120, other: { usage_source: 'upstream' } });
    });

    it('costs its sound under a name whose price is one of that', async () => {
      const model = await t.model(35, {
        named: 'gpt-4o-mini-tts-at-minimax',
        model_mapping: JSON.stringify({ 'gpt-4o-mini-tts-at-minimax': 'speech-02-hd' }),
      });
      t.answers(minimax(120));
      expect(await ask(model)).toBe(200);
      expect((await t.row()).other).toMatchObject({ audio: true, usage_source: 'estimated' });
    });
  });

  it.each([35, 24, 45])(
    'as events is refused before it goes up where a vendor has none: type %d',
    async (type) => {
      const model = await t.model(type);
      const sent = t.seen.length;
      const response = await t.post('/v1/audio/speech', {
        model,
        input: 'a',
        voice: 'v',
        stream_format: 'sse',
      });
      expect([response.status, (await response.json()).error.param]).toEqual([400, 'stream_format']);
      expect(t.seen.length).toBe(sent);
    },
  );

  it('of a fixed price costs that a call', async () => {
    const model = await t.model(1);
    await t.price({ ModelPrice: { [model]: 0.01 } });
    t.answers(() => sound(PIECES));
    await (await t.post('/v1/audio/speech', { model, input: 'Hello', voice: 'v' })).arrayBuffer();
    expect((await t.row()).quota).toBe(5000);
  });

  it.each([
    [{}, 'input'],
    [{ input: '' }, 'input'],
    [{ input: ['a'] }, 'input'],
    [{ input: 'a', response_format: 1 }, 'response_format'],
  ])('refuses %p, naming the field', async (body, param) => {
    const refused = await t.post('/v1/audio/speech', { model: 'gpt-4o', ...body } as JsonObject);
    expect([refused.status, (await refused.json()).error.param]).toEqual([400, param]);
  });
});

describe('transcriptions', () => {
  const wav = (seconds: number) => toFile(secondsOf(seconds), 'speech.wav', { type: 'audio/wav' });

  it('cost what their seconds cost, which the recording tells', async () => {
    const recorded = recording('openai-audio/openai-transcription.json') ?? {
      task: 'transcribe',
      duration: 36.7,
      text: 'Galileo was an American robotic space program',
      usage: { type: 'duration', seconds: 37 },
    };
    const { seconds } = recorded.usage as { seconds: number };
    const model = await t.model(1, { named: 'whisper-1', model_mapping: '{"whisper-1":"theirs"}' });
    t.answers(recorded);
    const answer = await client.audio.transcriptions.create({
      model,
      file: await wav(3),
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
    });
    expect(answer).toEqual(expect.objectContaining(recorded));
    const { form, path } = t.lastSeen;
    expect([path, form?.getAll('model')]).toEqual(['/v1/audio/transcriptions', ['theirs']]);
    expect(form?.getAll('timestamp_granularities[]')).toEqual(['word', 'segment']);
    const [file] = filesIn(t.lastSeen, 'file');
    expect(await file?.bytes()).toEqual(new Uint8Array(secondsOf(3)));
    expect(await t.row()).toMatchObject({
      quota: Math.round((seconds * 1000) / 60),
      other: { usage_source: 'upstream', is_model_mapped: true },
    });
  });

  it('cost the tokens of speech and text where those are told', async () => {
    const model = await t.model(1, { named: 'gpt-4o-transcribe' });
    t.answers({
      text: 'Hello',
      usage: {
        type: 'tokens',
        input_tokens: 44,
        input_token_details: { text_tokens: 4, audio_tokens: 40 },
        output_tokens: 5,
        total_tokens: 49,
      },
    });
    await client.audio.transcriptions.create({ model, file: await wav(4) });
    expect(await t.row()).toMatchObject({ quota: 4 + 40 * 3 + 5 * 2, other: { audio_input: 40 } });
  });

  it.each<[what: string, told: JsonObject | string, format: string]>([
    ['as text', 'This is what was said.', 'text'],
    ['without usage', { text: 'This is what was said.' }, 'json'],
    ['in segments', { segments: [{ text: 'This is what was said.', start: 0, end: 2 }] }, 'verbose_json'],
    ['as subtitles', '1\n00:00:00,000 --> 00:00:02,000\nThis is what was said.\n', 'srt'],
    ['by its seconds', { text: 'This is what was said.', usage: { type: 'duration', seconds: 60 } }, 'json'],
    ['by its length', { text: 'This is what was said.', duration: 60 }, 'verbose_json'],
  ])('cost the tokens of a model that sells them where none are told: %s', async (_, told, format) => {
    const models = ['gpt-4o-transcribe', 'somebodys-ears', 'my-whisper'];
    for (const asked of models) {
      const model = await t.model(1, {
        named: asked,
        model_mapping: JSON.stringify({
          'somebodys-ears': 'gpt-4o-mini-transcribe',
          'my-whisper': 'gpt-4o-transcribe',
        }),
      });
      t.answers(() =>
        typeof told === 'string'
          ? new Response(told, { headers: { 'content-type': 'text/plain' } })
          : Response.json(told),
      );
      const form = new FormData();
      form.append('file', await wav(60));
      form.append('model', model);
      form.append('response_format', format);
      expect((await t.post('/v1/audio/transcriptions', form)).status).toBe(200);
      const row = await t.row();
      if (asked === 'my-whisper') {
        expect(row).toMatchObject({ quota: 1000, completion_tokens: 0 });
        continue;
      }
      expect(row).toMatchObject({
        prompt_tokens: 600,
        other: { audio_input: 600, usage_source: 'estimated' },
      });
      expect(row.completion_tokens).toBeGreaterThanOrEqual(6);
      expect(row.completion_tokens).toBeLessThan(12);
      expect(row.quota).toBe(600 * 3 + row.completion_tokens * 2);
    }
  });

  it.each([
    ['pieces', ['Hel', 'lo']],
    ['silence', ['']],
  ])("are streamed as vLLM's chunks, and cost their seconds: %s", async (_, pieces) => {
    const model = await t.model(1);
    const chunk = (more: JsonObject): JsonObject => ({
      id: 'trsc-1',
      object: 'transcription.chunk',
      created: 1,
      model,
      ...more,
    });
    const chunks = [
      ...pieces.map((content) => chunk({ choices: [{ delta: { content } }] })),
      chunk({ choices: [{ delta: { content: '' }, finish_reason: 'stop' }] }),
      chunk({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } }),
    ];
    t.answers(() => eventStream([...chunks, '[DONE]']));
    const form = new FormData();
    form.append('file', await wav(60));
    form.append('model', model);
    form.append('stream', 'true');
    const response = await t.post('/v1/audio/transcriptions', form);
    expect(response.status).toBe(200);
    const shown = (await response.text()).split('\n\n').filter(Boolean);
    expect(shown.map((frame) => JSON.parse(frame.slice(6)))).toEqual(chunks);
    expect(await t.row()).toMatchObject({ quota: 1000, other: { stream_end: 'done' } });
  });

  it('cost the tokens of a model that sells them where a stream tells its seconds', async () => {
    const model = await t.model(1, { named: 'gpt-4o-transcribe-diarize' });
    t.answers(() =>
      eventStream([
        { type: 'transcript.text.delta', delta: 'This is what ' },
        { type: 'transcript.text.delta', delta: 'was said.' },
        { type: 'transcript.text.done', text: 'This is what was said.', usage: { seconds: 60 } },
      ]),
    );
    const form = new FormData();
    form.append('file', await wav(6));
    form.append('model', model);
    form.append('stream', 'true');
    form.append('prompt', 'Names: Grete');
    await (await t.post('/v1/audio/transcriptions', form)).text();
    const row = await t.row();
    const { text_input: prompted } = row.other;
    expect(prompted).toBeWithin(3, 8);
    expect(row).toMatchObject({ other: { audio_input: 600, usage_source: 'estimated' } });
    expect(row.completion_tokens).toBeWithin(6, 12);
    expect(row.quota).toBe(Number(prompted) + 600 * 3 + row.completion_tokens * 2);
  });

  it('as text or subtitles pass as they come, and cost the seconds of the file', async () => {
    const model = await t.model(1);
    for (const [format, text] of [
      ['text', 'Hello there.\n'],
      ['srt', '1\n00:00:00,000 --> 00:00:01,000\nHello there.\n'],
      ['vtt', 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello there.\n'],
    ] as const) {
      t.answers(() => new Response(text, { headers: { 'content-type': 'text/plain' } }));
      const form = new FormData();
      form.append('file', await wav(30.5));
      form.append('model', model);
      form.append('response_format', format);
      const response = await t.post('/v1/audio/transcriptions', form);
      expect([response.headers.get('content-type'), await response.text()]).toEqual([
        'text/plain; charset=utf-8',
        text,
      ]);
      expect(await t.row()).toMatchObject({
        quota: Math.round((31 * 1000) / 60),
        other: { usage_source: 'estimated' },
      });
    }
  });

  it.each<[what: string, format: string, answer: string | JsonObject, seconds: number]>([
    ['SRT', 'srt', '1\n00:00:00,000 --> 00:00:01,000\nHi.\n\n2\n00:00:30,000 --> 00:00:41,250\nYou.\n', 42],
    ['WebVTT', 'vtt', 'WEBVTT\n\n00:00.000 --> 00:41.250 align:start\nHello there.\n', 42],
    ['WebVTT of hours', 'vtt', 'WEBVTT\n\n00:00.000 --> 00:00:41.250\nHello.\n', 42],
    ['segments', 'verbose_json', { text: 'Hi', segments: [{ end: 41.25 }, { end: 9 }] }, 42],
    ['words', 'verbose_json', { text: 'Hi', words: [{ word: 'Hi', start: 1, end: 41.25 }] }, 42],
    ['a duration', 'verbose_json', { text: 'Hi', duration: 41.25, segments: [{ end: 9 }] }, 42],
    ['more than there can be', 'srt', '1\n00:00:00,000 --> 99:59:59,999\nHi.\n', 60],
    ['nothing', 'text', 'Hello --> there.\n', 60],
  ])(
    'of a file that tells no length cost as many seconds as their %s tell',
    async (_, format, answer, seconds) => {
      const model = await t.model(1);
      t.answers(
        typeof answer === 'string'
          ? () => new Response(answer, { headers: { 'content-type': 'text/plain' } })
          : answer,
      );
      const form = new FormData();
      form.append('file', new File([new Uint8Array(60_000).fill(7)], 'sound.mp3', { type: 'audio/mpeg' }));
      form.append('model', model);
      form.append('response_format', format);
      expect((await t.post('/v1/audio/transcriptions', form)).status).toBe(200);
      expect(await t.row()).toMatchObject({ quota: Math.round((seconds * 1000) / 60) });
    },
  );

  it('cost the length of their file where they end before it, and what they tell far beyond it', async () => {
    const model = await t.model(1);
    const quotaOf = async (file: Uint8Array<ArrayBuffer>, end: string) => {
      const text = `1\n00:00:00,000 --> ${end}\nHello.\n`;
      t.answers(() => new Response(text, { headers: { 'content-type': 'text/plain' } }));
      const form = new FormData();
      form.append('file', new File([file], 'sound.wav', { type: 'audio/wav' }));
      form.append('model', model);
      form.append('response_format', 'srt');
      expect((await t.post('/v1/audio/transcriptions', form)).status).toBe(200);
      return (await t.row()).quota;
    };
    expect(await quotaOf(secondsOf(60), '00:00:01,000')).toBe(1000);
    // A window of the model's ends behind the sound.
    expect(await quotaOf(secondsOf(60), '00:01:20,000')).toBe(1000);
    // A rate that no sound has makes sixty seconds into one.
    const sped = secondsOf(60);
    sped.writeUInt32LE(480_000, 24);
    expect(await quotaOf(sped, '00:01:00,000')).toBe(1000);
  });

  it('hold what they are charged', async () => {
    const model = await t.model(1, { named: 'whisper-large' });
    await t.price({
      ModelRatio: { [model]: 10 },
      AudioRatio: { [model]: 1 },
      CompletionRatio: { [model]: 0 },
    });
    const spent = async (quota: number) => {
      await t.relay.api.deps.db.query('update users set quota = $2 where id = $1', [t.relay.user.id, quota]);
      const form = new FormData();
      form.append('file', await wav(60));
      form.append('model', model);
      t.answers({ text: 'Hello' });
      return (await t.post('/v1/audio/transcriptions', form)).status;
    };
    // A minute costs 10,000: nothing may go up on less.
    expect(await spent(9_999)).toBe(403);
    expect(await spent(1_000_000)).toBe(200);
    expect((await t.row()).quota).toBe(10_000);
  });

  it('stream where the model can, and come whole where it cannot', async () => {
    const model = await t.model(1);
    t.answers(() =>
      eventStream([
        { type: 'transcript.text.delta', delta: 'Hel' },
        { type: 'transcript.text.delta', delta: 'lo' },
        {
          type: 'transcript.text.done',
          text: 'Hello',
          usage: { type: 'tokens', input_tokens: 10, output_tokens: 2, total_tokens: 12 },
        },
      ]),
    );
    const stream = await client.audio.transcriptions.create({ model, file: await wav(1), stream: true });
    const types = [];
    for await (const { type } of stream) types.push(type);
    expect(types).toEqual(['transcript.text.delta', 'transcript.text.delta', 'transcript.text.done']);
    expect(t.lastSeen.form?.get('stream')).toBe('true');
    expect(await t.row()).toMatchObject({ quota: 10 + 2 * 2, is_stream: true });

    t.answers({ text: 'Hello' });
    const form = new FormData();
    form.append('file', await wav(6));
    form.append('model', model);
    form.append('stream', 'true');
    const whole = await t.post('/v1/audio/transcriptions', form);
    expect(await whole.json()).toEqual({ text: 'Hello' });
    expect((await t.row()).quota).toBe(100);
  });

  it('cost the seconds that Mistral tells beside tokens, whole and as a stream of its events', async () => {
    const model = await t.model(42);
    const usage = {
      prompt_audio_seconds: 203,
      prompt_tokens: 4,
      total_tokens: 3_264,
      completion_tokens: 635,
    };
    t.answers({ model, text: 'This week, I', language: 'en', segments: [], usage });
    await client.audio.transcriptions.create({ model, file: await wav(203) });
    expect(await t.row()).toMatchObject({ quota: 3_383, other: { usage_source: 'upstream' } });
    t.answers(() =>
      eventStream([
        { type: 'transcription.language', audio_language: 'en' },
        { type: 'transcription.text.delta', text: 'This week, ' },
        { type: 'transcription.segment', text: 'This week, I', start: 0.8, end: 2 },
        { type: 'transcription.text.delta', text: 'I' },
        { type: 'transcription.done', model, text: 'This week, I', language: 'en', segments: [], usage },
      ]),
    );
    const stream = await client.audio.transcriptions.create({ model, file: await wav(203), stream: true });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(types).toEqual([
      'transcription.language',
      'transcription.text.delta',
      'transcription.segment',
      'transcription.text.delta',
      'transcription.done',
    ]);
    const told = { usage_source: 'upstream', stream_end: 'done' };
    expect(await t.row()).toMatchObject({ quota: 3_383, is_stream: true, other: told });
  });

  it('are sent again, whole, to a second channel', async () => {
    const model = await t.model(1, { named: 'twice' });
    await t.model(1, { named: 'twice' });
    const got: number[] = [];
    t.answers((seen) => {
      got.push(...filesIn(seen, 'file').map(({ size }) => size));
      if (got.length === 1) return new Response('no', { status: 500 });
      return Response.json({ text: 'Hello' });
    });
    const form = new FormData();
    form.append('file', await wav(60));
    form.append('model', model);
    expect((await t.post('/v1/audio/transcriptions', form)).status).toBe(200);
    expect(got).toEqual([secondsOf(60).length, secondsOf(60).length]);
    expect((await t.row()).quota).toBe(1000);
    expect(t.relay.api.deps.relay.uploads.bytes).toBe(0);
  });

  it('may be translations, and name no model', async () => {
    t.answers({ text: 'Hello' });
    const form = new FormData();
    form.append('file', await wav(6));
    const response = await t.post('/v1/audio/translations', form);
    expect(response.status).toBe(200);
    expect([t.lastSeen.path, t.lastSeen.form?.get('model')]).toEqual(['/v1/audio/translations', 'theirs']);
    expect(await t.row()).toMatchObject({ quota: 100, model_name: 'whisper-1' });
  });

  it('that are web pages are no answer', async () => {
    const model = await t.model(1);
    t.answers(() => new Response('<html>Bad gateway</html>'));
    const form = new FormData();
    form.append('file', await wav(1));
    form.append('model', model);
    expect((await t.post('/v1/audio/transcriptions', form)).status).toBe(502);
    expect((await t.row()).quota).toBe(0);
  });

  it('are refused without a file, without quota and without a key, and keep nothing', async () => {
    const form = new FormData();
    form.append('model', 'whisper-1');
    const refused = await t.post('/v1/audio/transcriptions', form);
    expect([refused.status, (await refused.json()).error.param]).toEqual([400, 'file']);
    form.append('file', await wav(60));
    form.append('file', await wav(1));
    const two = await t.post('/v1/audio/transcriptions', form);
    expect([two.status, (await two.json()).error.param]).toEqual([400, 'file']);
    form.set('file', await wav(60));
    const stranger = await t.post('/v1/audio/transcriptions', form, { authorization: 'Bearer sk-no' });
    expect(stranger.status).toBe(401);
    await t.price({ ModelRatio: { 'whisper-1': 1_000_000 } });
    const poor = await t.post('/v1/audio/transcriptions', form);
    expect((await poor.json()).error.code).toBe('insufficient_user_quota');
    await t.price({ ModelRatio: { 'whisper-1': 1 } });
    expect(t.relay.api.deps.relay.uploads.bytes).toBe(0);
  });
});
