/** The tables of src/dialects/README.md, drawn from the mapping that the codecs read. */
import { converseStops } from '../../src/dialects/bedrock-converse/stops.ts';
import { cohereStops } from '../../src/dialects/cohere/stops.ts';
import {
  answerParts,
  requestParts,
  requestSettings,
  SURFACES,
  stopWords,
  usageWords,
} from '../../src/dialects/mapping.ts';
import type { StopReason } from '../../src/dialects/neutral.ts';
import { ollamaStops } from '../../src/dialects/ollama/reply.ts';

const HEADS: Readonly<Record<(typeof SURFACES)[number], string>> = {
  'openai-chat': 'OpenAI Chat',
  'openai-responses': 'OpenAI Responses',
  'anthropic-messages': 'Anthropic Messages',
  gemini: 'Gemini',
};

type Row = readonly [name: string, cells: readonly string[]];

/** Columns are as wide as their widest cell, as the formatter wants them. */
function table(first: string, rows: readonly Row[]): string {
  const head = [first, ...SURFACES.map((surface) => HEADS[surface])];
  const cells = [head, ...rows.map(([name, words]) => [name, ...words])];
  const widths = head.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  const line = (words: readonly string[]) =>
    `| ${words.map((word, at) => word.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [top = [], ...below] = cells;
  return [line(top), line(widths.map((width) => '-'.repeat(width))), ...below.map(line)].join('\n');
}

const code = (text: string): string => `\`${text}\``;

/** The word, and in brackets the reason as which it is read back where that is another. */
function stops(): string {
  const reasons = Object.keys(stopWords['openai-chat'].write) as StopReason[];
  const rows = reasons.map((reason): Row => {
    const cells = SURFACES.map((surface) => {
      const word = stopWords[surface].write[reason];
      const back = stopWords[surface].read[word];
      return back === reason ? code(word) : `${code(word)} (${back})`;
    });
    return [reason, cells];
  });
  return table('Stop reason', rows);
}

const wordsOf = (head: string, read: Readonly<Record<string, StopReason>>): string => {
  const words = Object.entries(read).map(([word, reason]) => `${code(word)} ${reason}`);
  return `- ${head}: ${words.join(', ')}`;
};

const readWords = (): string =>
  SURFACES.map((surface) => wordsOf(HEADS[surface], stopWords[surface].read)).join('\n');

const upstreamWords = (): string =>
  [
    wordsOf('Cohere', cohereStops),
    wordsOf('Bedrock Converse', converseStops),
    wordsOf('Ollama', ollamaStops),
  ].join('\n');

const usages = (): string =>
  table(
    'Count',
    Object.entries(usageWords).map(
      ([field, words]): Row => [
        field,
        SURFACES.map((surface) => {
          const word = words[surface];
          return typeof word === 'string' ? word : `counted as ${word.into}`;
        }),
      ],
    ),
  );

const settings = (): string =>
  table(
    'Setting',
    Object.entries(requestSettings).map(
      ([name, words]): Row => [name, SURFACES.map((surface) => words[surface] ?? 'lost')],
    ),
  );

const parts = (fates: Readonly<Record<string, typeof answerParts.text | typeof requestParts.text>>): string =>
  table(
    'Part',
    Object.entries(fates).map(
      ([type, fate]): Row => [
        type,
        SURFACES.map((surface) =>
          [fate[surface].fate, fate[surface].as].filter((said) => said !== '').join(': '),
        ),
      ],
    ),
  );

export const tables = (): Readonly<Record<string, string>> => ({
  stops: stops(),
  'stop-words': readWords(),
  'upstream-stop-words': upstreamWords(),
  'answer-parts': parts(answerParts),
  'request-parts': parts(requestParts),
  usage: usages(),
  settings: settings(),
});
