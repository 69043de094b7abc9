/** What nobody saw of a call is added as what it is: films cost sixty times as much as text by some models. */
import { expect, it } from 'bun:test';
import { EVEN_QUOTE } from '../../../tests/support/even-quote.ts';
import { NO_READING } from '../../core/tool-reading.ts';
import { noUsage } from '../../core/usage.ts';
import type { PromptSize } from '../../dialects/dialect.ts';
import { plainFacts } from '../../dialects/plain/plain.ts';
import { withUnseen } from './unseen.ts';

const added = (prompt: Partial<PromptSize>) => {
  const facts = plainFacts('m', {});
  const request = { facts: { ...facts, prompt: { ...facts.prompt, ...prompt, context: 20_000 } } };
  const call = { request, quote: EVEN_QUOTE, held: 1e9, heldForTools: 0, reading: NO_READING };
  const unseen = { documents: true, thoughts: false, reading: false, foretold: false };
  const { input, inputAudio, inputVideo } = withUnseen(noUsage(), call, unseen, false);
  return { input, inputAudio, inputVideo };
};
const FILM_MOST = 1_048_576;
/** What is counted of a file in any case. */
const FILE = 5_000;

it.each<[string, Partial<PromptSize>, ReturnType<typeof added>]>([
  ['a film', { files: 1, unseenFilm: true }, { input: 0, inputAudio: 0, inputVideo: FILM_MOST }],
  ['a document', { files: 1, unseen: true }, { input: 20_000 - FILE, inputAudio: 0, inputVideo: 0 }],
  [
    'what may be a sound',
    { files: 1, unseen: true, unseenKind: true },
    { input: 0, inputAudio: 20_000 - FILE, inputVideo: 0 },
  ],
  [
    'both',
    { files: 2, unseen: true, unseenFilm: true },
    { input: 20_000 - 2 * FILE, inputAudio: 0, inputVideo: FILM_MOST },
  ],
  [
    'what is embedded, which is counted as it is held,',
    { files: 2, unseen: true, reads: 2, unsizedReads: 2, unsizedFilms: 1 },
    { input: 0, inputAudio: 0, inputVideo: 0 },
  ],
])('%s is charged as what it is', (_what, prompt, expected) => {
  expect(added(prompt)).toEqual(expected);
});
