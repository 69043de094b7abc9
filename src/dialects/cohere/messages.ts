/** Messages of Cohere's v2 wire, which resemble OpenAI's, both ways. Its tool plan is thinking to everyone else. */

import type { JsonObject } from '../../core/json.ts';
import { notAccepted } from '../bounds.ts';
import type { RequestTarget } from '../codec.ts';
import { wrapCustomInput } from '../custom-tools.ts';
import { compact, FieldTaker, hasFields, objectOf, objectsOf, oneOf, textOf } from '../fields.ts';
import { sourceOfUrl, textOfSource, urlOfSource } from '../media.ts';
import type {
  ChatRequest,
  Citation,
  FilePart,
  Message,
  Part,
  TextPart,
  ThinkingPart,
  ToolCallPart,
} from '../neutral.ts';

// ---- Reading -----------------------------------------------------------------------------------------------------

const ROLES = ['system', 'user', 'assistant', 'tool'] as const;

export const readMessages = (given: unknown): Message[] => objectsOf(given).map(readMessage);

function readMessage(given: JsonObject): Message {
  const fields = new FieldTaker(given);
  const role = fields.take('role', (value) => oneOf(textOf(value)?.toLowerCase(), ROLES)) ?? 'user';
  if (role === 'tool') {
    const id = fields.text('tool_call_id') ?? '';
    const content = readContent(fields.take('content', (value) => value));
    return compact({
      role,
      parts: [{ type: 'tool-result', id, kind: 'function', content }],
      extra: fields.rest,
    });
  }
  if (role === 'assistant') return compact({ role, parts: readAssistant(fields), extra: fields.rest });
  const content = fields.take('content', (value) => value);
  return compact({ role, parts: readContent(content), extra: fields.rest });
}

/** What an assistant says, of a history or an answer: its plan or its content, then its calls. */
export function readAssistant(fields: FieldTaker): Part[] {
  const plan = fields.text('tool_plan');
  const parts = readContent(fields.take('content', (value) => value));
  const citations = objectsOf(fields.list('citations'));
  const first = parts.find((part) => part.type === 'text');
  for (const citation of citations) cite(parts, first, citation);
  return [...(plan ? [planPart(plan)] : []), ...parts, ...objectsOf(fields.list('tool_calls')).map(readCall)];
}

export const planPart = (text: string): ThinkingPart => ({
  type: 'thinking',
  text,
  origin: 'cohere',
  extra: { tool_plan: true },
});

function readContent(content: unknown): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return objectsOf(content).map(readPart);
}

function readPart(given: JsonObject): Part {
  const fields = new FieldTaker(given);
  switch (fields.text('type')) {
    case 'text':
      return compact({ type: 'text', text: fields.text('text') ?? '', extra: fields.rest });
    case 'thinking':
      return compact({
        type: 'thinking',
        text: fields.text('thinking') ?? '',
        origin: 'cohere',
        extra: fields.rest,
      });
    case 'image_url': {
      const image = new FieldTaker(fields.object('image_url') ?? {});
      const source = sourceOfUrl(image.text('url') ?? '', 'image/png');
      const detail = image.take('detail', (value) => oneOf(value, ['low', 'high', 'auto']));
      const extra = image.rest ? { ...fields.rest, image_url: image.rest } : fields.rest;
      return compact({ type: 'image', source, detail, extra });
    }
    case 'document':
      return readDocument(given);
    default:
      return { type: 'raw', dialect: 'cohere', value: given };
  }
}

/** A document is text, or fields with texts; others get it as a text file. */
function readDocument(given: JsonObject): FilePart {
  const { document } = given;
  const data = objectOf(objectOf(document)?.data) ?? objectOf(document) ?? {};
  const text =
    textOf(document) ?? textOf(objectOf(document)?.data) ?? textOf(data.text) ?? textOf(data.snippet);
  return compact({
    type: 'file',
    source: {
      kind: 'data',
      mediaType: 'text/plain',
      data: Buffer.from(text ?? JSON.stringify(data)).toString('base64'),
    },
    title: textOf(data.title),
    extra: { document },
  });
}

export function readCall(given: JsonObject): ToolCallPart {
  const called = objectOf(given.function);
  const input = textOf(called?.arguments) ?? JSON.stringify(called?.arguments ?? {});
  return {
    type: 'tool-call',
    id: textOf(given.id) ?? '',
    name: textOf(called?.name) ?? '',
    input: saysNothing(input) ? '{}' : input,
    kind: 'function',
  };
}

/** The service says the arguments of a function without any in several ways. */
export const saysNothing = (input: string): boolean => input.trim() === '' || input.trim() === 'null';

/** Puts a citation on the text that it speaks of: the nth of the content, else the first. */
function cite(parts: readonly Part[], first: TextPart | undefined, given: JsonObject): void {
  const index = typeof given.content_index === 'number' ? given.content_index : -1;
  const cited = parts[index]?.type === 'text' ? parts[index] : first;
  if (!cited) return;
  cited.citations ??= [];
  cited.citations.push(readCitation(given));
}

export function readCitation(given: JsonObject): Citation {
  const source = objectsOf(given.sources)[0];
  const document = objectOf(source?.document) ?? objectOf(source?.tool_output) ?? {};
  const url = textOf(document.url);
  const { start, end } = given;
  return compact({
    kind: url === undefined ? 'document' : 'url',
    url,
    title: textOf(document.title) ?? textOf(source?.id),
    citedText: textOf(document.text) ?? textOf(document.snippet),
    start: typeof start === 'number' ? start : undefined,
    end: typeof end === 'number' ? end : undefined,
    raw: { dialect: 'cohere', value: given },
  });
}

// ---- Writing -----------------------------------------------------------------------------------------------------

export const writeMessages = (request: ChatRequest, target: RequestTarget): JsonObject[] =>
  request.messages.flatMap((message) => writeMessage(message, request.dialect === 'cohere', target));

function writeMessage(message: Message, own: boolean, target: RequestTarget): JsonObject[] {
  const extra = own ? message.extra : undefined;
  switch (message.role) {
    case 'tool':
      return message.parts.flatMap((part) =>
        part.type === 'tool-result'
          ? [
              {
                role: 'tool',
                tool_call_id: part.id,
                content: shortened(writeContent(part.content, own, target)),
                ...extra,
              },
            ]
          : [],
      );
    case 'assistant': {
      const written = writeAssistant(message.parts, own, target);
      return hasFields(written) || extra ? [{ role: 'assistant', ...written, ...extra }] : [];
    }
    default: {
      const role = message.role === 'user' ? 'user' : 'system';
      return [{ role, content: shortened(writeContent(message.parts, own, target)), ...extra }];
    }
  }
}

export function writeAssistant(
  parts: readonly Part[],
  own: boolean,
  target: Pick<RequestTarget, 'lost'>,
): JsonObject {
  const isPlan = (part: Part) => part.type === 'thinking' && part.extra?.tool_plan === true;
  const plans = parts.filter(isPlan);
  const content = writeContent(
    parts.filter((part) => part.type !== 'tool-call' && !isPlan(part)),
    own,
    target,
  );
  const calls = parts.filter((part) => part.type === 'tool-call');
  return compact({
    tool_plan: plans.length > 0 ? plans.map((part) => ('text' in part ? part.text : '')).join('') : undefined,
    content: content.length > 0 ? shortened(content) : undefined,
    tool_calls: calls.length > 0 ? calls.map(writeCall) : undefined,
    citations: citationsOf(parts),
  });
}

export const writeCall = (part: ToolCallPart): JsonObject => ({
  id: part.id,
  type: 'function',
  function: {
    name: part.name,
    arguments: part.kind === 'custom' ? JSON.stringify(wrapCustomInput(part.input)) : part.input,
  },
});

function citationsOf(parts: readonly Part[]): JsonObject[] | undefined {
  const texts = parts.filter((part): part is TextPart => part.type === 'text');
  const citations = texts.flatMap((part) =>
    (part.citations ?? []).map((citation) => writeCitation(citation, part.text)),
  );
  return citations.length > 0 ? citations : undefined;
}

export function writeCitation(citation: Citation, text: string): JsonObject {
  if (citation.raw.dialect === 'cohere') return citation.raw.value;
  const start = citation.start ?? 0;
  const end = citation.end ?? text.length;
  const document = compact({ url: citation.url, title: citation.title, text: citation.citedText });
  return {
    start,
    end,
    text: text.slice(start, end),
    sources: [{ type: 'document', id: citation.url ?? citation.title ?? '', document }],
    type: 'TEXT_CONTENT',
  };
}

/** A text alone may stand as a string. */
function shortened(content: JsonObject[]): string | JsonObject[] {
  const [only] = content;
  if (!only) return '';
  return content.length === 1 && only.type === 'text' && Object.keys(only).length === 2
    ? String(only.text)
    : content;
}

function writeContent(
  parts: readonly Part[],
  own: boolean,
  target: Pick<RequestTarget, 'lost'>,
): JsonObject[] {
  return parts.flatMap((part) => {
    const written = writePart(part, target);
    return written ? [own && 'extra' in part ? { ...written, ...part.extra } : written] : [];
  });
}

function writePart(part: Part, target: Pick<RequestTarget, 'lost'>): JsonObject | undefined {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? undefined : { type: 'text', text: part.text };
    case 'thinking':
      if (part.origin === 'cohere') return { type: 'thinking', thinking: part.text };
      target.lost('thinking');
      return undefined;
    case 'image': {
      const url = urlOfSource(part.source);
      if (url === undefined) throw notAccepted({ zh: '以文件编号给出的图片', en: 'images by file id' });
      return { type: 'image_url', image_url: compact({ url, detail: part.detail }) };
    }
    case 'file':
      return writeFile(part);
    case 'audio':
      if (part.transcript !== undefined) return { type: 'text', text: part.transcript };
      throw notAccepted({ zh: '音频输入', en: 'audio input' });
    case 'raw':
      if (part.dialect === 'cohere') return part.value;
      target.lost('server tool call');
      return undefined;
    default:
      return undefined;
  }
}

/** A text file is a document; the service takes no others in a message. */
function writeFile(part: FilePart): JsonObject {
  const text = textOfSource(part.source);
  if (text === undefined) throw notAccepted({ zh: '非文本的文件', en: 'files that are no text' });
  const title = part.title ?? part.filename;
  return { type: 'document', document: { data: compact({ title, text }) } };
}
