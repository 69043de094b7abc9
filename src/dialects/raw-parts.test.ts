/** What only one wire knows is held by its media and its words, and a history of tools by no more than it says. */
import { expect, it } from 'bun:test';
import { pdfOf } from '../../tests/support/pdf.ts';
import type { JsonObject } from '../core/json.ts';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import { promptTexts, requestFacts } from './prompt.ts';

const message = (part: JsonObject): JsonObject => ({
  model: 'm',
  messages: [{ role: 'user', content: [part] }],
});
const inMessages = (part: JsonObject) =>
  requestFacts(anthropicMessages, { max_tokens: 9, ...message(part) }, {}).prompt;
const inResponses = (item: JsonObject) =>
  requestFacts(openaiResponses, { model: 'm', input: [item] }, {}).prompt;

const PAGE = 'https://a.example/an-article';
const NOTHING = { images: [], files: 0, audioSeconds: 0 };

it('pages that a search found are no media', () => {
  const found = { type: 'web_search_result', title: 'a', url: PAGE, encrypted_content: 'A'.repeat(100) };
  const prompt = inMessages({ type: 'web_search_tool_result', tool_use_id: 's', content: [found] });
  expect(prompt).toMatchObject(NOTHING);
  // How long one is that stands there sealed its vendor alone knows.
  expect([prompt.unseen, prompt.sizedByVendor]).toEqual([undefined, true]);
  expect(prompt.textBytes).toBeGreaterThan(100);
  const opened = inResponses({ type: 'web_search_call', id: 'w', action: { type: 'open_page', url: PAGE } });
  expect(opened).toMatchObject(NOTHING);
  expect(opened.unseen).toBeUndefined();
});

it('a document that a tool fetched is held by its pages, and one of words by its words', () => {
  const fetched = (source: JsonObject) =>
    inMessages({
      type: 'web_fetch_tool_result',
      tool_use_id: 's',
      content: { type: 'web_fetch_result', url: PAGE, content: { type: 'document', source } },
    });
  const data = pdfOf([{ text: 'BT (Hello) Tj ET' }]).toString('base64');
  const pdf = fetched({ type: 'base64', media_type: 'application/pdf', data });
  expect(pdf).toMatchObject({ files: 1, pages: 1 });
  expect(pdf.textBytes).toBeLessThan(300);
  const words = fetched({
    type: 'text',
    media_type: 'text/plain',
    data: `${PAGE} says ${'so '.repeat(500)}`,
  });
  expect(words).toMatchObject(NOTHING);
  expect(words.unseen).toBeUndefined();
  expect(words.textBytes).toBeGreaterThan(1_500);
});

it('what may be a word stays one', () => {
  const item = { type: 'mcp_call', name: 'run', image: 'python:3.11', file: 'notes', data: 'data: {"a":1}' };
  expect(inResponses(item)).toMatchObject(NOTHING);
  const texts = promptTexts(openaiResponses, { model: 'm', input: [item] }).join(' ');
  for (const word of ['python:3.11', 'notes', 'data: {']) expect(texts).toContain(word);
});

it('data in a field that nobody knows is held as a medium and as text', () => {
  const output = `data:image/png;base64,${'iVBORw0KGgo'.repeat(20)}`;
  const prompt = inResponses({ type: 'mcp_call', name: 'run', output });
  expect(prompt.images).toHaveLength(1);
  expect(prompt.textBytes).toBeGreaterThan(output.length);
});

it('a text in a file is among the words of a prompt, in whatever words it comes', () => {
  const file_data = Buffer.from('a secret '.repeat(20)).toString('base64');
  const body = message({ type: 'file', file: { filename: 'a.txt', file_data } });
  expect(promptTexts(openaiChat, body).join(' ')).toContain('a secret a secret');
  expect(requestFacts(openaiChat, body, {}).prompt.textBytes).toBeGreaterThanOrEqual(180);
});

it.each<[string, JsonObject]>([
  ['full of letters that texts hardly have', { type: 'clip', data: `AAAAIGZ0eXBpc29t${'////'.repeat(500)}` }],
  [
    'with blanks in it',
    { type: 'video', source: { type: 'base64', data: 'AAAA IGZ0 eXBp c29t '.repeat(9) } },
  ],
])('a film is found by its place or its beginning, though it may be a text: %s', (_what, part) => {
  const prompt = inMessages(part);
  expect(prompt.unseenFilm).toBe(true);
  expect(prompt.textBytes).toBeGreaterThan(100);
});

const PROSE = 'A quiet street at night rain on the stones, a lamp and one cat in its light';
it.each<[field: string, text: string]>([
  ['image', PROSE.replace(' rain', ': rain')],
  ['video', PROSE],
  ['audio', PROSE],
  ['mask', `data: ${PROSE}`],
  ['picture', `Data: ${PROSE.replace(' rain', '; rain')}`],
  ['image_url', `Data: ${PROSE.replace(',', '')}`],
])('prose in a field for media is none, and nothing of it is refused: %s', (field, text) => {
  const prompt = inMessages({ type: 'mcp_tool_use', id: 'u', name: 'draw', input: { [field]: text } });
  expect(prompt).toMatchObject(NOTHING);
  expect([prompt.unseen, prompt.unseenFilm, prompt.sizedByVendor]).toEqual([undefined, undefined, undefined]);
  expect(prompt.textBytes).toBeGreaterThan(text.length);
});

it.each<[string, JsonObject]>([
  ['digits with marks between them', { type: 'video', video: 'AAAA!IGZ0!eXBp!c29t!'.repeat(9) }],
  ['an address of no scheme', { type: 'video', video_url: `//a.example/${'a'.repeat(64)}` }],
])('what is no prose is held in its place: %s', (_what, part) => {
  const prompt = inMessages(part);
  expect(prompt.unseen === true || prompt.unseenFilm === true).toBe(true);
});

it.each(['', 'data:image/png;base64,'])(
  'words that look as digits do are held as words behind %p',
  (head) => {
    const image = `${head}${'TheQuickBrownFoxSaw'.repeat(500)}`;
    const body = { ...message({ type: 'text', text: 'hi' }), documents: [{ title: 'a', image }] };
    const { images, textBytes } = requestFacts(openaiChat, body, {}).prompt;
    expect(images).toHaveLength(1);
    expect(textBytes).toBeGreaterThan(image.length);
    expect(promptTexts(openaiChat, body).join(' ')).toContain(image);
  },
);

it('a word in a field for films is none', () => {
  const body = { ...message({ type: 'text', text: 'hi' }), video: 'auto', image: 'high' };
  expect(requestFacts(openaiChat, body, {}).prompt).toMatchObject(NOTHING);
});
