/** Programs that call this site, ready to be pasted. */

export const KEY_VARIABLE = 'API_KEY';

export interface SampleInput {
  /** `https://gateway.example`; the site as the viewer sees it. */
  origin: string;
  model: string;
  streamed: boolean;
  /** Whole key to write into the sample; null reads it from the environment. */
  key: string | null;
  /** What is said; a single word where nothing else is to be shown. */
  messages?: readonly { role: string; content: string }[];
  /** Further fields of the call, by name. */
  more?: Readonly<Record<string, number>>;
}

export const PING = [{ role: 'user', content: 'ping' }];

export const baseUrl = (origin: string): string => `${origin}/v1`;

/** In single quotes for a shell, whatever is in it. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export function curlSample({ origin, model, streamed, key, messages, more }: SampleInput): string {
  const body = JSON.stringify({
    model,
    messages: messages ?? PING,
    ...more,
    ...(streamed ? { stream: true } : {}),
  });
  return [
    `curl ${baseUrl(origin)}/chat/completions${streamed ? ' -N' : ''} \\`,
    `  -H "Authorization: Bearer ${key ?? `$${KEY_VARIABLE}`}" \\`,
    '  -H "Content-Type: application/json" \\',
    `  -d ${shellQuoted(body)}`,
  ].join('\n');
}

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

export function pythonSample({ origin, model, streamed, key, messages, more }: SampleInput): string {
  const head = [
    '# pip install openai',
    ...(key === null ? ['import os'] : []),
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
    `    messages=${listOf(messages ?? PING, '    ', pythonObject)},`,
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
  return [...head, ...lines].join('\n');
}

export function nodeSample({ origin, model, streamed, key, messages, more }: SampleInput): string {
  const head = [
    '// npm install openai',
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
    `  messages: ${listOf(messages ?? PING, '  ', nodeObject)},`,
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
  return [...head, ...lines].join('\n');
}

/** What most programs that speak OpenAI's dialect read by themselves. */
export const environmentSample = ({ origin, key }: SampleInput): string =>
  [
    `export OPENAI_BASE_URL=${shellQuoted(baseUrl(origin))}`,
    `export OPENAI_API_KEY=${key === null ? `"$${KEY_VARIABLE}"` : shellQuoted(key)}`,
  ].join('\n');
