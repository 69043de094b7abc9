/**
 * Recorded answers: those of the folder that RECORDINGS_DIR names, and a few of our own beside this file. Each line of
 * `NAME.chunks.txt` is the data of one event; `NAME.json` is a whole answer. The wire is told from the content, so
 * that a new vendor needs no line here.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isObject, type JsonObject, parseObject } from '../../src/core/json.ts';
import type { Surface } from './mapping.ts';

export interface Recording {
  name: string;
  wire: Surface;
  /** The events' data, or one whole answer. */
  payloads: JsonObject[];
}

const root = path.join(import.meta.dir, '..', '..');
const shared = process.env.RECORDINGS_DIR ?? path.join(root, '..', 'shared', 'fixtures', 'upstream');
const folders = [path.join(import.meta.dir, 'cases'), path.resolve(root, shared)].filter((folder) =>
  existsSync(folder),
);

export function* files(ending: string): Generator<{ name: string; text: string }> {
  for (const folder of folders) {
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      if (file.endsWith(ending)) yield { name: file, text: readFileSync(path.join(folder, file), 'utf8') };
    }
  }
}

/** Streams of chats. A recording of several answers after one another is several streams. */
export function streams(): Recording[] {
  return [...files('.chunks.txt')].flatMap(({ name, text }) => {
    const payloads = text
      .split('\n')
      .map(parseObject)
      .filter((payload) => payload !== undefined);
    const wire = payloads[0] && streamWire(payloads[0]);
    if (!wire) return [];
    const answers = wire === 'openai-responses' ? splitBefore(payloads, 'response.created') : [payloads];
    return answers.map((answer, at) => ({
      name: answers.length > 1 ? `${name} ${at + 1}` : name,
      wire,
      payloads: answer,
    }));
  });
}

export function wholeAnswers(): Recording[] {
  return [...files('.json')].flatMap(({ name, text }) => {
    const payload = parseObject(text);
    const wire = payload && wholeWire(payload);
    return wire ? [{ name, wire, payloads: [payload] }] : [];
  });
}

function splitBefore(payloads: JsonObject[], type: string): JsonObject[][] {
  const answers: JsonObject[][] = [];
  for (const payload of payloads) {
    if (payload.type === type || answers.length === 0) answers.push([]);
    answers.at(-1)?.push(payload);
  }
  return answers;
}

function streamWire(first: JsonObject): Surface | null {
  const type = typeof first.type === 'string' ? first.type : '';
  if (type.startsWith('response.') || (type === 'error' && 'sequence_number' in first))
    return 'openai-responses';
  if (type === 'message_start') return 'anthropic-messages';
  if ('candidates' in first || 'promptFeedback' in first) return 'gemini';
  return first.object === 'chat.completion.chunk' ? 'openai-chat' : null;
}

function wholeWire(answer: JsonObject): Surface | null {
  if (answer.object === 'response' && Array.isArray(answer.output)) return 'openai-responses';
  if (answer.type === 'message' && Array.isArray(answer.content)) return 'anthropic-messages';
  if (Array.isArray(answer.candidates)) return 'gemini';
  const [choice] = Array.isArray(answer.choices) ? answer.choices : [];
  return isObject(choice) && isObject(choice.message) ? 'openai-chat' : null;
}

/** The bytes as a vendor of the wire frames them. */
export function framed({ wire, payloads }: Recording): Uint8Array {
  const text = payloads.map((payload) => frameOf(wire, payload)).join('');
  return new TextEncoder().encode(wire === 'openai-chat' ? `${text}data: [DONE]\n\n` : text);
}

function frameOf(wire: Surface, payload: JsonObject): string {
  const data = JSON.stringify(payload);
  switch (wire) {
    case 'openai-chat':
      return `data: ${data}\n\n`;
    case 'gemini':
      return `data: ${data}\r\n\r\n`;
    default:
      return `event: ${payload.type}\ndata: ${data}\n\n`;
  }
}
