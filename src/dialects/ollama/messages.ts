/** Messages of Ollama's own wire: one text, pictures beside it, calls without ids, both ways. */

import type { JsonObject } from '../../core/json.ts';
import { argumentsOf } from '../accumulate.ts';
import { notAccepted } from '../bounds.ts';
import { type CallIds, historyIds, isMadeId } from '../call-ids.ts';
import type { RequestTarget } from '../codec.ts';
import { wrapCustomInput } from '../custom-tools.ts';
import { compact, FieldTaker, objectOf, objectsOf, oneOf } from '../fields.ts';
import { textOfSource } from '../media.ts';
import type { ChatRequest, FilePart, ImagePart, Message, Part, ToolCallPart } from '../neutral.ts';

// ---- Reading -----------------------------------------------------------------------------------------------------

const ROLES = ['system', 'user', 'assistant', 'tool'] as const;

export function readMessages(given: unknown): Message[] {
  const ids = historyIds();
  return objectsOf(given).map((message) => readMessage(message, ids));
}

function readMessage(given: JsonObject, ids: CallIds): Message {
  const fields = new FieldTaker(given);
  const role = fields.take('role', (value) => oneOf(value, ROLES)) ?? 'user';
  if (role === 'tool') {
    const name = fields.text('tool_name');
    const id = ids.response(name ?? '', fields.text('tool_call_id'));
    const content = readSaid(fields, ids);
    return compact({
      role,
      parts: [compact({ type: 'tool-result', id, name, kind: 'function', content })],
      extra: fields.rest,
    });
  }
  return compact({ role, parts: readSaid(fields, ids), extra: fields.rest });
}

/** What a message says: thinking, text, pictures, calls. */
export function readSaid(fields: FieldTaker, ids: CallIds): Part[] {
  const thinking = fields.text('thinking') ?? '';
  const text = fields.text('content') ?? '';
  const images = fields.list('images') ?? [];
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking' as const, text: thinking, origin: 'ollama' as const }]),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...images.filter((data) => typeof data === 'string').map(readImage),
    ...objectsOf(fields.list('tool_calls')).map((call) => readCall(call, ids)),
  ];
}

/** The first letters of base64 tell what kind of picture follows. */
const HEADS: readonly [head: string, mediaType: string][] = [
  ['/9j/', 'image/jpeg'],
  ['R0lG', 'image/gif'],
  ['UklG', 'image/webp'],
];

function readImage(data: string): ImagePart {
  const mediaType = HEADS.find(([head]) => data.startsWith(head))?.[1] ?? 'image/png';
  return { type: 'image', source: { kind: 'data', mediaType, data } };
}

export function readCall(given: JsonObject, ids: CallIds): ToolCallPart {
  const fields = new FieldTaker(given);
  const said = new FieldTaker(fields.object('function') ?? {});
  const name = said.text('name') ?? '';
  const input = said.take('arguments', (value) => value) ?? {};
  const id = ids.call(name, fields.text('id'));
  const extra = said.rest ? { ...fields.rest, function: said.rest } : fields.rest;
  return compact({
    type: 'tool-call',
    id,
    name,
    input: typeof input === 'string' ? input || '{}' : JSON.stringify(input),
    kind: 'function',
    extra,
  });
}

// ---- Writing -----------------------------------------------------------------------------------------------------

export function writeMessages(request: ChatRequest, target: RequestTarget): JsonObject[] {
  const own = request.dialect === 'ollama';
  const names = new Map<string, string>();
  return request.messages.flatMap((message): JsonObject[] => {
    for (const part of message.parts) if (part.type === 'tool-call') names.set(part.id, part.name);
    const extra = own ? message.extra : undefined;
    if (message.role === 'tool') {
      return message.parts.flatMap((part) =>
        part.type === 'tool-result'
          ? [
              {
                role: 'tool',
                ...writeSaid(part.content, own, target),
                ...compact({
                  tool_name: part.name ?? names.get(part.id),
                  tool_call_id: own && !isMadeId(part.id) ? part.id : undefined,
                }),
                ...extra,
              },
            ]
          : [],
      );
    }
    const role = message.role === 'developer' ? 'system' : message.role;
    return [{ role, ...writeSaid(message.parts, own, target), ...extra }];
  });
}

export function writeSaid(
  parts: readonly Part[],
  own: boolean,
  target: Pick<RequestTarget, 'lost'>,
): JsonObject {
  const texts: string[] = [];
  const thoughts: string[] = [];
  const images: string[] = [];
  const calls: JsonObject[] = [];
  for (const part of parts) {
    switch (part.type) {
      case 'text':
      case 'refusal':
        texts.push(part.text);
        break;
      case 'thinking':
        if (part.text !== '') thoughts.push(part.text);
        break;
      case 'image':
        images.push(imageData(part));
        break;
      case 'file':
        texts.push(fileText(part));
        break;
      case 'tool-call':
        calls.push(writeCall(part, own));
        break;
      case 'audio':
        if (part.transcript === undefined) throw notAccepted({ zh: '音频输入', en: 'audio input' });
        texts.push(part.transcript);
        break;
      default:
        target.lost(part.type === 'raw' ? 'server tool call' : part.type);
    }
  }
  return compact({
    content: texts.join(''),
    thinking: thoughts.length > 0 ? thoughts.join('') : undefined,
    images: images.length > 0 ? images : undefined,
    tool_calls: calls.length > 0 ? calls : undefined,
  });
}

export function writeCall(part: ToolCallPart, own: boolean): JsonObject {
  const { function: more, ...extra } = own ? (part.extra ?? {}) : {};
  return {
    ...(own && !isMadeId(part.id) && { id: part.id }),
    ...extra,
    function: {
      name: part.name,
      arguments: part.kind === 'custom' ? wrapCustomInput(part.input) : argumentsOf(part.input),
      ...objectOf(more),
    },
  };
}

function imageData({ source }: ImagePart): string {
  if (source.kind === 'data') return source.data;
  throw notAccepted({ zh: '以地址给出的图片', en: 'images by address' });
}

/** A text file is part of the text, under its name. */
function fileText(part: FilePart): string {
  const text = textOfSource(part.source);
  if (text === undefined) throw notAccepted({ zh: '非文本的文件', en: 'files that are no text' });
  const name = part.title ?? part.filename;
  return name === undefined ? `\n${text}\n` : `\n${name}:\n${text}\n`;
}
