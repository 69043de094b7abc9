/** The same call by the other two SDKs, which speak dialects of their own to whatever stands behind the model. */
import {
  inFile,
  KEY_VARIABLE,
  listOf,
  messagesIn,
  nodeImports,
  nodeObject,
  pythonImports,
  pythonObject,
  readByNode,
  readByPython,
  readBytesByPython,
  type SaidMessage,
  type SampleInput,
} from './code-samples.ts';

/** Anthropic's SDK wants a limit with every call. */
const MAX_TOKENS = 1_024;

interface Said {
  /** Null where nothing was said. */
  system: string | null;
  turns: readonly SaidMessage[];
}

/** What the system was told stands apart in both. */
function saidIn(input: SampleInput): Said {
  const messages = messagesIn(input);
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  return {
    system: system.length > 0 ? system.join('\n') : null,
    turns: messages.filter(({ role }) => role !== 'system'),
  };
}

const nodeKey = ({ key }: SampleInput): string =>
  key === null ? `process.env.${KEY_VARIABLE}` : JSON.stringify(key);
const pythonKey = ({ key }: SampleInput): string =>
  key === null ? `os.environ["${KEY_VARIABLE}"]` : JSON.stringify(key);

const anthropicMessage = ({ role, content, pictures = [] }: SaidMessage) =>
  pictures.length === 0
    ? { role, content }
    : {
        role,
        content: [
          ...pictures.map((picture) => ({
            type: 'image',
            source: { type: 'base64', media_type: picture.type, data: inFile(picture) },
          })),
          ...(content === '' ? [] : [{ type: 'text', text: content }]),
        ],
      };

export function anthropicNodeSample(input: SampleInput): string {
  const { origin, model, streamed, more = {} } = input;
  const { system, turns } = saidIn(input);
  const asked = [
    `  model: ${JSON.stringify(model)},`,
    `  max_tokens: ${more.max_tokens ?? MAX_TOKENS},`,
    ...(more.temperature === undefined ? [] : [`  temperature: ${more.temperature},`]),
    ...(system === null ? [] : [`  system: ${JSON.stringify(system)},`]),
    `  messages: ${listOf(turns.map(anthropicMessage), '  ', nodeObject)},`,
    '});',
  ];
  const lines = [
    '// npm install @anthropic-ai/sdk',
    ...nodeImports(input),
    'import Anthropic from "@anthropic-ai/sdk";',
    '',
    'const client = new Anthropic({',
    `  baseURL: ${JSON.stringify(origin)},`,
    `  apiKey: ${nodeKey(input)},`,
    '});',
    '',
    ...(streamed
      ? [
          'const stream = client.messages.stream({',
          ...asked,
          'stream.on("text", (text) => process.stdout.write(text));',
          'await stream.finalMessage();',
        ]
      : [
          'const answer = await client.messages.create({',
          ...asked,
          'for (const part of answer.content) {',
          '  if (part.type === "text") console.log(part.text);',
          '}',
        ]),
  ];
  return readByNode(lines.join('\n'));
}

export function anthropicPythonSample(input: SampleInput): string {
  const { origin, model, streamed, more = {} } = input;
  const { system, turns } = saidIn(input);
  const pad = streamed ? '    ' : '';
  const asked = [
    `    model=${JSON.stringify(model)},`,
    `    max_tokens=${more.max_tokens ?? MAX_TOKENS},`,
    ...(more.temperature === undefined ? [] : [`    temperature=${more.temperature},`]),
    ...(system === null ? [] : [`    system=${JSON.stringify(system)},`]),
    `    messages=${listOf(turns.map(anthropicMessage), '    ', pythonObject)},`,
  ];
  const lines = [
    '# pip install anthropic',
    ...pythonImports(input, true),
    'from anthropic import Anthropic',
    '',
    'client = Anthropic(',
    `    base_url=${JSON.stringify(origin)},`,
    `    api_key=${pythonKey(input)},`,
    ')',
    '',
    ...(streamed
      ? [
          'with client.messages.stream(',
          ...asked,
          ') as stream:',
          `${pad}for text in stream.text_stream:`,
          `${pad}    print(text, end="", flush=True)`,
        ]
      : [
          'answer = client.messages.create(',
          ...asked,
          ')',
          'for part in answer.content:',
          '    if part.type == "text":',
          '        print(part.text)',
        ]),
  ];
  return readByPython(lines.join('\n'));
}

/** A word alone is said as it is; of a conversation each turn with whose it is. */
function contentsOf({ turns }: Said, indent: string): string {
  const [first, ...others] = turns;
  if (first && others.length === 0 && first.role === 'user' && !first.pictures)
    return JSON.stringify(first.content);
  const turn = ({ role, content, pictures = [] }: SaidMessage): string =>
    JSON.stringify({
      role: role === 'assistant' ? 'model' : role,
      parts: [
        ...pictures.map((picture) => ({ inlineData: { mimeType: picture.type, data: inFile(picture) } })),
        ...(content === '' ? [] : [{ text: content }]),
      ],
    });
  return `[\n${turns.map((one) => `${indent}  ${turn(one)},\n`).join('')}${indent}]`;
}

export function geminiNodeSample(input: SampleInput): string {
  const { origin, model, streamed, more = {} } = input;
  const said = saidIn(input);
  const config = {
    ...(said.system !== null && { systemInstruction: said.system }),
    ...(more.temperature !== undefined && { temperature: more.temperature }),
    ...(more.max_tokens !== undefined && { maxOutputTokens: more.max_tokens }),
  };
  const asked = [
    `  model: ${JSON.stringify(model)},`,
    `  contents: ${contentsOf(said, '  ')},`,
    ...(Object.keys(config).length === 0 ? [] : [`  config: ${nodeObject(config)},`]),
    '});',
  ];
  const lines = [
    '// npm install @google/genai',
    ...nodeImports(input),
    'import { GoogleGenAI } from "@google/genai";',
    '',
    'const client = new GoogleGenAI({',
    `  apiKey: ${nodeKey(input)},`,
    `  httpOptions: { baseUrl: ${JSON.stringify(origin)} },`,
    '});',
    '',
    ...(streamed
      ? [
          'const stream = await client.models.generateContentStream({',
          ...asked,
          'for await (const part of stream) {',
          '  process.stdout.write(part.text ?? "");',
          '}',
        ]
      : ['const answer = await client.models.generateContent({', ...asked, 'console.log(answer.text);']),
  ];
  return readByNode(lines.join('\n'));
}

export function geminiPythonSample(input: SampleInput): string {
  const { origin, model, streamed, more = {} } = input;
  const said = saidIn(input);
  const config = {
    ...(said.system !== null && { system_instruction: said.system }),
    ...(more.temperature !== undefined && { temperature: more.temperature }),
    ...(more.max_tokens !== undefined && { max_output_tokens: more.max_tokens }),
  };
  const asked = [
    `    model=${JSON.stringify(model)},`,
    `    contents=${contentsOf(said, '    ')},`,
    ...(Object.keys(config).length === 0 ? [] : [`    config=${pythonObject(config)},`]),
  ];
  const lines = [
    '# pip install google-genai',
    ...pythonImports(input, false),
    'from google import genai',
    '',
    'client = genai.Client(',
    `    api_key=${pythonKey(input)},`,
    `    http_options={"base_url": ${JSON.stringify(origin)}},`,
    ')',
    '',
    ...(streamed
      ? [
          'for part in client.models.generate_content_stream(',
          ...asked,
          '):',
          '    print(part.text or "", end="", flush=True)',
        ]
      : ['answer = client.models.generate_content(', ...asked, ')', 'print(answer.text)']),
  ];
  return readBytesByPython(lines.join('\n'));
}
