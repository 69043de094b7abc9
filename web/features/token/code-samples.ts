/** Programs that call this site, ready to be pasted. What was shown of pictures they read from files of the same names. */
import type { PictureFile } from './pictures.ts';

export const KEY_VARIABLE = 'API_KEY';

export interface SaidMessage<P extends PictureFile = PictureFile> {
  role: 'system' | 'user' | 'assistant';
  content: string;
  pictures?: readonly P[];
}

export interface SampleInput {
  /** `https://gateway.example`; the site as the viewer sees it. */
  origin: string;
  model: string;
  streamed: boolean;
  /** Whole key to write into the sample; null reads it from the environment. */
  key: string | null;
  /** What is said; a single word where nothing else is to be shown. */
  messages?: readonly SaidMessage[];
  /** Further fields of the call, by name. */
  more?: Readonly<Record<string, number>>;
}

const PING: readonly SaidMessage[] = [{ role: 'user', content: 'ping' }];

/** In OpenAI's dialect; `dataOf` tells what is in a picture, in base64. */
export const openAiMessage = <P extends PictureFile>(
  { role, content, pictures = [] }: SaidMessage<P>,
  dataOf: (picture: P) => string,
) =>
  pictures.length === 0
    ? { role, content }
    : {
        role,
        content: [
          ...(content === '' ? [] : [{ type: 'text', text: content }]),
          ...pictures.map((picture) => ({
            type: 'image_url',
            image_url: { url: `data:${picture.type};base64,${dataOf(picture)}` },
          })),
        ],
      };

/** Stands in a text of JSON for what is in a file: letters that nothing said has here, around its name. */
const [OPEN, SHUT] = ['\uE000', '\uE001'];
export const inFile = ({ name }: PictureFile): string => `${OPEN}${name}${SHUT}`;
const HELD = new RegExp(`"([^"${OPEN}]*)${OPEN}([^${SHUT}]*)${SHUT}"`, 'g');

/** The program with what reads each file, given its name as JSON, in the place of what stood for it. */
const reading = (program: string, read: (name: string) => string): string =>
  program.replace(HELD, (_, before: string, name: string) =>
    before === '' ? read(`"${name}"`) : `"${before}" + ${read(`"${name}"`)}`,
  );

const MARKS = new RegExp(`[${OPEN}${SHUT}]`, 'g');
/** What is said, without those letters: a model that says them must not have a program read a file of its choice. */
export const messagesIn = ({ messages = PING }: SampleInput): SaidMessage[] =>
  messages.map((message) => ({ ...message, content: message.content.replaceAll(MARKS, '') }));

const hasPictures = ({ messages = PING }: SampleInput): boolean =>
  messages.some(({ pictures = [] }) => pictures.length > 0);

const pythonRead = (name: string): string => `base64.b64encode(open(${name}, "rb").read()).decode()`;
export const readByPython = (program: string): string => reading(program, pythonRead);
export const readByNode = (program: string): string =>
  reading(program, (name) => `readFileSync(${name}, "base64")`);
/** Where bytes are asked for. */
export const readBytesByPython = (program: string): string =>
  reading(program, (name) => `open(${name}, "rb").read()`);

const openAiMessages = (input: SampleInput) =>
  messagesIn(input).map((message) => openAiMessage(message, inFile));

export const pythonImports = (input: SampleInput, isBase64: boolean): string[] => [
  ...(isBase64 && hasPictures(input) ? ['import base64'] : []),
  ...(input.key === null ? ['import os'] : []),
];
export const nodeImports = (input: SampleInput): string[] =>
  hasPictures(input) ? ['import { readFileSync } from "node:fs";'] : [];

export const baseUrl = (origin: string): string => `${origin}/v1`;

/** In single quotes for a shell, whatever is in it. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export function curlSample(input: SampleInput): string {
  const { origin, model, streamed, key, more } = input;
  const body = JSON.stringify({
    model,
    messages: openAiMessages(input),
    ...more,
    ...(streamed ? { stream: true } : {}),
  });
  return [
    `curl ${baseUrl(origin)}/chat/completions${streamed ? ' -N' : ''} \\`,
    `  -H "Authorization: Bearer ${key ?? `$${KEY_VARIABLE}`}" \\`,
    '  -H "Content-Type: application/json" \\',
    // A picture is longer than a shell lets an argument be.
    ...(hasPictures(input) ? ['  -d @- <<END', readByShell(body), 'END'] : [`  -d ${shellQuoted(body)}`]),
  ].join('\n');
}

/** A text for a shell to fill in, between `<<END` and `END`. */
const readByShell = (body: string): string =>
  body.replace(/[\\$`]/g, '\\$&').replace(HELD, (_, before: string, name: string) => {
    const file = shellQuoted(name.replaceAll('\\', ''));
    return `"${before}$(base64 < ${file} | tr -d '\\n')"`;
  });

/** Texts in double quotes, objects of them and lists: what JSON, Python and JavaScript write alike. */
export const listOf = (
  messages: readonly object[],
  indent: string,
  object: (message: object) => string,
): string =>
  messages.length === 1
    ? `[${messages.map(object).join('')}]`
    : `[\n${messages.map((message) => `${indent}    ${object(message)},\n`).join('')}${indent}]`;

const fields = (object: object, name: (key: string) => string, edges: readonly [string, string]): string =>
  edges[0] +
  Object.entries(object)
    .map(([key, value]) => `${name(key)}: ${JSON.stringify(value)}`)
    .join(', ') +
  edges[1];

export const pythonObject = (object: object): string =>
  fields(object, (key) => JSON.stringify(key), ['{', '}']);
export const nodeObject = (object: object): string => fields(object, (key) => key, ['{ ', ' }']);

export function pythonSample(input: SampleInput): string {
  const { origin, model, streamed, key, more } = input;
  const head = [
    '# pip install openai',
    ...pythonImports(input, true),
    'from openai import OpenAI',
    '',
    'client = OpenAI(',
    `    base_url=${JSON.stringify(baseUrl(origin))},`,
    `    api_key=${key === null ? `os.environ["${KEY_VARIABLE}"]` : JSON.stringify(key)},`,
    ')',
    '',
  ];
  const call = (name: string, rest: string[]) => [
    `${name} = client.chat.completions.create(`,
    `    model=${JSON.stringify(model)},`,
    `    messages=${listOf(openAiMessages(input), '    ', pythonObject)},`,
    ...Object.entries(more ?? {}).map(([field, value]) => `    ${field}=${value},`),
    ...rest,
    ')',
  ];
  const lines = streamed
    ? [
        ...call('stream', ['    stream=True,']),
        'for part in stream:',
        '    if part.choices:',
        '        print(part.choices[0].delta.content or "", end="")',
      ]
    : [...call('answer', []), 'print(answer.choices[0].message.content)'];
  return readByPython([...head, ...lines].join('\n'));
}

export function nodeSample(input: SampleInput): string {
  const { origin, model, streamed, key, more } = input;
  const head = [
    '// npm install openai',
    ...nodeImports(input),
    'import OpenAI from "openai";',
    '',
    'const client = new OpenAI({',
    `  baseURL: ${JSON.stringify(baseUrl(origin))},`,
    `  apiKey: ${key === null ? `process.env.${KEY_VARIABLE}` : JSON.stringify(key)},`,
    '});',
    '',
  ];
  const call = (name: string, rest: string[]) => [
    `const ${name} = await client.chat.completions.create({`,
    `  model: ${JSON.stringify(model)},`,
    `  messages: ${listOf(openAiMessages(input), '  ', nodeObject)},`,
    ...Object.entries(more ?? {}).map(([field, value]) => `  ${field}: ${value},`),
    ...rest,
    '});',
  ];
  const lines = streamed
    ? [
        ...call('stream', ['  stream: true,']),
        'for await (const part of stream) {',
        '  process.stdout.write(part.choices[0]?.delta?.content ?? "");',
        '}',
      ]
    : [...call('answer', []), 'console.log(answer.choices[0].message.content);'];
  return readByNode([...head, ...lines].join('\n'));
}

/** What most programs that speak OpenAI's dialect read by themselves. */
export const environmentSample = ({ origin, key }: SampleInput): string =>
  [
    `export OPENAI_BASE_URL=${shellQuoted(baseUrl(origin))}`,
    `export OPENAI_API_KEY=${key === null ? `"$${KEY_VARIABLE}"` : shellQuoted(key)}`,
  ].join('\n');
