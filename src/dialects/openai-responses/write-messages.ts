/** Messages as the input of a Responses request. */

import type { JsonObject } from '../../core/json.ts';
import { notAccepted } from '../bounds.ts';
import type { RequestTarget } from '../codec.ts';
import { compact, objectOf } from '../fields.ts';
import { audioFormat, urlOfSource } from '../media.ts';
import { textOfSource } from '../media-kind.ts';
import type {
  AudioPart,
  ChatRequest,
  FilePart,
  ImagePart,
  Message,
  Part,
  RefusalPart,
  TextPart,
  ThinkingPart,
} from '../neutral.ts';
import { resultInWords } from '../result-words.ts';
import { sameReasoning, writeCall, writeReasoning } from './write-parts.ts';

export function writeInput(request: ChatRequest, target: RequestTarget): JsonObject[string] {
  const own = request.dialect === 'openai-responses';
  const messages = request.messages.filter((message) => !(own && message.extra?.instructions));
  const [only] = messages;
  if (own && only?.extra?.string && messages.length === 1 && only.parts[0]?.type === 'text') {
    return only.parts[0].text;
  }
  const writer = new InputWriter(own, target);
  return messages.flatMap((message) => writer.write(message));
}

class InputWriter {
  constructor(
    readonly own: boolean,
    readonly target: RequestTarget,
  ) {}

  write(message: Message): JsonObject[] {
    switch (message.role) {
      case 'assistant':
        return this.#assistant(message.parts);
      case 'tool':
        return message.parts.flatMap((part) => this.#result(part));
      default:
        return [
          {
            role: message.role,
            content: this.#content(message.parts, 'input_text') ?? '',
            ...(this.own && message.extra),
          },
        ];
    }
  }

  /** One item after the other; what stood in one item, or follows as the same kind, becomes one item. */
  #assistant(parts: readonly Part[]): JsonObject[] {
    const items: JsonObject[] = [];
    for (let at = 0; at < parts.length; ) {
      const run = this.#run(parts, at);
      items.push(...this.#item(run));
      at += run.length;
    }
    return items;
  }

  /** The parts from `at` on that make one item. */
  #run(parts: readonly Part[], at: number): Part[] {
    const first = parts[at];
    if (!first) return [];
    let end = at + 1;
    for (let next = parts[end]; next && this.#joins(first, next); next = parts[end]) end++;
    return parts.slice(at, end);
  }

  #joins(first: Part, next: Part): boolean {
    if (first.type === 'thinking' && next.type === 'thinking') return sameReasoning(first, next);
    if (!isSpoken(first) || !isSpoken(next)) return false;
    if (!this.own) return true;
    return itemOf(next) === itemOf(first);
  }

  #item(run: readonly Part[]): JsonObject[] {
    const [first] = run;
    switch (first?.type) {
      case 'text':
      case 'refusal':
        return this.#message(run.filter(isSpoken));
      case 'thinking':
        return this.#reasoning(run.filter((part) => part.type === 'thinking'));
      case 'tool-call': {
        const call = writeCall(first, this.own ? first.itemId : undefined);
        return [{ ...call, ...(this.own && first.extra) }];
      }
      case 'image':
        return this.#drawing(first);
      case 'raw':
        if (first.dialect === 'openai-responses') return [first.value];
        this.target.drop(typeof first.value.type === 'string' ? first.value.type : 'part');
        return [];
      case 'audio':
        return first.transcript ? this.#message([{ type: 'text', text: first.transcript }]) : [];
      default:
        return [];
    }
  }

  #message(parts: readonly (TextPart | RefusalPart)[]): JsonObject[] {
    const said = parts.filter((part) => this.own || part.text !== '');
    if (said.length === 0) return [];
    const fields = this.own ? itemOf(parts[0]) : undefined;
    return [{ role: 'assistant', content: this.#content(said, 'output_text') ?? '', ...fields }];
  }

  #reasoning(parts: readonly ThinkingPart[]): JsonObject[] {
    const [first] = parts;
    if (first?.origin !== 'openai-responses' || !(this.own || parts.some(({ encrypted }) => encrypted))) {
      this.target.drop('thinking');
      return [];
    }
    const { id, ...item } = writeReasoning(parts, first.id ?? '');
    return [{ ...item, ...(first.id !== undefined && { id }) }];
  }

  /** The service takes drawings back only by items that it made. */
  #drawing(part: ImagePart): JsonObject[] {
    const item = objectOf(part.extra?.item);
    if (this.own && item && part.source.kind === 'data') {
      return [{ type: 'image_generation_call', ...item, result: part.source.data }];
    }
    this.target.drop('image');
    return [];
  }

  #result(part: Part): JsonObject[] {
    if (part.type === 'raw' && part.dialect === 'openai-responses') return [part.value];
    if (part.type !== 'tool-result') {
      this.target.drop(part.type);
      return [];
    }
    return [
      {
        type: part.kind === 'custom' ? 'custom_tool_call_output' : 'function_call_output',
        call_id: part.id,
        output: this.#content(resultInWords(part), 'input_text') ?? '',
        ...(this.own && part.extra),
      },
    ];
  }

  /** A lone text stands as a string where it was one, and where nobody said that it was not. */
  #content(parts: readonly Part[], textType: string): string | JsonObject[] | null {
    const [only] = parts;
    if (!only) return null;
    if (parts.length === 1 && only.type === 'text' && !(this.own && only.extra?.type)) return only.text;
    return parts.flatMap((part) => this.#part(part, textType));
  }

  #part(part: Part, textType: string): JsonObject[] {
    switch (part.type) {
      case 'text': {
        const { item: _item, ...extra } = (this.own && part.extra) || {};
        return part.text === '' && !this.own ? [] : [{ type: textType, text: part.text, ...extra }];
      }
      case 'refusal':
        return [{ type: 'refusal', refusal: part.text }];
      case 'image':
        return [this.#image(part)];
      case 'file':
        return [this.#file(part)];
      case 'audio':
        return [this.#audio(part)];
      case 'raw':
        if (part.dialect === 'openai-responses') return [part.value];
        this.target.drop(typeof part.value.type === 'string' ? part.value.type : 'part');
        return [];
      default:
        return [];
    }
  }

  #image(part: ImagePart): JsonObject {
    const url = urlOfSource(part.source);
    if (part.source.kind === 'file' && !this.own)
      throw notAccepted({ zh: '其他服务的图片编号', en: 'images by an id of another service' });
    return compact({
      type: 'input_image',
      image_url: url,
      file_id: part.source.kind === 'file' ? part.source.id : undefined,
      // The service demands a word here.
      detail: part.detail ?? (this.own ? undefined : 'auto'),
      ...(this.own && part.extra),
    });
  }

  #file(part: FilePart): JsonObject {
    const { source } = part;
    const text = this.own ? undefined : textOfSource(source);
    if (text !== undefined) return { type: 'input_text', text };
    if (!this.own && source.mediaType?.startsWith('image/')) return this.#image({ type: 'image', source });
    if (this.own && part.isFilm) return this.#film(part);
    if (part.isFilm || (!this.own && source.mediaType?.startsWith('video/')))
      throw notAccepted({ zh: '视频', en: 'video' });
    if (!this.own && source.kind === 'file')
      throw notAccepted({ zh: '其他服务的文件编号', en: 'files by an id of another service' });
    return compact({
      type: 'input_file',
      filename: part.filename ?? part.title ?? (source.kind === 'data' && !this.own ? 'file.pdf' : undefined),
      file_data: source.kind === 'data' ? urlOfSource(source) : undefined,
      file_url: source.kind === 'url' ? source.url : undefined,
      file_id: source.kind === 'file' ? source.id : undefined,
      ...(this.own && part.extra),
    });
  }

  #film({ source, extra }: FilePart): JsonObject {
    const { video_url, ...more } = extra ?? {};
    const url = urlOfSource(source);
    const given = objectOf(video_url);
    return compact({ type: 'input_video', video_url: given ? { url, ...given } : url, ...more });
  }

  #audio({ source, format }: AudioPart): JsonObject {
    if (source.kind !== 'data') throw notAccepted({ zh: '以地址给出的音频', en: 'audio by address' });
    return {
      type: 'input_audio',
      input_audio: { data: source.data, format: format || audioFormat(source.mediaType) },
    };
  }
}

const isSpoken = (part: Part): part is TextPart | RefusalPart =>
  part.type === 'text' || part.type === 'refusal';

/** The fields of the message item that a part stood in. */
const itemOf = (part: Part | undefined): JsonObject | undefined =>
  part && isSpoken(part) ? objectOf(part.extra?.item) : undefined;
