/** Media are measured by what they are, on every surface and in whatever field they stand. */
import { describe, expect, it } from 'bun:test';
import { pdfOf } from '../../tests/support/pdf.ts';
import { mp3Frames, opusFile, secondsOf, slowWav, soundFile } from '../../tests/support/sound.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { fileTokensMost } from '../core/media-tokens.ts';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import type { PromptSize } from './dialect.ts';
import { gemini } from './gemini/dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import { openaiEmbeddings } from './plain/openai-embeddings.ts';

const SURFACES: Record<string, (part: JsonObject) => PromptSize> = {
  chat: (part) =>
    openaiChat.readRequest({ model: 'm', messages: [{ role: 'user', content: [part] }] }, {}).prompt,
  responses: (part) =>
    openaiResponses.readRequest({ model: 'm', input: [{ role: 'user', content: [part] }] }, {}).prompt,
  messages: (part) =>
    anthropicMessages.readRequest(
      { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: [part] }] },
      {},
    ).prompt,
  gemini: (part) => gemini.readRequest({ contents: [{ parts: [part] }] }, { model: 'm' }).prompt,
};

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const FILM = base64(await soundFile('film.mp4'));
/** How films begin whose length is not read: bytes in hexadecimal, by where they stand. */
const UNTIMED: Record<string, readonly [at: number, hex: string][]> = {
  AVI: [
    [0, '52494646'],
    [8, '41564920'],
  ],
  FLV: [[0, '464c5601']],
  WMV: [[0, '3026b2758e66cf11a6d900aa0062ce6c']],
  'MPEG-PS': [[0, '000001ba']],
  'MPEG-TS': [
    [0, '474000'],
    [188, '474011'],
  ],
  'MPEG-TS with times': [
    [4, '474000'],
    [196, '474011'],
  ],
  'an MP4 without its tables': [[4, '66747970']],
};
const PDF = base64(Buffer.from('%PDF-1.7 and so on'));
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAIAAAC6s0uzAAAAAElFTkSuQmCC';

/** Each way in which a surface names bytes. */
const INLINE: Record<string, (type: string, data: string) => JsonObject> = {
  'chat image_url': (type, data) => ({
    type: 'image_url',
    image_url: { url: `data:${type};base64,${data}` },
  }),
  'chat image_url alone': (type, data) => ({ type: 'image_url', image_url: `data:${type};base64,${data}` }),
  'chat video_url': (type, data) => ({
    type: 'video_url',
    video_url: { url: `data:${type};base64,${data}` },
  }),
  'chat file': (type, data) => ({ type: 'file', file: { file_data: `data:${type};base64,${data}` } }),
  'chat input_audio': (type, data) => ({
    type: 'input_audio',
    input_audio: { data: `data:${type};base64,${data}`, format: 'wav' },
  }),
  'responses input_image': (type, data) => ({
    type: 'input_image',
    image_url: `data:${type};base64,${data}`,
  }),
  'responses input_file': (type, data) => ({ type: 'input_file', file_data: `data:${type};base64,${data}` }),
  'messages image': (media_type, data) => ({ type: 'image', source: { type: 'base64', media_type, data } }),
  'messages document': (media_type, data) => ({
    type: 'document',
    source: { type: 'base64', media_type, data },
  }),
  'gemini inlineData': (mimeType, data) => ({ inlineData: { mimeType, data } }),
  'gemini inline_data': (mime_type, data) => ({ inline_data: { mime_type, data } }),
};
const measured = (name: string, part: JsonObject) => SURFACES[name.split(' ')[0] ?? '']?.(part);

describe.each(Object.entries(INLINE))('%s', (name, partOf) => {
  const sizeOf = (type: string, data: string) => measured(name, partOf(type, data));

  it('holds a film by its bytes and its length, whatever it is called', () => {
    for (const type of ['video/mp4', 'image/png', 'text/plain']) {
      expect(sizeOf(type, FILM)).toMatchObject({ images: [], audioSeconds: 0, files: 1, videoSeconds: 3 });
    }
  });

  it.each(Object.entries(UNTIMED))('holds %s as the longest film', (_name, start) => {
    const film = Buffer.alloc(30_000);
    for (const [at, hex] of start) film.write(hex, at, 'hex');
    for (const type of ['video/mpeg', 'image/png']) {
      const expected = { images: [], audioSeconds: 0, files: 1, videoSeconds: 150, unseenFilm: true };
      expect(sizeOf(type, base64(film))).toMatchObject(expected);
    }
  });

  it('holds a document by its bytes', () => {
    for (const type of ['application/pdf', 'image/jpeg']) {
      expect(sizeOf(type, PDF)).toMatchObject({ images: [], files: 1, fileBytes: 18 });
    }
  });

  it('holds a sound by its length', () => {
    const hour: [string, Uint8Array][] = [
      ['audio/wav', slowWav(3600)],
      ['audio/mpeg', mp3Frames(50_000)],
      ['audio/ogg', opusFile(180_000, 1)],
    ];
    for (const [type, file] of hour) {
      const size = sizeOf(type, base64(file));
      expect(size).toMatchObject({ images: [], files: 0 });
      expect(size?.audioSeconds).toBeCloseTo(3600, 0);
    }
  });

  it('holds a picture by its size', () => {
    for (const type of ['image/png', 'audio/wav', 'application/pdf', 'text/plain']) {
      expect(sizeOf(type, PNG)).toMatchObject({
        images: [{ detail: 'auto', width: 640, height: 480 }],
        audioSeconds: 0,
        files: 0,
      });
    }
  });

  it('holds a text as text', () => {
    expect(sizeOf('text/plain', base64(Buffer.from('hello'.repeat(100))))?.textBytes).toBeGreaterThanOrEqual(
      500,
    );
  });
});

describe('a film in the words of Qwen and of vLLM', () => {
  const sizeOf = (part: JsonObject) => SURFACES.chat?.(part);
  const frame = `data:image/png;base64,${PNG}`;
  const picture = { width: 640, height: 480 };

  it.each<[string, JsonObject, number]>([
    ['a list of pictures', { type: 'video', video: [frame, frame, frame] }, 3],
    ['a list of their bytes', { type: 'video', video: [PNG, PNG] }, 2],
    ['a picture', { type: 'image', image: frame }, 1],
    ['the bytes of a picture', { type: 'image', image: PNG }, 1],
    ['pictures', { type: 'image', images: [frame, { url: frame }] }, 2],
    ['pictures by address', { type: 'media', image_url: [frame, frame] }, 2],
  ])('%s is held as so many pictures', (_what, part, count) => {
    expect(sizeOf(part)).toMatchObject({ images: Array(count).fill(picture), files: 0 });
  });

  it.each<[string, JsonObject]>([
    ['alone', { type: 'video', video: `data:video/mp4;base64,${FILM}` }],
    ['its bytes', { type: 'video', video: FILM }],
    ['in a list', { type: 'video', video: [`data:video/mp4;base64,${FILM}`] }],
    ['called a picture', { type: 'image', image: FILM }],
  ])('it is held by its length: %s', (_what, part) => {
    expect(sizeOf(part)).toMatchObject({ images: [], files: 1, videoSeconds: 3 });
  });

  it('it is held as the longest where its pictures stand one behind another', () => {
    const part = { type: 'video_url', video_url: { url: `data:video/jpeg;base64,${PNG},${PNG}` } };
    expect(sizeOf(part)).toMatchObject({ images: [], files: 1, unseenFilm: true });
  });

  it('no address is one of a disk', () => {
    for (const part of [{ video: ['file:///a'] }, { image: 'file:///a' }, { images: [{ url: 'file:///a' }] }])
      expect(() => sizeOf({ type: 'video', ...part })).toThrow('invalid_request');
  });
});

it('what is called a text is held as a picture or a sound, too, where one is expected', () => {
  const data = base64(Buffer.from('a'.repeat(6_000)));
  const sizeOf = (name: string) => measured(name, INLINE[name]?.('text/plain', data) ?? {});
  expect(sizeOf('chat image_url')).toMatchObject({ images: [{ detail: 'auto' }], files: 0 });
  expect(sizeOf('chat input_audio')).toMatchObject({ images: [], audioSeconds: 6, files: 0 });
  expect(sizeOf('chat file')).toMatchObject({ images: [], audioSeconds: 0, files: 0 });
  for (const name of ['chat image_url', 'chat input_audio', 'chat file'])
    expect(sizeOf(name)?.textBytes).toBeGreaterThanOrEqual(6_000);
});

describe('a film that is looked at more often', () => {
  const asked = (fps: Json) => ({
    inlineData: { mimeType: 'video/mp4', data: FILM },
    videoMetadata: { fps },
  });
  const frames = (surface: string, part: JsonObject) => SURFACES[surface]?.(part).videoFrames;

  it.each<[fps: Json, frames: number]>([
    [24, 72],
    [2.5, 7.5],
    [1, 3],
    [null, 3],
    // Other wires have no word for it, so that films of theirs are looked at once a second.
    [0.1, 3],
    [0, 72],
    [-1, 72],
    [25, 72],
    ['12', 72],
  ])('is held for all of its frames: %j a second', (fps, expected) => {
    expect(frames('gemini', asked(fps))).toBeCloseTo(expected);
    const inLines = { inline_data: { mime_type: 'image/png', data: FILM }, video_metadata: { fps } };
    expect(frames('gemini', inLines)).toBeCloseTo(expected);
  });

  it('is held for one a second where nothing is said', () => {
    expect(frames('gemini', { inlineData: { mimeType: 'video/mp4', data: FILM } })).toBe(3);
  });

  it('is held for all of its frames in a word of another wire', () => {
    const url = `data:video/mp4;base64,${FILM}`;
    const VIDEO = { type: 'video_url', video_url: { url } };
    expect(frames('chat', { ...VIDEO, fps: 2 })).toBe(6);
    expect(frames('chat', { type: 'video_url', video_url: { url, fps: 2 } })).toBe(6);
    expect(frames('chat', { type: 'image_url', image_url: { url, fps: 2 } })).toBe(6);
    expect(frames('chat', { type: 'file', file: { file_data: url, video_metadata: { fps: 2 } } })).toBe(6);
  });
});

describe('what stands elsewhere', () => {
  const GEMINI = (mimeType: string, fileUri: string) => ({ fileData: { mimeType, fileUri } });

  it.each<[surface: string, part: JsonObject]>([
    ['chat', { type: 'image_url', image_url: { url: 'https://a.example/b.png' } }],
    ['chat', { type: 'image_url', image_url: 'https://a.example/b' }],
    ['responses', { type: 'input_image', image_url: 'https://a.example/b.webp' }],
    ['messages', { type: 'image', source: { type: 'url', url: 'https://a.example/b' } }],
    ['gemini', GEMINI('image/png', 'https://a.example/b')],
  ])('is held as a picture where it is called one, but nobody knows: %s %j', (surface, part) => {
    const size = SURFACES[surface]?.(part);
    expect(size).toMatchObject({ images: [{ detail: 'auto' }], files: 0, addressed: true });
    expect(size?.unseen).toBeUndefined();
  });

  it.each<[surface: string, part: JsonObject]>([
    ['chat', { type: 'image_url', image_url: { url: 'https://a.example/b.mp4?c' } }],
    ['chat', { type: 'image_url', image_url: { url: 'https://a.example/b.pdf' } }],
    ['chat', { type: 'image_url', image_url: { url: 'https://www.youtube.com/watch?v=1' } }],
    ['chat', { type: 'image_url', image_url: { url: ' data:image/png;base64,AAAA' } }],
    ['chat', { type: 'image_url', image_url: {} }],
    ['chat', { type: 'input_audio', input_audio: { data: 'https://a.example/b.wav', format: 'wav' } }],
    ['chat', { type: 'video_url', video_url: { url: 'https://a.example/b' } }],
    ['responses', { type: 'input_image', image_url: 'https://youtu.be/1' }],
    ['responses', { type: 'input_image', file_id: 'file-1' }],
    ['responses', { type: 'input_file', file_url: 'https://a.example/b' }],
    ['messages', { type: 'image', source: { type: 'url', url: 'https://a.example/b.mov' } }],
    ['messages', { type: 'document', source: { type: 'url', url: 'https://a.example/b' } }],
    ['gemini', GEMINI('image/png', 'https://www.youtube.com/watch?v=1')],
    ['gemini', GEMINI('video/mp4', 'https://a.example/b')],
    ['gemini', GEMINI('audio/wav', 'https://a.example/b')],
  ])('is held as the longest prompt where it is anything else: %s %j', (surface, part) => {
    expect(SURFACES[surface]?.(part)).toMatchObject({ images: [], unseen: true });
  });

  const ADDRESS = 'https://a.example/b';
  it.each<[surface: string, part: JsonObject]>([
    ['chat', { type: 'video_url', video_url: { url: ADDRESS } }],
    ['chat', { type: 'video_url', video_url: ADDRESS }],
    ['chat', { type: 'video', video: [ADDRESS] }],
    ['chat', { type: 'input_video', file: ADDRESS }],
    ['chat', { type: 'image_url', image_url: { url: `${ADDRESS}.mp4` } }],
    ['chat', { type: 'image_url', image_url: { url: 'https://youtu.be/1' } }],
    ['chat', { type: 'image_url', image_url: { url: ADDRESS }, fps: 5 }],
    ['chat', { type: 'media', image_url: `data:image/png;base64,${PNG}`, video_url: { url: ADDRESS } }],
    ['responses', { type: 'input_video', video_url: ADDRESS }],
    ['responses', { type: 'input_image', image_url: 'https://vimeo.com/1' }],
    ['messages', { type: 'image', source: { type: 'url', url: `${ADDRESS}.mov` } }],
    ['messages', { type: 'video', source: { type: 'url', url: ADDRESS } }],
    ['gemini', GEMINI('video/mp4', ADDRESS)],
    ['gemini', GEMINI('image/png', 'https://www.youtube.com/watch?v=1')],
    ['gemini', { ...GEMINI('image/png', ADDRESS), videoMetadata: { fps: 4 } }],
  ])('is held as the longest film where it is called one: %s %j', (surface, part) => {
    const size = SURFACES[surface]?.(part);
    expect(size).toMatchObject({ unseen: true, unseenFilm: true });
    expect(size && fileTokensMost('m', size, true, 1_048_576).films).toBeGreaterThanOrEqual(1_048_576);
  });

  it.each<[surface: string, part: JsonObject]>([
    ['chat', { type: 'image_url', image_url: { url: ADDRESS } }],
    ['chat', { type: 'file', file: { file_data: 'https://a.example/video' } }],
    ['chat', { type: 'text', text: 'my "video_url": "https://a.example/b"' }],
    ['messages', { type: 'document', source: { type: 'url', url: ADDRESS } }],
    ['responses', { type: 'input_file', file_url: ADDRESS }],
  ])('is no film where nothing says so: %s %j', (surface, part) => {
    expect(SURFACES[surface]?.(part)?.unseenFilm).toBeUndefined();
  });
});

it('an address beside bytes is not overlooked', () => {
  const part = {
    type: 'media',
    image_url: `data:image/png;base64,${PNG}`,
    video_url: { url: 'https://a.example/b.mp4' },
  };
  expect(SURFACES.chat?.(part)).toMatchObject({ images: [{ width: 640 }], unseen: true });
});

it('what an assistant said and drew before is measured, too', () => {
  const messages = [
    {
      role: 'assistant',
      content: 'so',
      images: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }],
      audio: { data: base64(secondsOf(4)) },
    },
    { role: 'assistant', content: 'so', audio: { id: 'audio_1' } },
  ];
  const { prompt } = openaiChat.readRequest({ model: 'm', messages }, {});
  expect(prompt).toMatchObject({ images: [{ width: 640 }], audioSeconds: 4, addressed: true });
});

it('base64 with blanks and line ends in it tells the same', () => {
  const lines = base64(secondsOf(90)).replace(/.{76}/g, '$&\r\n ');
  expect(measured('gemini', { inlineData: { mimeType: 'audio/wav', data: lines } })?.audioSeconds).toBe(90);
});

it('what no bytes tell is held at the slowest rate of its type', () => {
  const sizeOf = (mimeType: string) =>
    measured('gemini', { inlineData: { mimeType, data: base64(Buffer.alloc(96_000, 7)) } })?.audioSeconds;
  expect(sizeOf('audio/mpeg')).toBe(96);
  expect(sizeOf('audio/pcm')).toBe(6);
  expect(sizeOf('audio/L16;codec=pcm;rate=24000')).toBe(2);
  expect(sizeOf('audio/pcm;rate=9999999')).toBe(1);
});

describe('what is looked at before anybody is asked for quota', () => {
  const usual = base64(pdfOf([{ text: 'BT (Hello) Tj ET' }]));
  const busy = base64(
    pdfOf([{ text: 'BT (Hello) Tj ET' }], {
      extra: [{ dictionary: '/E (a) '.repeat(70_000), data: Buffer.alloc(0) }],
    }),
  );
  const pdfs = (...documents: string[]) =>
    documents.map((data) => ({ inlineData: { mimeType: 'application/pdf', data } }));
  const sizeOf = (parts: Json[]) => gemini.readRequest({ contents: [{ parts }] }, { model: 'm' }).prompt;
  const embedded = (input: Json[]) => openaiEmbeddings.readRequest({ model: 'm', input }, {});
  const drawn = (images: Json[]) =>
    openaiChat.readRequest({ model: 'm', messages: [{ role: 'user', content: '', images }] }, {});

  it('is a number of marks in all documents of a request, not in each', () => {
    expect(sizeOf(pdfs(usual, busy, usual))).toMatchObject({ pages: 3 });
    expect(sizeOf(pdfs(usual, busy, usual)).unsized).toBeUndefined();
    expect(sizeOf(pdfs(busy, busy, usual)).unsized).toBe(true);
    // Another request has its own.
    expect(sizeOf(pdfs(usual)).unsized).toBeUndefined();
  });

  it.each<[string, (count: number) => unknown]>([
    ['in one list', (count) => embedded([{ image: Array(count).fill('') }])],
    ['in two', (count) => embedded([{ pdf: Array(count - 9).fill('') }, { audio: Array(9).fill('') }])],
    ['beside a message', (count) => drawn(Array(count).fill(''))],
    ['in a part of no known type', (count) => drawn([{ type: 'scans', of: Array(count).fill('JVBERi0x') }])],
    ['in parts', (count) => sizeOf(Array(count).fill({ inlineData: { mimeType: 'image/png', data: '' } }))],
  ])('is a number of pictures, sounds and files: %s', (_where, ask) => {
    expect(() => ask(limits.mediaMax)).not.toThrow();
    expect(() => ask(limits.mediaMax + 1)).toThrow('invalid_request');
  });

  it('and the steps through its sounds are among them', () => {
    const box = (word: string, size: number) =>
      Buffer.concat([Buffer.from([0, 0, 0, size]), Buffer.from(word.padEnd(size - 4))]);
    const still = base64(Buffer.concat([box('ftypisom', 16), ...Array(200_000).fill(box('free', 8))]));
    const sound = base64(secondsOf(4));
    const wav = (data: string) => ({ inlineData: { mimeType: 'audio/wav', data } });
    expect(sizeOf([wav(sound)]).audioSeconds).toBe(4);
    const { audioSeconds, unsized } = sizeOf([wav(still), wav(still), ...pdfs(busy, busy), wav(sound)]);
    expect(unsized).toBe(true);
    expect(audioSeconds).toBeGreaterThan(1_000);
  });

  it('is closer where a part says so, in the words of any wire', () => {
    const chat = (part: JsonObject, more: JsonObject = {}) =>
      openaiChat.readRequest({ model: 'm', messages: [{ role: 'user', content: [part] }], ...more }, {})
        .prompt.images[0]?.detail;
    const picture = { url: `data:image/png;base64,${PNG}` };
    const part = { type: 'image_url', image_url: picture };
    expect(chat(part)).toBe('auto');
    expect(chat({ ...part, image_url: { ...picture, detail: 'original' } })).toBe('original');
    expect(chat({ ...part, min_pixels: 12_845_056 })).toBe('original');
    expect(chat(part, { vl_high_resolution_images: true })).toBe('original');
    expect(
      measured('responses', {
        type: 'input_image',
        image_url: picture.url,
        detail: 'original',
      })?.images,
    ).toMatchObject([{ detail: 'original' }]);
  });
});
