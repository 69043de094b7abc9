/** Parts of Gemini's contents into parts of the neutral model. */
import type { JsonObject } from '../../core/json.ts';
import type { CallIds } from '../call-ids.ts';
import { uncarry } from '../carried.ts';
import { compact, FieldTaker, objectOf, objectsOf, textOf } from '../fields.ts';
import { audioFormat, sourceIn, sourceOfUrl } from '../media.ts';
import type {
  AudioPart,
  FilePart,
  ImagePart,
  MediaSource,
  Part,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from '../neutral.ts';
import type { CodeOutput } from './code-output.ts';
import { camelFields } from './names.ts';

export function readPart(given: JsonObject, ids: CallIds): Part {
  const part = camelFields(given);
  if (typeof part.text === 'string') return part.thought === true ? readThought(part) : readText(part);
  if (objectOf(part.inlineData)) return readMedia(part, 'inlineData') ?? raw(part);
  if (objectOf(part.fileData)) return readMedia(part, 'fileData') ?? raw(part);
  const call = objectOf(part.functionCall);
  if (call) return readCall(part, camelFields(call), ids);
  const response = objectOf(part.functionResponse);
  if (response) return readResponse(part, camelFields(response), ids);
  return raw(part);
}

/** The same of an answer, whose code may have plotted it. */
export function readAnswered(given: JsonObject, ids: CallIds, code: CodeOutput): Part {
  const isPlot = code.plots(given);
  const part = readPart(given, ids);
  return isPlot && part.type === 'image' ? { ...part, isPlot } : part;
}

const raw = (value: JsonObject): Part => ({ type: 'raw', dialect: 'gemini', value });

function readText(part: JsonObject): Part {
  const fields = new FieldTaker(part);
  return compact({
    type: 'text',
    text: fields.text('text') ?? '',
    signature: fields.text('thoughtSignature'),
    extra: fields.rest,
  });
}

function readThought(part: JsonObject): ThinkingPart {
  const fields = new FieldTaker(part);
  const text = fields.text('text') ?? '';
  fields.flag('thought');
  return compact({ type: 'thinking', text, ...proofOf(fields.text('thoughtSignature')), extra: fields.rest });
}

const proofOf = (signature: string | undefined): Pick<ThinkingPart, 'signature' | 'origin'> =>
  signature === undefined ? { origin: 'gemini' } : uncarry(signature, 'gemini');

function readMedia(part: JsonObject, kind: 'inlineData' | 'fileData'): Part | undefined {
  const fields = new FieldTaker(part);
  const media = new FieldTaker(camelFields(fields.object(kind) ?? {}));
  const mediaType = media.text('mimeType') ?? '';
  const source = readSource(media, kind, mediaType);
  if (!source) return undefined;
  const isFile = !/^(image|audio)\//.test(mediaType);
  // A name has its place in files only; elsewhere it goes back as a field of the media.
  const filename = isFile ? media.text('displayName') : undefined;
  const signature = mediaType.startsWith('image/') ? fields.text('thoughtSignature') : undefined;
  const extra = media.rest ? { ...fields.rest, [kind]: media.rest } : fields.rest;
  if (isFile) return compact<FilePart>({ type: 'file', source, filename, extra });
  return mediaType.startsWith('image/')
    ? compact<ImagePart>({ type: 'image', source, signature, extra })
    : compact<AudioPart>({ type: 'audio', source, format: audioFormat(mediaType), extra });
}

function readSource(media: FieldTaker, kind: string, mediaType: string): MediaSource | undefined {
  if (kind === 'inlineData') {
    const data = media.text('data');
    return data === undefined ? undefined : sourceIn(data, mediaType);
  }
  const url = media.text('fileUri');
  return url === undefined ? undefined : sourceOfUrl(url, mediaType || undefined, 'fileUri');
}

function readCall(part: JsonObject, call: JsonObject, ids: CallIds): ToolCallPart {
  const fields = new FieldTaker(part);
  fields.object('functionCall');
  const said = new FieldTaker(call);
  const name = said.text('name') ?? '';
  const id = ids.call(name, said.text('id'));
  const input = JSON.stringify(said.object('args') ?? {});
  const signature = fields.text('thoughtSignature');
  const extra = said.rest ? { ...fields.rest, functionCall: said.rest } : fields.rest;
  return compact({ type: 'tool-call', id, name, input, kind: 'function', signature, extra });
}

function readResponse(part: JsonObject, response: JsonObject, ids: CallIds): ToolResultPart {
  const fields = new FieldTaker(part);
  fields.object('functionResponse');
  const said = new FieldTaker(response);
  const name = said.text('name') ?? '';
  const id = ids.response(name, said.text('id'));
  const value = said.object('response') ?? {};
  const media = objectsOf(said.list('parts')).map((inner) => readPart(inner, ids));
  const extra = said.rest ? { ...fields.rest, functionResponse: said.rest } : fields.rest;
  return compact({
    type: 'tool-result',
    id,
    name,
    content: [{ type: 'text', text: resultText(value) }, ...media],
    isError: (Object.keys(value).length === 1 && value.error !== undefined) || undefined,
    kind: 'function',
    value,
    extra,
  });
}

/** The service wants an object, so that a plain text stands alone under one of these names. */
const WRAPPERS = new Set(['result', 'output', 'content', 'error']);

function resultText(value: JsonObject): string {
  const [name, ...more] = Object.keys(value);
  const only =
    name !== undefined && more.length === 0 && WRAPPERS.has(name) ? textOf(value[name]) : undefined;
  return only ?? JSON.stringify(value);
}
