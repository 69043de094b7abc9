/** What is held for pictures, films and documents that are embedded or ranked: no less than a chat would hold for them. */
import { expect, it } from 'bun:test';
import { pdfOf } from '../../../tests/support/pdf.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Picture } from '../../core/picture-tokens.ts';
import type { CallersDialect } from '../body-rules.ts';
import { geminiBatchEmbed, geminiEmbed } from './gemini-embeddings.ts';
import { openaiEmbeddings } from './openai-embeddings.ts';
import { cohereRerank, openaiRerank } from './openai-rerank.ts';

const at = 'https://a.example/p.png';
const pdf = `data:application/pdf;base64,${Buffer.from(pdfOf([{ text: 'BT (page) Tj ET' }])).toString('base64')}`;
/** With each as often as it is read. */
const pictureCount = (pictures: readonly Picture[]): number =>
  pictures.reduce((sum, { times = 1 }) => sum + times, 0);
const measure = (body: JsonObject) => {
  const dialect = body.documents ? openaiRerank : openaiEmbeddings;
  const {
    textBytes,
    images,
    files,
    unseen = false,
    reads = 0,
    unsizedReads = 0,
  } = dialect.readRequest({ model: 'm', ...body }, {}).prompt;
  return { textBytes, images: pictureCount(images), files, unseen, reads, unsizedReads };
};

it.each<[string, JsonObject, Partial<ReturnType<typeof measure>>]>([
  [
    'pictures among documents',
    { query: 'a', documents: [{ image: at }, { image: { url: at } }, 'b'] },
    { textBytes: 4, images: 2 },
  ],
  [
    'a picture beside a text',
    { query: 'a', documents: [{ text: 'b', image: at }] },
    { textBytes: 2, images: 1 },
  ],
  [
    'a picture asked about',
    { query: { image: at }, documents: ['a', 'b', 'c'] },
    { textBytes: 3, images: 3 },
  ],
  [
    'many pictures asked about',
    { query: { images: Array(3_000).fill(at) }, documents: ['a', 'b'] },
    { images: 6_000, unseen: false },
  ],
  [
    'each PDF apart',
    { input: [{ pdf: at }, { pdf }, 'a', { pdf }, { image: at }] },
    { files: 3, reads: 3, unsizedReads: 1 },
  ],
  ['a PDF asked about', { query: { pdf: at }, documents: ['a', { pdf }] }, { reads: 2, unsizedReads: 2 }],
  [
    'documents with a PDF, and one asked about',
    { query: { pdf }, documents: ['a', { pdf: at }, { pdf }] },
    { files: 5, reads: 3, unsizedReads: 1 },
  ],
  ['a PDF among documents', { query: 'a', documents: [{ pdf: at }] }, { files: 1, unseen: true }],
  [
    'an address under a name of its own',
    { query: 'a', documents: [{ scan: at }] },
    { files: 1, unseen: true },
  ],
  ['fields that are words', { query: 'a', documents: [{ title: 'b' }] }, { textBytes: 14, unseen: false }],
  ['a picture', { input: [{ image: at }, 'a'] }, { textBytes: 1, images: 1 }],
  ['a PDF', { input: [{ pdf: at }] }, { files: 1, unseen: true }],
  [
    'a film',
    { input: [{ text: 'a', video: at.replace('png', 'mp4') }] },
    { textBytes: 1, files: 1, unseen: true },
  ],
  ['what is not known', { input: [{ content: [{ type: 'scan', scan: at }] }] }, { files: 1, unseen: true }],
  [
    'numbers beside a text',
    { input: [{ text: 'a', id: 1, constructor: 'b' }] },
    { textBytes: 1, files: 0, unseen: false },
  ],
])('holds %s', (_what, body, holds) => {
  expect(measure(body)).toMatchObject(holds);
});

it('holds each part of a content for Gemini by what it is', () => {
  const inline = (mimeType: string, data: string) => ({ inlineData: { mimeType, data } });
  const content = {
    parts: [
      { text: 'a' },
      inline('image/png', 'AAAA'),
      inline('image/png', 'AAAA'),
      { inline_data: { mime_type: 'application/pdf', data: pdf.slice(pdf.indexOf(',') + 1) } },
      { unknown: true },
    ],
  };
  const one = geminiEmbed.readRequest({ content }, { model: 'm' }).prompt;
  expect(one).toMatchObject({ images: [{}, {}], files: 2, pages: 1, reads: 1 });
  const film = {
    content: { parts: [{ fileData: { mimeType: 'video/mp4', fileUri: 'https://a.example/b' } }] },
  };
  const many = geminiBatchEmbed.readRequest({ requests: [{ content }, film, film] }, { model: 'm' }).prompt;
  expect(many).toMatchObject({ files: 4, reads: 3, unsizedReads: 2, unsizedFilms: 2 });
});

it('counts the words of files that are texts', () => {
  const data = Buffer.from('many words').toString('base64');
  const file = `data:text/plain;base64,${data}`;
  const parts = [{ text: 'a' }, { inlineData: { mimeType: 'text/plain', data } }];
  expect([
    openaiEmbeddings.promptTexts({ input: ['a', { pdf: file }] }),
    openaiRerank.promptTexts({ query: 'a', documents: [{ pdf: [file] }] }),
    geminiEmbed.promptTexts({ content: { parts } }),
  ]).toEqual([
    ['a', 'many words'],
    ['a', '', 'many words'],
    ['a\n', 'many words'],
  ]);
});

const noFilm = Buffer.alloc(600).toString('base64');

const unnamed = { fileData: { fileUri: 'https://a.example/b' } };

it.each<[string, CallersDialect, JsonObject, least: number, film?: number, image?: number]>([
  ['PDFs', openaiEmbeddings, { input: [{ pdf: at }, { pdf: at }] }, 2 * 8_192],
  ['pictures', openaiEmbeddings, { input: [{ image: at }, { image: at }] }, 0, 0, 2 * 1_000],
  ['a PDF asked about', openaiRerank, { query: { pdf: at }, documents: ['a', 'b', 'c'] }, 3 * 8_192],
  ['a PDF asked about by Cohere', cohereRerank, { query: { pdf: at }, documents: ['a', 'b'] }, 2 * 8_192],
  [
    'a picture of Gemini',
    geminiEmbed,
    { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] } },
    0,
    0,
    1_000,
  ],
  ['a file of which Gemini is told nothing', geminiEmbed, { content: { parts: [unnamed] } }, 0, 8_192],
  // What is known to be a film is charged as one, and a document that nobody can size as text.
  ['a film that is not read', openaiEmbeddings, { input: [{ video: noFilm }, { pdf: at }] }, 8_192, 8_192],
  ['a film by address', openaiEmbeddings, { input: [{ video: `${at}.mp4` }] }, 0, 8_192],
  ['a film asked about', openaiRerank, { query: { video: noFilm }, documents: ['a', 'b'] }, 0, 2 * 8_192],
])(
  'counts %s as they are held, where nothing is told',
  (_what, dialect, body, least, film = 0, image = 0) => {
    const model = 'jina-clip-v2';
    const facts = dialect.readRequest({ model, ...body }, { model });
    const used = dialect.usageOf?.({ body, facts, model, input: 7, output: 0, calls: 1, bytes: 0 });
    expect(used?.input).toBeGreaterThanOrEqual(least + 7);
    expect(used?.inputVideo).toBe(film);
    expect(used?.inputImage).toBeGreaterThanOrEqual(image);
  },
);
