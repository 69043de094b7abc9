/** Parts of the neutral model into parts of Gemini's contents. */
import type { ObjectIn } from '../../core/inner-json.ts';
import type { JsonObject } from '../../core/json.ts';
import { argumentsOf } from '../accumulate.ts';
import { isMadeId } from '../call-ids.ts';
import { carry } from '../carried.ts';
import { wrapCustomInput } from '../custom-tools.ts';
import { compact, objectOf } from '../fields.ts';
import { audioType, typeOfName } from '../media.ts';
import type { MediaSource, Part, ThinkingPart, ToolCallPart, ToolResultPart } from '../neutral.ts';
import { saidInWords } from '../result-words.ts';

/** Whom the parts are for: a model reads only what is its own, a caller gets everything in some form. */
export interface PartTarget {
  forModel: boolean;
  /** Whether the parts came from this dialect, so that their extra fields and ids belong here. */
  own: boolean;
  /** Whether results may hold pictures and other files; for an older model these stand beside them. */
  filesInResults: boolean;
  /** The object of a call's or a result's text, where that is one. */
  objectIn: ObjectIn;
  drop(what: string): void;
}

/** The parts that this dialect has, without those that it cannot take. Empty text is nothing. */
export const writeParts = (parts: readonly Part[], to: PartTarget): JsonObject[] =>
  parts.flatMap((part) => {
    const written = writePart(part, to);
    const beside = part.type === 'tool-result' && !to.filesInResults ? writeParts(filesOf(part), to) : [];
    return written ? [to.own && 'extra' in part ? withExtra(written, part.extra) : written, ...beside] : [];
  });

const filesOf = ({ content }: ToolResultPart) =>
  content.filter(({ type }) => type === 'image' || type === 'audio' || type === 'file');

/** Extra fields may stand inside an object that both sides know. */
function withExtra(part: JsonObject, extra: JsonObject | undefined): JsonObject {
  const out = { ...part };
  for (const [name, value] of Object.entries(extra ?? {})) {
    const [known, more] = [objectOf(out[name]), objectOf(value)];
    out[name] = known && more ? { ...known, ...more } : value;
  }
  return out;
}

export function writePart(part: Part, to: PartTarget): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return part.text === '' && part.signature === undefined && !to.own
        ? undefined
        : compact({ text: part.text, thoughtSignature: part.signature });
    case 'refusal':
      return part.text === '' ? undefined : { text: part.text };
    case 'image':
      return compact({ ...writeSource(part.source, 'image/jpeg'), thoughtSignature: part.signature });
    case 'audio':
      return writeSource(part.source, audioType(part.format));
    case 'file':
      return writeSource(part.source, typeOfName(part.filename ?? '') ?? 'application/pdf', part.filename);
    case 'thinking':
      return writeThought(part, to);
    case 'tool-call':
      return writeCall(part, to);
    case 'tool-result':
      return writeResponse(part, to);
    case 'raw':
      if (part.dialect === 'gemini') return part.value;
      to.drop('server tool call');
      return undefined;
  }
}

/** Reasoning with its proof. A model is never shown what another one thought. */
function writeThought(part: ThinkingPart, to: PartTarget): JsonObject | undefined {
  const own = part.origin === 'gemini';
  if (to.forModel && !own) {
    to.drop('thinking');
    return undefined;
  }
  return compact({ text: part.text, thought: true, thoughtSignature: own ? part.signature : carry(part) });
}

/** Ids that the service did not give would only be fields that its older versions refuse. */
const idFor = (id: string, to: PartTarget): string | undefined =>
  id === '' || (to.forModel && (!to.own || isMadeId(id))) ? undefined : id;

function writeCall(part: ToolCallPart, to: PartTarget): JsonObject {
  return compact({
    functionCall: compact({
      id: idFor(part.id, to),
      name: part.name,
      args: part.kind === 'custom' ? wrapCustomInput(part.input) : argumentsOf(part.input, to.objectIn),
    }),
    thoughtSignature: part.signature,
  });
}

function writeResponse(part: ToolResultPart, to: PartTarget): JsonObject {
  const text = saidInWords(part)
    .map((inner) => (inner.type === 'text' ? inner.text : ''))
    .join('');
  const files = to.filesInResults ? filesOf(part) : [];
  return {
    functionResponse: compact({
      id: idFor(part.id, to),
      name: part.name ?? part.id,
      response: objectOf(part.value) ?? resultOf(text, part.isError === true, to),
      parts: files.length > 0 ? writeParts(files, to) : undefined,
    }),
  };
}

/** A result that is a JSON object is that object; anything else stands under a name of its own, as each failure does. */
function resultOf(text: string, isError: boolean, { objectIn }: PartTarget): JsonObject {
  const said = objectIn(text);
  if (!isError) return said ?? { result: text };
  return said?.error === undefined ? { error: said ?? text } : said;
}

function writeSource(source: MediaSource, likelyType: string, displayName?: string): JsonObject {
  switch (source.kind) {
    case 'data':
      return {
        inlineData: compact({ mimeType: source.mediaType || likelyType, data: source.data, displayName }),
      };
    case 'url': {
      const mimeType = source.mediaType ?? typeOfName(source.url) ?? likelyType;
      return { fileData: compact({ mimeType, fileUri: source.url, displayName }) };
    }
    case 'file':
      return {
        fileData: compact({ mimeType: source.mediaType ?? likelyType, fileUri: source.id, displayName }),
      };
  }
}
