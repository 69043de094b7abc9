/** Neutral messages as those of a chat request. */

import type { JsonObject } from '../../core/json.ts';
import { joinedThinking } from '../accumulate.ts';
import { notAccepted } from '../bounds.ts';
import type { RequestTarget } from '../codec.ts';
import { wrapCustomInput } from '../custom-tools.ts';
import { compact, hasFields, objectOf, textOf } from '../fields.ts';
import { audioFormat, urlOfSource } from '../media.ts';
import { textOfSource } from '../media-kind.ts';
import type {
  AudioPart,
  ChatRequest,
  FilePart,
  ImagePart,
  Message,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../neutral.ts';
import { resultInWords } from '../result-words.ts';
import { writeOwnDetail } from './thinking-details.ts';
import { writeCache } from './tools.ts';

export function writeMessages(request: ChatRequest, target: RequestTarget): JsonObject[] {
  const writer = new MessageWriter(request, target);
  for (const message of request.messages) writer.write(message);
  return writer.finish();
}

class MessageWriter {
  readonly #written: JsonObject[] = [];
  /** Images and files of tool results, which only a message of the user may carry; it follows the last result. */
  #beside: JsonObject[] = [];
  readonly #own: boolean;

  constructor(
    request: ChatRequest,
    readonly target: RequestTarget,
  ) {
    this.#own = request.dialect === 'openai-chat';
  }

  write(message: Message): void {
    if (message.role === 'tool') {
      for (const part of message.parts) {
        if (part.type === 'tool-result') this.#written.push(this.#result(part, message));
        else this.#beside.push(...this.#part(part));
      }
      return;
    }
    this.#flushBeside();
    this.#written.push(...(message.role === 'assistant' ? this.#assistant(message) : [this.#plain(message)]));
  }

  finish(): JsonObject[] {
    this.#flushBeside();
    return this.#written;
  }

  #flushBeside(): void {
    if (this.#beside.length > 0) this.#written.push({ role: 'user', content: this.#beside });
    this.#beside = [];
  }

  #plain(message: Message): JsonObject {
    return {
      role: message.role,
      content: this.#content(message.parts, message.role === 'user' ? null : '\n') ?? '',
      ...(message.name !== undefined && { name: message.name }),
      ...(this.#own && message.extra),
    };
  }

  /** A turn of which nothing is left is none. */
  #assistant(message: Message): JsonObject[] {
    const calls = message.parts.filter((part) => part.type === 'tool-call');
    const legacy = this.#own && calls.find((call) => call.extra?.function_call);
    const said = message.parts.flatMap((part) =>
      this.#own ? ownContent(part, message) : this.#asText(part),
    );
    const content = this.#content(said, '');
    const reasoning = this.#reasoning(message.parts);
    const isLeft = content !== null || calls.length > 0 || hasFields(reasoning);
    if (!this.#own && message.parts.length > 0 && !isLeft) return [];
    return [
      {
        role: 'assistant',
        content: content ?? (calls.length > 0 || message.extra?.audio ? null : ''),
        ...(message.name !== undefined && { name: message.name }),
        ...reasoning,
        ...(legacy
          ? { function_call: { name: legacy.name, arguments: legacy.input } }
          : calls.length > 0 && { tool_calls: calls.map((call) => this.#call(call)) }),
        ...(this.#own && message.extra),
      },
    ];
  }

  /** What an assistant of another dialect said, in the one form that every upstream takes back from an assistant. */
  #asText(part: Part): Part[] {
    switch (part.type) {
      case 'text':
        return [part];
      case 'refusal':
        return [{ type: 'text', text: part.text }];
      case 'audio':
        return part.transcript === undefined ? [] : [{ type: 'text', text: part.transcript }];
      case 'tool-call':
      case 'thinking':
        return [];
      default:
        this.target.drop(part.type === 'raw' ? (textOf(part.value.type) ?? 'part') : part.type);
        return [];
    }
  }

  #reasoning(parts: readonly Part[]): JsonObject {
    const thinking = parts.filter((part) => part.type === 'thinking');
    // Its own dialect keeps the fields as they were spelled among the message's own.
    if (thinking.length === 0 || this.#own) return {};
    const { extensions } = this.target;
    const details = extensions?.has('reasoning_details') ? thinking.map(writeOwnDetail) : [];
    const proven = details.filter((detail) => detail !== undefined);
    const text = extensions?.has('reasoning_content') ? joinedThinking(thinking) : '';
    if (text === '' && proven.length === 0) this.target.drop('thinking');
    return {
      ...(text !== '' && { reasoning_content: text }),
      ...(proven.length > 0 && { reasoning_details: proven }),
    };
  }

  #call(part: ToolCallPart): JsonObject {
    const { id, name, input } = part;
    const signature = this.#own ? part.signature : undefined;
    const custom = part.kind === 'custom' && (this.#own || this.target.extensions?.has('custom_tools'));
    return {
      id,
      ...(custom
        ? { type: 'custom', custom: { name, input } }
        : {
            type: 'function',
            function: {
              name,
              arguments: part.kind === 'custom' ? JSON.stringify(wrapCustomInput(input)) : input,
            },
          }),
      ...(signature !== undefined && { extra_content: { google: { thought_signature: signature } } }),
      ...(this.#own && part.extra),
    };
  }

  #result(part: ToolResultPart, message: Message): JsonObject {
    const said = resultInWords(part);
    const texts = said.filter((inner) => inner.type === 'text');
    const others = said.filter((inner) => inner.type !== 'text');
    // Its own dialect took the other parts once, and may take them again.
    const content = this.#content(this.#own ? said : texts, '\n') ?? '';
    if (!this.#own) this.#beside.push(...others.flatMap((inner) => this.#part(inner)));
    if (this.#own && part.extra?.function) return { role: 'function', name: part.name, content };
    return {
      role: 'tool',
      tool_call_id: part.id,
      ...(this.#own && part.extra?.name !== undefined && { name: part.extra.name }),
      content,
      ...(this.#own && message.extra),
    };
  }

  /**
   * Text stands as a string, anything else as a list; null for nothing. Many upstreams take lists from users only, so
   * that texts of others are joined by `glue` where their dialect does not say that a list was meant.
   */
  #content(parts: readonly Part[], glue: string | null): string | JsonObject[] | null {
    if (parts.length === 0) return null;
    const plain = parts.every((part) => part.type === 'text' && !this.#says(part));
    if (plain && (parts.length === 1 || (glue !== null && !this.#own))) {
      return parts.map((part) => (part.type === 'text' ? part.text : '')).join(glue ?? '');
    }
    const written = parts.flatMap((part) => this.#part(part));
    return written.length > 0 ? written : null;
  }

  /** Whether a text says more than its text here. */
  #says(part: TextPart): boolean {
    const marked = part.cache !== undefined && (this.#own || this.target.extensions?.has('cache_control'));
    return marked === true || (this.#own && part.extra !== undefined);
  }

  #part(part: Part): JsonObject[] {
    switch (part.type) {
      case 'text':
        return part.text === '' && !this.#own ? [] : [this.#text(part)];
      case 'image':
        return [this.#image(part)];
      case 'audio':
        return [this.#audio(part)];
      case 'file':
        return [this.#file(part)];
      case 'refusal':
        return [this.#own ? { type: 'refusal', refusal: part.text } : { type: 'text', text: part.text }];
      case 'thinking':
        return [{ type: 'thinking', thinking: [{ type: 'text', text: part.text }] }];
      case 'raw':
        if (part.dialect === 'openai-chat') return [part.value];
        this.target.drop(typeof part.value.type === 'string' ? part.value.type : 'part');
        return [];
      default:
        return [];
    }
  }

  #text(part: TextPart): JsonObject {
    return { type: 'text', text: part.text, ...this.#cache(part), ...(this.#own && part.extra) };
  }

  #image(part: ImagePart): JsonObject {
    const url = urlOfSource(part.source);
    if (url === undefined) throw notAccepted({ zh: '以文件编号给出的图片', en: 'images by file id' });
    const { image_url, ...extra } = (this.#own && part.extra) || {};
    return {
      type: 'image_url',
      image_url: compact({ url, detail: part.detail, ...objectOf(image_url) }),
      ...this.#cache(part),
      ...extra,
    };
  }

  #audio({ source, format }: AudioPart): JsonObject {
    if (source.kind === 'file' || (source.kind === 'url' && !this.#own))
      throw notAccepted({ zh: '以地址给出的音频', en: 'audio by address' });
    const data = source.kind === 'url' ? source.url : source.data;
    return {
      type: 'input_audio',
      input_audio: { data, format: format || audioFormat(source.mediaType ?? '') },
    };
  }

  #file(part: FilePart): JsonObject {
    const { source, filename, title } = part;
    const { extensions } = this.target;
    const mediaType = source.mediaType ?? '';
    if (part.isFilm || mediaType.startsWith('video/')) {
      const url = urlOfSource(source);
      if (url === undefined || !(this.#own || extensions?.has('video_url')))
        throw notAccepted({ zh: '视频', en: 'video' });
      const { video_url, ...extra } = (this.#own && part.extra) || {};
      return {
        type: 'video_url',
        video_url: { url, ...objectOf(video_url) },
        ...this.#cache(part),
        ...extra,
      };
    }
    const text = this.#own ? undefined : textOfSource(source);
    if (text !== undefined) return { type: 'text', text, ...this.#cache(part) };
    if (!this.#own && mediaType.startsWith('image/')) {
      return { type: 'image_url', image_url: { url: urlOfSource(source) } };
    }
    const { file, ...extra } = (this.#own && part.extra) || {};
    return {
      type: 'file',
      file: compact({ filename: filename ?? title, ...this.#fileSource(part), ...objectOf(file) }),
      ...this.#cache(part),
      ...extra,
    };
  }

  #fileSource({ source }: FilePart): JsonObject {
    if (source.kind === 'data') return { file_data: urlOfSource(source) };
    if (source.kind === 'url') {
      if (this.#own || this.target.extensions?.has('file_url')) return { file_url: source.url };
      throw notAccepted({ zh: '以地址给出的文件', en: 'files by address' });
    }
    if (!this.#own) throw notAccepted({ zh: '其他服务的文件编号', en: 'files by an id of another service' });
    return { file_id: source.id };
  }

  #cache({ cache }: { cache?: { ttl: '5m' | '1h' } }): JsonObject {
    if (!cache) return {};
    if (this.#own || this.target.extensions?.has('cache_control'))
      return { cache_control: writeCache(cache) };
    this.target.drop('cache_control');
    return {};
  }
}

/** The parts that stood in the content; what stood in fields beside it is kept among the message's own. */
function ownContent(part: Part, { extra }: Message): Part[] {
  switch (part.type) {
    case 'tool-call':
      return [];
    case 'audio':
    case 'image':
      return part.extra?.beside ? [] : [part];
    case 'thinking':
      return part.extra?.content ? [part] : [];
    case 'refusal':
      return extra?.refusal === part.text ? [] : [part];
    default:
      return [part];
  }
}
