/** Who knows one dialect finds his way in all: the same role stands in a file of the same name in every folder. */
import { describe, expect, it } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROLES = [
  // What the folder is for: the record and the codec of a dialect of callers, or the wire of one that only upstreams speak.
  'dialect',
  'codec',
  'wire',
  // What the relay must know of what passes as it came, and which fields of it are measured.
  'request-facts',
  'reply-facts',
  'reads',
  // Into the neutral chat and out of it.
  'request',
  'reply',
  'read-messages',
  'write-messages',
  'read-parts',
  'write-parts',
  'read-stream',
  'write-stream',
  // The words for one thing, both ways.
  'tools',
  'thinking',
  'schema',
  'citations',
  'stops',
  'usage',
  'errors',
  // Models by their names, and lists of them.
  'models',
  'model-cards',
];

/** What one dialect alone has. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  'anthropic-messages': ['betas', 'billing-line', 'claude-proofs'],
  'bedrock-converse': ['as-messages', 'splitter'],
  gemini: ['code-output', 'logprobs', 'names', 'partial-args', 'schema-walk', 'searches'],
  'openai-chat': ['strange-words', 'thinking-details'],
  'openai-responses': ['chat-fields', 'response-object'],
};

/** By what each file tells the others: the home of the role, wherever it is needed. */
const HOMES: readonly [told: RegExp, home: string][] = [
  [/^(readRequestFacts|promptTexts|addSystem|withOutputCap)$/, 'request-facts'],
  [/^(readReplyFacts|\w+Tap)$/, 'reply-facts'],
  [/^\w+_READS$/, 'reads'],
  [/^(readRequest|writeRequest)$/, 'request'],
  [/^(readReply|writeReply)$/, 'reply'],
  [/^(readMessages|readContents|readInput|MessageReader)$/, 'read-messages'],
  [/^(writeSystem|writeMessages|writeContents|writeInput)$/, 'write-messages'],
  [/^(readTools|readToolChoice|writeTools|writeToolChoice)$/, 'tools'],
  [/^(writeWish|withThoughtLimit)$/, 'thinking'],
  [/^(readStop|\w+Stops)$/, 'stops'],
  [/^(readUsage|writeUsage)$/, 'usage'],
  [/^(readError|errorBody|errorFrame)$/, 'errors'],
];

const homeOf = (name: string): string | undefined => HOMES.find(([told]) => told.test(name))?.[1];

const filesOf = (folder: string): string[] =>
  readdirSync(join(import.meta.dir, folder))
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => file.replace(/\.ts$/, ''));

/** Folders of chats; formats of one call each stand in files of their own. */
const folders = readdirSync(import.meta.dir, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'plain')
  .map(({ name }) => name)
  .sort();

const exportsOf = (folder: string, file: string): string[] =>
  [
    ...readFileSync(join(import.meta.dir, folder, `${file}.ts`), 'utf8').matchAll(
      /^export (?:const|function|class) (\w+)/gm,
    ),
  ].flatMap(([, name]) => (name === undefined ? [] : [name]));

describe.each(folders)('the folder of %s', (folder) => {
  const files = filesOf(folder);

  it('has no file beside those of the roles and what it alone has', () => {
    const own = OWN[folder] ?? [];
    expect(files.filter((file) => !ROLES.includes(file) && !own.includes(file))).toEqual([]);
    expect(own.filter((file) => !files.includes(file))).toEqual([]);
  });

  it('tells each role in its own file', () => {
    const strayed = files.flatMap((file) =>
      exportsOf(folder, file)
        .filter((name) => (homeOf(name) ?? file) !== file)
        .map((name) => `${name} in ${file}`),
    );
    expect(strayed).toEqual([]);
  });

  it('is one of callers, with a record and a codec, or one of upstreams, with a wire', () => {
    const kinds = ['dialect', 'codec', 'wire'].filter((role) => files.includes(role));
    expect([['dialect', 'codec'], ['wire']]).toContainEqual(kinds);
  });
});

it('a name that only one dialect uses stands in that one alone', () => {
  const names = Object.values(OWN).flat();
  expect(names.filter((name) => ROLES.includes(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
