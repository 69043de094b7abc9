/**
 * A medium is held as what is read of it, in whatever field and spelling it stands: what goes up as it came is known by its
 * bytes, and what goes up in other words holds nothing that the request was not held for.
 */
import { describe, expect, it } from 'bun:test';
import { soundFile } from '../../tests/support/sound.ts';
import { spelled } from '../../tests/support/spelled.ts';
import { AppError } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { messagesCodec } from './anthropic-messages/codec.ts';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import { bedrockConverse } from './bedrock-converse/wire.ts';
import type { ChatCodec } from './codec.ts';
import { cohere } from './cohere/wire.ts';
import type { Dialect, PromptSize } from './dialect.ts';
import { geminiCodec } from './gemini/codec.ts';
import { gemini } from './gemini/dialect.ts';
import { measureChat } from './measure.ts';
import type { ChatRequest } from './neutral.ts';
import { ollama } from './ollama/wire.ts';
import { openaiChatCodec } from './openai-chat/codec.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponsesCodec } from './openai-responses/codec.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import { geminiBatchEmbed, geminiEmbed } from './plain/gemini-embeddings.ts';
import { openaiCompletions } from './plain/openai-completions.ts';
import { openaiEmbeddings } from './plain/openai-embeddings.ts';
import { openaiModerations } from './plain/openai-moderations.ts';
import { openaiRerank } from './plain/openai-rerank.ts';
import { promptTexts, requestFacts } from './prompt.ts';

const FILM = Buffer.from(await soundFile('film.mp4')).toString('base64');
const SECRET = 'a secret ';
const LONG = Buffer.from(SECRET.repeat(300)).toString('base64');
const TEXT_MOST = 1_000;

const chat = (part: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: [part] }] });
const drawn = (image: Json): JsonObject => ({
  messages: [{ role: 'assistant', content: 'so', images: [image] }],
});
const beside = (more: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: 'hi' }], ...more });
const chatBeside = (more: JsonObject): JsonObject => ({
  max_tokens: 9,
  messages: [{ role: 'user', content: 'hi', ...more }],
});
const item = (part: JsonObject): JsonObject => ({ input: [{ role: 'user', content: [part] }] });
const blocks = (part: JsonObject): JsonObject => ({ max_tokens: 9, ...chat(part) });
const contents = (part: JsonObject): JsonObject => ({ contents: [{ role: 'user', parts: [part] }] });

interface Surface {
  dialect: Dialect;
  codec?: ChatCodec;
}
const CHAT = { dialect: openaiChat, codec: openaiChatCodec };
const RESPONSES = { dialect: openaiResponses, codec: openaiResponsesCodec };
const MESSAGES = { dialect: anthropicMessages, codec: messagesCodec };
const GEMINI = { dialect: gemini, codec: geminiCodec };
const UPSTREAM = { 'bedrock-converse': bedrockConverse, cohere, ollama };

/** Every field in which a wire, or a vendor's additions to it, have bytes or an address with bytes in it. */
const ADDRESSED: [name: string, Surface, (url: string) => JsonObject][] = [
  ['chat image_url', CHAT, (url) => chat({ type: 'image_url', image_url: { url } })],
  ['chat image_url alone', CHAT, (url) => chat({ type: 'image_url', image_url: url })],
  ['chat video_url', CHAT, (url) => chat({ type: 'video_url', video_url: { url } })],
  ['chat video_url alone', CHAT, (url) => chat({ type: 'video_url', video_url: url })],
  ['chat file', CHAT, (file_data) => chat({ type: 'file', file: { filename: 'a.mp4', file_data } })],
  ['chat file without a name', CHAT, (file_data) => chat({ type: 'file', file: { file_data } })],
  ['chat file by address', CHAT, (file_url) => chat({ type: 'file', file: { file_url } })],
  ['chat sound', CHAT, (data) => chat({ type: 'input_audio', input_audio: { data, format: 'wav' } })],
  ['chat sound by address', CHAT, (url) => chat({ type: 'audio_url', audio_url: { url } })],
  ['chat video', CHAT, (video) => chat({ type: 'video', video })],
  ['chat image', CHAT, (image) => chat({ type: 'image', image })],
  ['chat input_video', CHAT, (data) => chat({ type: 'input_video', input_video: { data, format: 'mp4' } })],
  ['chat input_video by address', CHAT, (video_url) => chat({ type: 'input_video', video_url })],
  ['chat media', CHAT, (url) => chat({ type: 'media', media: { url } })],
  ['chat deep video', CHAT, (url) => chat({ type: 'video_url', video_url: { of: { url } } })],
  ['chat document', CHAT, (url) => chat({ type: 'document', source: { type: 'url', url } })],
  ['chat drawing', CHAT, (url) => drawn({ type: 'image_url', image_url: { url } })],
  ['chat drawing alone', CHAT, (url) => drawn(url)],
  ['responses input_image', RESPONSES, (image_url) => item({ type: 'input_image', image_url })],
  [
    'responses input_file',
    RESPONSES,
    (file_data) => item({ type: 'input_file', filename: 'a.mp4', file_data }),
  ],
  ['responses input_file by address', RESPONSES, (file_url) => item({ type: 'input_file', file_url })],
  ['responses input_video', RESPONSES, (video_url) => item({ type: 'input_video', video_url })],
  ['responses input_video object', RESPONSES, (url) => item({ type: 'input_video', video_url: { url } })],
  [
    'responses sound',
    RESPONSES,
    (data) => item({ type: 'input_audio', input_audio: { data, format: 'wav' } }),
  ],
  ['responses sound by address', RESPONSES, (audio_url) => item({ type: 'input_audio', audio_url })],
  [
    'responses screenshot',
    RESPONSES,
    (image_url) => ({
      input: [
        { type: 'computer_call_output', call_id: 'c', output: { type: 'computer_screenshot', image_url } },
      ],
    }),
  ],
  [
    'responses result',
    RESPONSES,
    (video_url) => ({
      input: [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_video', video_url }] }],
    }),
  ],
  ['messages image by address', MESSAGES, (url) => blocks({ type: 'image', source: { type: 'url', url } })],
  ['messages video by address', MESSAGES, (url) => blocks({ type: 'video', source: { type: 'url', url } })],
  ['messages video_url', MESSAGES, (url) => blocks({ type: 'video_url', video_url: { url } })],
  ['gemini fileData', GEMINI, (fileUri) => contents({ fileData: { mimeType: 'video/mp4', fileUri } })],
  ['embedded video', { dialect: openaiEmbeddings }, (video) => ({ input: [{ video }] })],
  ['embedded image', { dialect: openaiEmbeddings }, (image) => ({ input: [{ image }] })],
  ['embedded by address', { dialect: openaiEmbeddings }, (url) => ({ input: [{ image_url: { url } }] })],
  ['ranked video', { dialect: openaiRerank }, (video) => ({ query: 'q', documents: [{ video }] })],
  [
    'chat video beside',
    { dialect: openaiChat },
    (url) => beside({ clips: [{ type: 'video_url', video_url: { url } }] }),
  ],
  ['chat video beside a content', { dialect: openaiChat }, (video_url) => chatBeside({ video_url })],
  [
    'messages video beside a content',
    { dialect: anthropicMessages },
    (video_url) => chatBeside({ video_url }),
  ],
  [
    'responses variable',
    { dialect: openaiResponses },
    (image_url) => ({
      input: 'hi',
      prompt: { id: 'p', variables: { v: { type: 'input_image', image_url } } },
    }),
  ],
  ['completion about a video', { dialect: openaiCompletions }, (video_url) => ({ prompt: 'hi', video_url })],
  [
    'moderated image',
    { dialect: openaiModerations },
    (url) => ({ input: [{ type: 'image_url', image_url: { url } }] }),
  ],
];

/** Those of them that have bytes without an address as well. */
const EITHER = ADDRESSED.filter(
  ([name]) => !/by address|fileData|media|result$|screenshot|object|deep/.test(name),
);
/** Those that have nothing else. */
const BYTES: typeof ADDRESSED = [
  [
    'messages image',
    MESSAGES,
    (data) => blocks({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }),
  ],
  [
    'messages document',
    MESSAGES,
    (data) => blocks({ type: 'document', source: { type: 'base64', media_type: 'video/mp4', data } }),
  ],
  [
    'messages video',
    MESSAGES,
    (data) => blocks({ type: 'video', source: { type: 'base64', media_type: 'video/mp4', data } }),
  ],
  [
    'messages result',
    MESSAGES,
    (data) =>
      blocks({
        type: 'tool_result',
        tool_use_id: 't',
        content: [{ type: 'video', source: { type: 'base64', media_type: 'video/mp4', data } }],
      }),
  ],
  ['gemini inlineData', GEMINI, (data) => contents({ inlineData: { mimeType: 'video/mp4', data } })],
  ['gemini picture', GEMINI, (data) => contents({ inline_data: { mime_type: 'image/png', data } })],
  [
    'gemini result',
    GEMINI,
    (data) =>
      contents({
        functionResponse: {
          name: 'f',
          response: {},
          parts: [{ inlineData: { mimeType: 'video/mp4', data } }],
        },
      }),
  ],
  [
    'gemini embedded',
    { dialect: geminiEmbed },
    (data) => ({ content: { parts: [{ inlineData: { mimeType: 'image/png', data } }] } }),
  ],
  [
    'gemini embedded in a batch',
    { dialect: geminiBatchEmbed },
    (data) => ({ requests: [{ content: { parts: [{ inlineData: { mimeType: 'video/mp4', data } }] } }] }),
  ],
];

const urlSafe = (data: string) => data.replaceAll('+', '-').replaceAll('/', '_');
const DIGITS: Record<string, (data: string) => string> = {
  plain: (data) => data,
  'safe in addresses': urlSafe,
  'behind a digit that is a blank to some': (data) => `_${data}`,
  'behind blanks': (data) => '\n'.repeat(300) + data,
  'on lines': (data) => data.replace(/.{76}/g, '$&\r\n'),
};
const SPELLINGS: Record<string, (data: string, type: string) => string> = {
  ...Object.fromEntries(
    Object.entries(DIGITS).map(([name, of]) => [
      name,
      (data: string, type: string) => `data:${type};base64,${of(data)}`,
    ]),
  ),
  capitals: (data, type) => `DATA:${type.toUpperCase()};BASE64,${data}`,
  'a blank before': (data, type) => ` data:${type};base64,${data}`,
  'blanks before': (data, type) => `${'\n '.repeat(400)}data:${type};base64,${data}`,
  'a no-break space before': (data, type) => `\u00a0data:${type};base64,${data}`,
  'a line end inside': (data, type) => `da\nta:${type};base64,${data}`,
  'blanks inside': (data, type) => `data: ${type} ; base64 ,${data}`,
  'a parameter': (data, type) => `data:${type};charset=utf-8;base64,${data}`,
  'a long parameter': (data, type) => `data:${type};a=${'b'.repeat(9_000)};base64,${data}`,
  'no type': (data) => `data:;base64,${data}`,
  'no base64': (data, type) => `data:${type},${data}`,
  'escaped digits': (data, type) =>
    `data:${type};base64,${data.replace(/[A-Z]/g, (digit) => `%${digit.charCodeAt(0).toString(16)}`)}`,
};

/** What is refused in whatever field it stands; everything else is taken. */
const REFUSED = new Set(['no base64', 'escaped digits']);

const read = ({ dialect }: Surface, body: JsonObject): PromptSize | null => {
  try {
    return requestFacts(dialect, { model: 'm', ...body }, { model: 'm' }).prompt;
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_request') return null;
    throw error;
  }
};

/** Sounds come in containers of films, and are held by their length where they are called sounds. */
const isFilm = (name: string, { videoSeconds = 0, unseenFilm, audioSeconds }: PromptSize): boolean =>
  videoSeconds >= 3 || unseenFilm === true || (/sound/.test(name) && audioSeconds >= 1);

describe('a film is held as one or refused, and its digits are no text', () => {
  it.each(ADDRESSED)('%s', (name, surface, bodyOf) => {
    const wrong: unknown[] = [];
    for (const [spelling, of] of Object.entries(SPELLINGS)) {
      for (const type of ['video/mp4', 'image/png']) {
        const size = read(surface, bodyOf(of(FILM, type)));
        const isSilent = spelling === 'blanks inside' || (size?.textBytes ?? 0) < TEXT_MOST;
        const isRight = REFUSED.has(spelling) ? !size : size && isFilm(name, size) && isSilent;
        if (!isRight) wrong.push([spelling, type, size]);
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each([...EITHER, ...BYTES])('%s by its bytes alone', (name, surface, bodyOf) => {
    const wrong: unknown[] = [];
    for (const [spelling, of] of Object.entries(DIGITS)) {
      const size = read(surface, bodyOf(of(FILM)));
      if (!size || !isFilm(name, size) || size.textBytes >= TEXT_MOST) wrong.push([spelling, size]);
    }
    expect(wrong).toEqual([]);
  });
});

/** Where it lies nobody here knows, whatever stands before the address and however it is written. */
it.each(ADDRESSED.filter(([name]) => /vid|film/.test(name)))(
  'a film by its address: %s',
  (_name, surface, bodyOf) => {
    for (const [spelling, url] of Object.entries(spelled('https://a.example/x'))) {
      const size = read(surface, bodyOf(url));
      const isHeld = size?.unseenFilm && (size.unseen || size.unsizedFilms === 1);
      expect([spelling, isHeld]).toEqual([spelling, true]);
    }
    for (const url of ['HTTPS:a.example/x', 'https:\\\\a.example/x'])
      expect(read(surface, bodyOf(url))).toBeNull();
  },
);

describe('what goes up in other words', () => {
  const kinds = ({ images, videoSeconds = 0, audioSeconds, files, unseen, unseenFilm }: PromptSize) => ({
    images: images.length,
    films: videoSeconds,
    sounds: audioSeconds,
    files,
    unseen: unseen === true,
    unseenFilm: unseenFilm === true,
  });
  type Kinds = ReturnType<typeof kinds>;
  const expectWithin = (what: string, held: Kinds, sent: Kinds): void => {
    const most: Kinds = { ...held };
    // What is held as the longest of all may be anything.
    const counts = held.unseenFilm ? [] : (['images', 'films', 'sounds', 'files'] as const);
    for (const kind of counts) most[kind] = Math.max(held[kind], sent[kind]);
    for (const flag of ['unseen', 'unseenFilm'] as const) most[flag] = held[flag] || sent[flag];
    expect([what, held]).toEqual([what, most]);
  };
  const BARE = Object.values(DIGITS);
  const USUAL = new Set<unknown>([SPELLINGS.plain, ...BARE.slice(0, 3)]);
  const ROWS = [
    ...ADDRESSED.map((row) => ({ row, forms: [...Object.values(SPELLINGS), ...BARE] })),
    ...BYTES.map((row) => ({ row, forms: BARE })),
  ].flatMap(({ row: [name, { dialect, codec }, bodyOf], forms }) =>
    codec ? [[name, { dialect, codec }, bodyOf, forms] as const] : [],
  );
  const CONTENTS = [
    ['a film', 'video/mp4', FILM],
    ['a text', 'text/plain', LONG],
    ['a picture', 'image/png', 'iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAIAAAC6s0uzAAAAAElFTkSuQmCC'],
  ] as const;

  const SURFACES = [CHAT, RESPONSES, MESSAGES, GEMINI];
  /** How many bodies have been looked at on each wire: a reader or a writer that refuses everything proves nothing. */
  const seen: Record<string, number> = {};
  const count = (wire: string): void => {
    seen[wire] = (seen[wire] ?? 0) + 1;
  };

  /** The body that goes up over a wire, where that can say it and is another. */
  function written(to: Pick<ChatCodec, 'writeRequest'>, request: ChatRequest): JsonObject | undefined {
    const target = {
      model: 'm',
      stream: false,
      askUsage: false,
      defaultMaxTokens: 9,
      extensions: new Set(['video_url', 'file_url'] as const),
      drop() {},
    };
    try {
      return to.writeRequest(request, target);
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }

  it.each(ROWS)('is what was held: %s', (_name, { dialect, codec }, bodyOf, forms) => {
    for (const [what, type, data] of CONTENTS) {
      // Spellings hide a film from its marks; of all else the usual ones tell enough.
      for (const of of what === 'a film' ? forms : forms.filter((form) => USUAL.has(form))) {
        const body = { model: 'm', ...bodyOf(of(data, type)) };
        const size = read({ dialect }, body);
        if (!size) continue;
        const neutral = codec.readRequest(body, { model: 'm' });
        expectWithin(what, kinds(size), kinds(measureChat(neutral, 'messages')));
        const isSecret = promptTexts(dialect, body).some((text) => text.includes(SECRET));
        for (const to of SURFACES) {
          const up = to.dialect === dialect ? undefined : written(to.codec, neutral);
          const there = up && read(to, up);
          if (!there) continue;
          count(to.dialect.id);
          expectWithin(`${what} at ${to.dialect.id}`, kinds(size), kinds(there));
          expect(there.textBytes).toBeLessThanOrEqual(size.textBytes + TEXT_MOST);
          if (promptTexts(to.dialect, up).some((text) => text.includes(SECRET))) expect(isSecret).toBe(true);
        }
        // Nobody reads these wires here: what was no word is none there either.
        for (const [wire, to] of Object.entries(UPSTREAM)) {
          const up = written(to, neutral);
          if (!up) continue;
          count(wire);
          if (JSON.stringify(up).includes(SECRET)) expect(isSecret).toBe(true);
        }
      }
    }
  });

  it('was looked at on every wire', () => {
    expect(seen).toEqual({
      'openai-chat': 401,
      'openai-responses': 516,
      'anthropic-messages': 441,
      gemini: 854,
      'bedrock-converse': 815,
      cohere: 551,
      ollama: 551,
    });
  });
});
