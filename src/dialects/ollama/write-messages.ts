/** Messages of requests in Ollama's own words: one text, pictures beside it, calls without ids. */
import { CallersMap } from '../../core/callers-keys.ts';
import { InnerJson, type ObjectIn } from '../../core/inner-json.ts';
import type { JsonObject } from '../../core/json.ts';
import { argumentsOf } from '../accumulate.ts';
import { notAccepted } from '../bounds.ts';
import type { RequestTarget } from '../codec.ts';
import { wrapCustomInput } from '../custom-tools.ts';
import { compact } from '../fields.ts';
import { textOfSource } from '../media-kind.ts';
import type { ChatRequest, FilePart, ImagePart, Part, ToolCallPart } from '../neutral.ts';
import { readInWords } from '../result-words.ts';

export function writeMessages(request: ChatRequest, target: RequestTarget): JsonObject[] {
  const names = new CallersMap<string>();
  const to = { drop: target.drop, objectIn: new InnerJson().object };
  return request.messages.flatMap((message): JsonObject[] => {
    for (const part of message.parts) if (part.type === 'tool-call') names.set(part.id, part.name);
    if (message.role === 'tool') {
      return message.parts.flatMap((part) => {
        if (part.type !== 'tool-result') return [];
        const tool_name = part.name ?? names.get(part.id);
        return [compact({ role: 'tool', ...writeSaid(readInWords(part, reads, to.drop), to), tool_name })];
      });
    }
    const role = message.role === 'developer' ? 'system' : message.role;
    return [{ role, ...writeSaid(message.parts, to) }];
  });
}

/** What is a file has its text, a picture its bytes, a sound what is said in it. */
function reads(part: Part): boolean {
  if (part.type === 'file') return textOfSource(part.source) !== undefined;
  if (part.type === 'image') return part.source.kind === 'data';
  return part.type !== 'audio' || part.transcript !== undefined;
}

interface PartTarget extends Pick<RequestTarget, 'drop'> {
  /** The object of a call's text, where that is one. */
  objectIn: ObjectIn;
}

function writeSaid(parts: readonly Part[], to: PartTarget): JsonObject {
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
        calls.push(writeCall(part, to));
        break;
      case 'audio':
        if (part.transcript === undefined) throw notAccepted({ zh: '音频输入', en: 'audio input' });
        texts.push(part.transcript);
        break;
      default:
        to.drop(part.type === 'raw' ? 'server tool call' : part.type);
    }
  }
  return compact({
    content: texts.join(''),
    thinking: thoughts.length > 0 ? thoughts.join('') : undefined,
    images: images.length > 0 ? images : undefined,
    tool_calls: calls.length > 0 ? calls : undefined,
  });
}

const writeCall = (part: ToolCallPart, { objectIn }: PartTarget): JsonObject => ({
  function: {
    name: part.name,
    arguments: part.kind === 'custom' ? wrapCustomInput(part.input) : argumentsOf(part.input, objectIn),
  },
});

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
