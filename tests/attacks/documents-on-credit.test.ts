/**
 * Documents on credit: a few hundred bytes are a thousand pages, or one page of a million letters, or an hour of a film, and
 * an address or an earlier answer may be as long as a model can read. What is held by the bytes of the request is given away.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { deflateSync } from 'node:zlib';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack, storm } from '../support/attack.ts';
import type { Operations } from '../support/operations.ts';
import { pdfOf } from '../support/pdf.ts';
import { chatAnswer, geminiAnswer, messagesAnswer, responsesAnswer } from '../support/short-answers.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    openai: { type: 1 },
    small: { type: 1, named: 'gpt-4-turbo' },
    anthropic: { type: 14 },
    gemini: { type: 24 },
    mapped: { type: 1, named: 'o3', model_mapping: { o3: 'gpt-4.1' } },
  }));
});
afterAll(() => t.close());

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const url = (data: string) => `data:application/pdf;base64,${data}`;
/** A line that many pages show. */
const THOUSAND = pdfOf(
  Array.from({ length: 1_000 }, () => ({ shared: true })),
  {
    shared: 'BT (page) Tj ET',
    packed: true,
  },
);
/** A page of a million letters, of which a thousand are one. */
const DENSE = pdfOf([{ text: `BT (${'8274918237'.repeat(30_000)}) Tj ET` }], { packed: true });
/** Nobody here looks into it. */
const OFFICE = Buffer.concat([Buffer.from('PK\u0003\u0004'), deflateSync(Buffer.alloc(1_000_000, 'word '))]);
/** Of one point. */
const PICTURE = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACADs=', 'base64');
const LONG = `GIF8 ${'word '.repeat(200_000)}`;
const ADDRESS = 'https://a.example/b.pdf';
/** Nobody here can tell how long it lasts. */
const FILM = base64(Buffer.concat([Buffer.from('\0\0\0\x08free\0\0\0\x08ftyp'), Buffer.alloc(4_000, 7)]));

type Surface = 'chat' | 'responses' | 'messages' | 'gemini';
interface Variant {
  surface: Surface;
  part: JsonObject;
  /** The tokens that the upstream makes of it. */
  tokens: number;
  model?: string;
  /** Whose words the answer is in, where they are not those of the request. */
  answered?: Surface;
  /** Where the tokens are not of text. */
  answer?: JsonObject;
}

const file = (data: Uint8Array): JsonObject => ({
  type: 'file',
  file: { filename: 'a.pdf', file_data: url(base64(data)) },
});
const VARIANTS: Record<string, Variant> = {
  'a thousand pages in a chat': { surface: 'chat', part: file(THOUSAND), tokens: 900_000 },
  'a thousand pages behind a picture': {
    surface: 'chat',
    part: file(Buffer.concat([PICTURE, THOUSAND])),
    tokens: 900_000,
  },
  'a long text that begins as a picture': {
    surface: 'messages',
    part: { type: 'document', source: { type: 'text', media_type: 'text/plain', data: LONG } },
    tokens: 200_000,
  },
  'a thousand pages in a part of another wire': {
    surface: 'chat',
    part: {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: base64(THOUSAND) },
    },
    tokens: 900_000,
  },
  'a thousand pages in Responses': {
    surface: 'responses',
    part: { type: 'input_file', filename: 'a.pdf', file_data: url(base64(THOUSAND)) },
    tokens: 900_000,
  },
  'a thousand pages in Messages': {
    surface: 'messages',
    part: {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: base64(THOUSAND) },
    },
    tokens: 900_000,
  },
  'a thousand pages in Gemini': {
    surface: 'gemini',
    part: { inlineData: { mimeType: 'application/pdf', data: base64(THOUSAND) } },
    tokens: 900_000,
  },
  'a page of three hundred thousand figures': { surface: 'chat', part: file(DENSE), tokens: 300_000 },
  'a file of an office': {
    surface: 'chat',
    part: {
      type: 'file',
      file: {
        filename: 'a.docx',
        file_data: `data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64,${base64(OFFICE)}`,
      },
    },
    tokens: 250_000,
  },
  'a document by address in Responses': {
    surface: 'responses',
    part: { type: 'input_file', file_url: ADDRESS },
    tokens: 900_000,
  },
  'a document by address in Messages': {
    surface: 'messages',
    part: { type: 'document', source: { type: 'url', url: ADDRESS } },
    tokens: 900_000,
  },
  'a document by address for a model that is another': {
    surface: 'responses',
    part: { type: 'input_file', file_url: ADDRESS },
    tokens: 900_000,
    model: 'mapped',
  },
  'a film by its bytes alone, for another wire': {
    surface: 'chat',
    part: { type: 'file', file: { filename: 'a.mp4', file_data: FILM } },
    tokens: 900_000,
    model: 'gemini',
    answered: 'gemini',
  },
  'a film behind a blank': {
    surface: 'chat',
    part: { type: 'video_url', video_url: { url: ` data:video/mp4;base64,${FILM}` } },
    tokens: 900_000,
  },
  'a film in Responses': {
    surface: 'responses',
    part: { type: 'input_video', video_url: `data:video/mp4;base64,${FILM}` },
    tokens: 900_000,
  },
  'a film in Messages': {
    surface: 'messages',
    part: { type: 'video', source: { type: 'base64', media_type: 'video/mp4', data: FILM } },
    tokens: 900_000,
  },
  'a sound by address, which is dearer than text': {
    surface: 'gemini',
    part: { fileData: { mimeType: 'audio/mpeg', fileUri: 'https://a.example/b.mp3' } },
    tokens: 900_000,
    answer: geminiAnswer({
      promptTokenCount: 900_000,
      promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 900_000 }],
      candidatesTokenCount: 1,
    }),
  },
  'a film called a picture, behind line ends': {
    surface: 'gemini',
    part: { inlineData: { mimeType: 'image/png', data: '\n'.repeat(300) + FILM } },
    tokens: 900_000,
  },
};

const PATHS: Record<Surface, string> = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
  gemini: '/v1beta/models/MODEL:generateContent',
};
const bodyOf = (surface: Surface, part: JsonObject): JsonObject => {
  const messages = [{ role: 'user', content: [part] }];
  if (surface === 'responses') return { input: messages, max_output_tokens: 16 };
  if (surface === 'gemini') {
    return { contents: [{ role: 'user', parts: [part] }], generationConfig: { maxOutputTokens: 5 } };
  }
  return { messages, max_tokens: 5 };
};
const answerOf = (surface: Surface, tokens: number, id?: string): JsonObject => {
  switch (surface) {
    case 'responses':
      return responsesAnswer({ input_tokens: tokens, output_tokens: 1 }, { id });
    case 'messages':
      return messagesAnswer({ input_tokens: tokens, output_tokens: 1 });
    case 'gemini':
      return geminiAnswer({ promptTokenCount: tokens, candidatesTokenCount: 1 });
    case 'chat':
      return chatAnswer({ prompt_tokens: tokens, completion_tokens: 1 });
  }
};
/** Whom each asks unless it is said. */
const USUAL: Record<Surface, string> = {
  chat: 'openai',
  responses: 'openai',
  messages: 'anthropic',
  gemini: 'gemini',
};

let offBefore = 0;
beforeEach(async () => {
  offBefore = await t.relay.writtenOff();
});

const send = (
  surface: Surface,
  body: JsonObject,
  answer: JsonObject,
  calls: number,
  named: string = USUAL[surface],
): Promise<number> =>
  storm(t, { model: models[named] ?? '', path: PATHS[surface], body, answer: () => answer }, calls);

describe.each(Object.entries(VARIANTS))('%s', (_, variant) => {
  const { surface, part, tokens, model, answered = surface } = variant;
  const answer = variant.answer ?? answerOf(answered, tokens);
  it('is not read on credit, however many ask at once', async () => {
    const body = bodyOf(surface, part);
    await t.relay.setBalance(Math.floor(tokens * 0.9));
    expect([await send(surface, body, answer, 6, model), await t.relay.writtenOff()]).toEqual([0, offBefore]);
    await t.relay.setBalance(9 * tokens);
    expect(await send(surface, body, answer, 6, model)).toBeGreaterThanOrEqual(2);
    expect(await t.relay.writtenOff()).toBe(offBefore);
  });
});

describe('honest calls run on what they usually cost', () => {
  const page = 'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor. '.repeat(30);
  const three = pdfOf(
    [1, 2, 3].map(() => ({ text: `BT (${page}) Tj ET` })),
    { packed: true },
  );

  it('a document of three pages', async () => {
    // Each has 2,400 letters and is looked at as a picture.
    await t.relay.setBalance(3 * 3 * 5_000);
    expect(await send('chat', bodyOf('chat', file(three)), answerOf('chat', 6_000), 3)).toBe(3);
    expect(await t.relay.writtenOff()).toBe(offBefore);
  });

  it('a document by address, for a model that reads little', async () => {
    await t.relay.setBalance(130_000);
    const body = bodyOf('responses', { type: 'input_file', file_url: ADDRESS });
    expect(await send('responses', body, answerOf('responses', 6_000), 1, 'small')).toBe(1);
  });
});

describe('an earlier answer', () => {
  const next = (id: string): JsonObject => ({
    input: 'And?',
    previous_response_id: id,
    max_output_tokens: 16,
  });
  /** One call alone, whose answer has this name and so many tokens. */
  async function began(id: string, answer: JsonObject): Promise<void> {
    await t.relay.setBalance(10_000_000);
    expect(await send('responses', { input: 'Tell.', max_output_tokens: 16 }, { ...answer, id }, 1)).toBe(1);
  }

  it('holds what it has read and said, where its upstream told that', async () => {
    await began('resp_short', answerOf('responses', 5));
    await t.relay.setBalance(1_000);
    expect(await send('responses', next('resp_short'), answerOf('responses', 20, 'resp_x'), 10)).toBe(10);
    await began('resp_long', answerOf('responses', 20_000));
    await t.relay.setBalance(19_000);
    expect(await send('responses', next('resp_long'), answerOf('responses', 20_010, 'resp_y'), 6)).toBe(0);
    await t.relay.setBalance(50_000);
    expect(await send('responses', next('resp_long'), answerOf('responses', 20_010, 'resp_y'), 6)).toBe(2);
    expect(await t.relay.writtenOff()).toBe(offBefore);
  });

  it('holds what stands before one of which a small model could read little', async () => {
    await began('resp_whole', answerOf('responses', 20_000));
    const read: JsonObject = { ...next('resp_whole'), truncation: 'auto' };
    expect(await send('responses', read, answerOf('responses', 500, 'resp_part'), 1)).toBe(1);
    await t.relay.setBalance(19_000);
    const whole = answerOf('responses', 20_010, 'resp_v');
    expect(await send('responses', next('resp_part'), whole, 6)).toBe(0);
    expect(await t.relay.writtenOff()).toBe(offBefore);
  });

  it('holds a whole context, where nobody knows', async () => {
    const { usage: _, ...untold } = answerOf('responses', 0);
    await began('resp_untold', untold);
    await t.relay.setBalance(800_000);
    expect(await send('responses', next('resp_untold'), answerOf('responses', 700_000, 'resp_z'), 6)).toBe(0);
    expect(await t.relay.writtenOff()).toBe(offBefore);
  });
});
