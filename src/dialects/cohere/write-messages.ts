/** Messages of requests in Cohere's v2 words, which resemble OpenAI's. */
import type { JsonObject } from '../../core/json.ts';
import { plainName } from '../../core/model-families.ts';
import { notAccepted } from '../bounds.ts';
import type { RequestTarget } from '../codec.ts';
import { wrapCustomInput } from '../custom-tools.ts';
import { compact, hasFields } from '../fields.ts';
import { urlOfSource } from '../media.ts';
import { textOfSource } from '../media-kind.ts';
import type {
  ChatRequest,
  Citation,
  FilePart,
  Message,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../neutral.ts';
import { readInWords } from '../result-words.ts';

export function writeMessages(request: ChatRequest, target: RequestTarget): JsonObject[] {
  const written: JsonObject[] = [];
  /** Pictures of results, which only a message of the user may carry; it follows the last result. */
  let beside: JsonObject[] = [];
  const showBeside = () => {
    if (beside.length > 0) written.push({ role: 'user', content: beside });
    beside = [];
  };
  for (const message of request.messages) {
    if (message.role !== 'tool') {
      showBeside();
      written.push(...writeMessage(message, target));
      continue;
    }
    for (const part of message.parts) {
      if (part.type !== 'tool-result') continue;
      const { result, pictures } = writeResult(part, target);
      written.push(result);
      beside.push(...pictures);
    }
  }
  showBeside();
  return written;
}

/** A result is a text or a document, and never nothing. */
function writeResult(
  part: ToolResultPart,
  target: RequestTarget,
): { result: JsonObject; pictures: JsonObject[] } {
  const content = writeContent(readInWords(part, readsAt(target.model), target.drop), target);
  const pictures = content.filter(isPicture);
  const said = shortened(content.filter((written) => !isPicture(written)));
  const unsaid = pictures.length > 0 ? '(picture below)' : '(no content)';
  return { result: { role: 'tool', tool_call_id: part.id, content: said || unsaid }, pictures };
}

const isPicture = ({ type }: JsonObject): boolean => type === 'image_url';

/** Its models that see nothing (docs.cohere.com, Models). */
const BLIND = /^command(?:$|-(?:r|light|nightly|a-(?:03-2025|reasoning|translate)))/;

const readsAt =
  (model: string) =>
  (part: Part): boolean => {
    if (part.type === 'file') return textOfSource(part.source) !== undefined;
    if (part.type === 'image') return urlOfSource(part.source) !== undefined && !BLIND.test(plainName(model));
    return part.type !== 'audio' || part.transcript !== undefined;
  };

function writeMessage(message: Message, target: RequestTarget): JsonObject[] {
  switch (message.role) {
    case 'assistant': {
      const written = writeAssistant(message.parts, target);
      return hasFields(written) ? [{ role: 'assistant', ...written }] : [];
    }
    default: {
      const role = message.role === 'user' ? 'user' : 'system';
      return [{ role, content: shortened(writeContent(message.parts, target)) }];
    }
  }
}

function writeAssistant(parts: readonly Part[], target: RequestTarget): JsonObject {
  const content = writeContent(parts, target);
  const calls = parts.filter((part) => part.type === 'tool-call');
  return compact({
    content: content.length > 0 ? shortened(content) : undefined,
    tool_calls: calls.length > 0 ? calls.map(writeCall) : undefined,
    citations: citationsOf(parts),
  });
}

const writeCall = (part: ToolCallPart): JsonObject => ({
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
    (part.citations ?? []).filter(hasSource).map((citation) => writeCitation(citation, part.text.length)),
  );
  return citations.length > 0 ? citations : undefined;
}

const hasSource = ({ url, title, citedText }: Citation): boolean =>
  url !== undefined || title !== undefined || citedText !== undefined;

/** Of the text that it speaks of, of so many characters, it tells the place: many may speak of the whole. */
function writeCitation(citation: Citation, length: number): JsonObject {
  const document = compact({ url: citation.url, title: citation.title, text: citation.citedText });
  return {
    start: citation.start ?? 0,
    end: citation.end ?? length,
    sources: [{ type: 'document', id: citation.url ?? citation.title ?? '', document }],
    type: 'TEXT_CONTENT',
  };
}

/** A text alone may stand as a string. */
function shortened(content: JsonObject[]): string | JsonObject[] {
  const [only] = content;
  if (!only) return '';
  return content.length === 1 && only.type === 'text' ? String(only.text) : content;
}

const writeContent = (parts: readonly Part[], target: RequestTarget): JsonObject[] =>
  parts.map((part) => writePart(part, target)).filter((written) => written !== undefined);

function writePart(part: Part, target: RequestTarget): JsonObject | undefined {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? undefined : { type: 'text', text: part.text };
    case 'thinking':
      if (part.origin === 'cohere') return { type: 'thinking', thinking: part.text };
      target.drop('thinking');
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
      target.drop('server tool call');
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
