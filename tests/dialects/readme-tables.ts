/** The tables of src/dialects/README.md, drawn from what the product says: its mapping, its calls, its providers. */
import { converseStops } from '../../src/dialects/bedrock-converse/stops.ts';
import { cohereStops } from '../../src/dialects/cohere/stops.ts';
import type { DialectId } from '../../src/dialects/dialect.ts';
import type { StopReason } from '../../src/dialects/neutral.ts';
import { ollamaStops } from '../../src/dialects/ollama/stops.ts';
import { providers } from '../../src/providers/registry.ts';
import { endpoints, modelActions } from '../../src/relay/entry/endpoints.ts';
import { answerParts, requestParts, requestSettings, SURFACES, stopWords, usageWords } from './mapping.ts';

const HEADS: Readonly<Partial<Record<DialectId, string>>> = {
  'openai-chat': 'OpenAI Chat',
  'openai-responses': 'OpenAI Responses',
  'anthropic-messages': 'Anthropic Messages',
  gemini: 'Gemini',
  cohere: 'Cohere',
  'bedrock-converse': 'Bedrock Converse',
  ollama: 'Ollama',
};
const headOf = (id: DialectId): string => HEADS[id] ?? id;

type Row = readonly [name: string, cells: readonly string[]];

/** Columns are as wide as their widest cell, as the formatter wants them. */
function table(first: string, rows: readonly Row[], heads: readonly string[] = SURFACES.map(headOf)): string {
  const head = [first, ...heads];
  const cells = [head, ...rows.map(([name, words]) => [name, ...words])];
  const widths = head.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  const line = (words: readonly string[]) =>
    `| ${words.map((word, at) => word.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [top = [], ...below] = cells;
  return [line(top), line(widths.map((width) => '-'.repeat(width))), ...below.map(line)].join('\n');
}

const code = (text: string): string => `\`${text}\``;

/** The dialects in which callers may hold a chat, by the calls that they are given. */
export const callersDialects: ReadonlySet<string> = new Set(
  [...endpoints, ...Object.values(modelActions)]
    .filter(({ operation }) => operation === 'chat')
    .map(({ dialect }) => dialect.id),
);

/** The dialects, and vendors' own wires, in which upstreams are asked for a chat. */
export const upstreamsDialects: ReadonlySet<string> = new Set(
  providers.flatMap(({ speaks, wire }) =>
    [...(speaks.chat ?? []), ...(wire ? [wire] : [])].map(({ id }) => id),
  ),
);

function speakers(): string {
  const rows = Object.entries(HEADS).map(([id, name]): Row => {
    const spoken = [callersDialects.has(id), upstreamsDialects.has(id)];
    return [name, spoken.map((is) => (is ? 'yes' : 'no'))];
  });
  return table('Dialect', rows, ['Spoken by callers', 'Spoken to upstreams']);
}

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
  SURFACES.map((surface) => wordsOf(headOf(surface), stopWords[surface].read)).join('\n');

const upstreamWords = (): string =>
  [
    wordsOf(headOf('cohere'), cohereStops),
    wordsOf(headOf('bedrock-converse'), converseStops),
    wordsOf(headOf('ollama'), ollamaStops),
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
  speakers: speakers(),
  stops: stops(),
  'stop-words': readWords(),
  'upstream-stop-words': upstreamWords(),
  'answer-parts': parts(answerParts),
  'request-parts': parts(requestParts),
  usage: usages(),
  settings: settings(),
});
