/** What is held for pictures, films and documents that are embedded or ranked: no less than a chat would hold for them. */
import { expect, it } from 'bun:test';
import type { JsonObject } from '../../core/json.ts';
import { openaiEmbeddings } from './openai-embeddings.ts';
import { openaiRerank } from './openai-rerank.ts';

const at = 'https://a.example/p.png';
const measure = (body: JsonObject) => {
  const dialect = body.documents ? openaiRerank : openaiEmbeddings;
  const {
    textBytes,
    images,
    files,
    unseen = false,
  } = dialect.readRequest({ model: 'm', ...body }, {}).prompt;
  return { textBytes, images: images.length, files, unseen };
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
    { images: 0, unseen: true },
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
