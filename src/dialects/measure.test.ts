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
  'an MP4 behind free room': [[0, '0000000866726565']],
  'QuickTime behind room for long lengths': [[0, '0000000877696465']],
  'an MP4 behind a box that nobody knows': [[0, '0001000061626364']],
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

  /** Whatever else may be made of it is held as well. */
  it('holds a film by its bytes and its length, whatever it is called', () => {
    for (const type of ['video/mp4', 'image/png', 'text/plain'])
      expect(sizeOf(type, FILM)).toMatchObject({ files: 1, videoSeconds: 3 });
  });

  it.each(Object.entries(UNTIMED))('holds %s as the longest film', (_name, start) => {
    const film = Buffer.alloc(30_000);
    for (const [at, hex] of start) film.write(hex, at, 'hex');
    for (const type of ['video/mpeg', 'image/png']) {
      const expected = { files: 1, videoSeconds: 150, unseenFilm: true };
      expect(sizeOf(type, base64(film))).toMatchObject(expected);
    }
  });

  it('holds a document by its bytes', () => {
    for (const type of ['application/pdf', 'image/jpeg'])
      expect(sizeOf(type, PDF)).toMatchObject({ files: 1, fileBytes: 18 });
  });

  it('holds a sound by its length', () => {
    const hour: [string, Uint8Array][] = [
      ['audio/wav', slowWav(3600)],
      ['audio/mpeg', mp3Frames(50_000)],
      ['audio/ogg', opusFile(180_000, 1)],
    ];
    for (const [type, file] of hour) expect(sizeOf(type, base64(file))?.audioSeconds).toBeCloseTo(3600, 0);
  });

  it('holds a picture by its size', () => {
    for (const type of ['image/png', 'audio/wav', 'application/pdf', 'text/plain'])
      expect(sizeOf(type, PNG)?.images).toMatchObject([{ detail: 'auto', width: 640, height: 480 }]);
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
    expect(sizeOf(part)).toMatchObject({ files: 1, videoSeconds: 3 });
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

describe('what bytes, label and field agree upon is held as that alone', () => {
  const NOTHING = { images: [], textBytes: 0, audioSeconds: 0, files: 0, fileBytes: 0 };
  const film = { ...NOTHING, files: 1, fileBytes: (FILM.length * 3) / 4, videoSeconds: 3, videoFrames: 3 };
  const minute = base64(secondsOf(60));
  const ogg = base64(opusFile(3_000, 1));
  const pages = base64(pdfOf([{ text: 'BT (Hello) Tj ET' }]));
  const pdf = { ...NOTHING, files: 1, fileBytes: (pages.length * 3) / 4, pages: 1 };
  const picture = { ...NOTHING, images: [{ detail: 'auto', width: 640, height: 480 }] };
  const EACH: [what: string, type: string, data: string, expected: object, ways: readonly string[]][] = [
    ['a picture', 'image/png', PNG, picture, ['image', 'file', 'document', 'nline']],
    ['a picture without a type', 'application/octet-stream', PNG, picture, ['image', 'file', 'document']],
    ['a sound', 'audio/wav', minute, { ...NOTHING, audioSeconds: 60 }, ['audio', 'image', 'file', 'nline']],
    [
      'a sound by its container',
      'application/ogg',
      ogg,
      { ...NOTHING, audioSeconds: expect.closeTo(60) },
      ['file'],
    ],
    ['a film', 'video/mp4', FILM, film, ['video', 'image', 'file', 'nline']],
    ['a document', 'application/pdf', pages, pdf, ['image', 'file', 'document', 'nline']],
  ];
  const rows = EACH.flatMap(([what, type, data, expected, ways]) =>
    Object.keys(INLINE)
      .filter((name) => ways.some((way) => name.includes(way)))
      .map((name) => [what, name, type, data, expected] as const),
  );
  it.each(rows)('%s: %s', (_what, name, type, data, expected) => {
    const { unsized, unseenFilm, ...size } = measured(name, INLINE[name]?.(type, data) ?? {}) ?? {};
    expect([unsized, unseenFilm]).toEqual([undefined, undefined]);
    expect(size).toMatchObject(expected);
    if (expected !== film) expect(size).not.toHaveProperty('videoSeconds');
  });
});

describe('what is called one thing and begins as another is held as both', () => {
  const beginning = (head: string, more: Uint8Array = Buffer.alloc(0)) =>
    base64(Buffer.concat([Buffer.from(head, 'latin1'), more]));
  const GIF = 'GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\0;\n';
  const words = Buffer.from('word '.repeat(2_000));
  const pdf = beginning(GIF, pdfOf([{ text: 'BT (Hello) Tj ET' }]));
  const branded = (brand: string) => {
    const film = Buffer.from(FILM, 'base64');
    film.write(brand, 8, 'latin1');
    return base64(film);
  };
  const bmp = beginning('BM', Buffer.alloc(3_000, 1));
  const named = (filename: string, data: string) => ({
    file: { filename, file_data: `data:application/octet-stream;base64,${data}` },
  });
  const inline = (name: string, type: string, data: string): [string, JsonObject] => [
    name,
    INLINE[name]?.(type, data) ?? {},
  ];

  it.each<[string, [surface: string, part: JsonObject]]>([
    ['a text that begins as a picture', inline('messages document', 'text/plain', beginning('GIF8 ', words))],
    ['one that begins as a sound', inline('gemini inlineData', 'text/plain', beginning('ID3 ', words))],
    ['one in a file', inline('chat file', 'text/plain', beginning(GIF, words))],
    ['one by its name', ['chat', { type: 'file', ...named('a.txt', beginning(GIF, words)) }]],
  ])('%s', (_what, [surface, part]) => {
    expect(measured(surface, part)?.textBytes).toBeGreaterThanOrEqual(10_000);
  });

  it.each<[string, [surface: string, part: JsonObject], Partial<PromptSize>]>([
    ['a document behind a picture', inline('messages document', 'application/pdf', pdf), { pages: 1 }],
    ['one in a file', inline('chat file', 'application/pdf', pdf), { pages: 1 }],
    ['one by its name', ['chat', { type: 'file', ...named('a.pdf', pdf) }], { pages: 1 }],
    ...['a.docx', 'a.ts', 'a.pdf '].map((name): [string, [string, JsonObject], Partial<PromptSize>] => [
      `one by the name '${name}'`,
      ['chat', { type: 'file', ...named(name, pdf) }],
      { pages: 1 },
    ]),
    [
      'one by its name in a response',
      [
        'responses',
        { type: 'input_file', filename: 'a.pdf', file_data: `data:application/octet-stream;base64,${pdf}` },
      ],
      { pages: 1 },
    ],
    [
      'a film of the brand of a picture',
      inline('gemini inlineData', 'video/mp4', branded('mif1')),
      { videoSeconds: 3 },
    ],
    ['another', inline('gemini inlineData', 'video/mp4', branded('avis')), { videoSeconds: 3 }],
    ['a film that looks like none', inline('gemini inlineData', 'video/mp4', PNG), { unseenFilm: true }],
    ['a film that is called a sound', inline('chat video_url', 'audio/mp4', FILM), { videoSeconds: 3 }],
    [
      'a picture without a mark that is called a sound',
      inline('chat image_url', 'audio/wav', bmp),
      { images: [{ detail: 'auto' }] },
    ],
    [
      'samples that begin as a picture',
      inline('chat input_audio', 'image/png', beginning('GIF8', Buffer.alloc(5_996))),
      { audioSeconds: 6 },
    ],
  ])('%s', (_what, [surface, part], expected) => {
    expect(measured(surface, part)).toMatchObject(expected);
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

it('pictures of one request are looked at within what is looked at of all', () => {
  const chunks = Buffer.alloc(60_000, '000000007445587400000000', 'hex');
  const busy = base64(Buffer.concat([Buffer.from(PNG, 'base64').subarray(0, 33), chunks]));
  const content = [...Array<string>(30).fill(busy), PNG].map((data) => ({
    type: 'image_url',
    image_url: `data:image/png;base64,${data}`,
  }));
  const messages = [{ role: 'user', content }];
  expect(openaiChat.readRequest({ model: 'm', messages }, {}).prompt.images.at(-1)).toEqual({
    detail: 'auto',
  });
});

describe('media that are to be made of so many tokens', () => {
  const allotted = (mediaResolution: JsonObject, data = PNG, mimeType = 'image/png') =>
    measured('gemini', { inlineData: { mimeType, data }, mediaResolution });

  it.each<[JsonObject, tokens: number]>([
    [{ numTokens: 16_384 }, 16_384],
    [{ num_tokens: 16_384, level: 'MEDIA_RESOLUTION_LOW' }, 16_384],
    [{ numTokens: 70, NumTokens: 16_384 }, 16_384],
  ])('are held as such: %j', (resolution, tokens) => {
    expect(allotted(resolution)?.images).toEqual([expect.objectContaining({ tokens })]);
    // Of each page, of each frame or of all together nobody says.
    expect(allotted(resolution, FILM, 'video/mp4')?.unsized).toBe(true);
  });

  it.each([[1e12], [0], [-1], [1.5], ['65536'], [[65_536]]])(
    'and refused where that is no wish: %p',
    (numTokens) => {
      expect(() => allotted({ numTokens })).toThrow('invalid_request');
    },
  );
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
    const messages = [{ role: 'user', content: [VIDEO] }];
    for (const wish of [{ mm_processor_kwargs: { fps: 2 } }, { media_io_kwargs: { video: { fps: 2 } } }])
      expect(openaiChat.readRequest({ model: 'm', messages, ...wish }, {}).prompt.videoFrames).toBe(6);
  });

  it.each<[frames: Json, held: number]>([
    [2, 3],
    [40, 40],
    [1_000, 72],
    [-1, 72],
    ['40', 72],
    [null, 3],
  ])('is held for so many frames as it is cut into: %j', (num_frames, held) => {
    const VIDEO = { type: 'video_url', video_url: { url: `data:video/mp4;base64,${FILM}` } };
    const asked = { model: 'm', messages: [{ role: 'user', content: [VIDEO] }] };
    for (const wish of [
      { media_io_kwargs: { video: { num_frames } } },
      { mm_processor_kwargs: { num_frames } },
    ])
      expect(openaiChat.readRequest({ ...asked, ...wish }, {}).prompt.videoFrames).toBe(held);
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
    expect(size).toMatchObject({ images: [{ detail: 'auto' }], files: 0, sizedByVendor: true });
    expect(size?.unseen).toBeUndefined();
  });

  it.each<[surface: string, part: JsonObject]>([
    ['chat', { type: 'image_url', image_url: { url: 'https://a.example/b.mp4?c' } }],
    ['chat', { type: 'image_url', image_url: { url: 'https://a.example/b.pdf' } }],
    ['chat', { type: 'image_url', image_url: { url: 'https://www.youtube.com/watch?v=1' } }],
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

  const SOUND = 'https://a.example/b.mp3';
  const NAMED = `${ADDRESS}.pdf`;
  it.each<[surface: string, part: JsonObject]>([
    ['chat', { type: 'input_audio', input_audio: { data: NAMED, format: 'mp3' } }],
    ['chat', { type: 'audio_url', audio_url: { url: NAMED } }],
    ['chat', { type: 'file', file: { file_url: ADDRESS } }],
    ['chat', { type: 'file', file: { file_data: ADDRESS } }],
    ['chat', { type: 'file', file: { file_url: SOUND, filename: 'a.pdf' } }],
    ['chat', { type: 'clip', link: SOUND }],
    ['responses', { type: 'input_file', file_url: `${SOUND}?b.pdf` }],
    ['responses', { type: 'input_audio', input_audio: { data: ADDRESS, format: 'wav' } }],
    ['messages', { type: 'document', source: { type: 'url', url: 'https://a.example' } }],
    ['gemini', GEMINI('audio/mpeg', NAMED)],
    ['gemini', GEMINI('application/octet-stream', ADDRESS)],
    ['gemini', GEMINI('', 'gs://b/a')],
    ['gemini', GEMINI('application/pdf', SOUND)],
  ])(
    'is held as the dearest of all that a model reads unless it is called a document: %s %j',
    (surface, part) => {
      const size = SURFACES[surface]?.(part);
      expect(size).toMatchObject({ unseen: true, unseenKind: true });
      expect(size && fileTokensMost('m', size, true, 9_000)).toEqual({ text: 0, films: 0, unsized: 9_000 });
    },
  );

  it.each<[surface: string, part: JsonObject]>([
    ['chat', { type: 'file', file: { file_url: NAMED } }],
    ['chat', { type: 'file', file: { file_data: ADDRESS, filename: 'a.pdf' } }],
    ['chat', { type: 'file', file: { file_id: 'file-1' } }],
    ['responses', { type: 'input_file', file_url: `${NAMED}?c` }],
    ['responses', { type: 'input_file', file_id: 'file-1' }],
    ['messages', { type: 'document', source: { type: 'url', url: `${ADDRESS}.txt` } }],
    ['gemini', GEMINI('application/pdf', ADDRESS)],
    ['gemini', GEMINI('text/plain', 'gs://b/a.docx')],
  ])('is held as text where it is called a document: %s %j', (surface, part) => {
    const size = SURFACES[surface]?.(part);
    expect([size?.unseen, size?.unseenKind, size?.unseenFilm]).toEqual([true, undefined, undefined]);
    expect(size && fileTokensMost('m', size, true, 9_000)).toEqual({ text: 9_000, films: 0, unsized: 0 });
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
      audio: { id: '', data: base64(secondsOf(4)) },
    },
    { role: 'assistant', content: 'so', audio: { id: 'audio_1' } },
    { role: 'assistant', content: 'so', audio: { id: 'audio_2', data: base64(secondsOf(3)) } },
    { role: 'assistant', content: 'so', audio: { id: 3 } },
  ];
  const { prompt } = openaiChat.readRequest({ model: 'm', messages }, {});
  expect(prompt).toMatchObject({ images: [{ width: 640 }], audioSeconds: 7, sizedByVendor: true });
  expect(prompt.spoken).toEqual([
    { id: 'audio_1', at: 'messages[1].audio.id', tokens: null, seconds: 0, knownSeconds: 0 },
    { id: 'audio_2', at: 'messages[2].audio.id', tokens: null, seconds: 3, knownSeconds: 3 },
    { id: null, at: 'messages[3].audio.id', tokens: null, seconds: 0, knownSeconds: 0 },
  ]);
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
      extra: [{ dictionary: '/E (a) '.repeat(40_000), data: Buffer.alloc(0) }],
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
