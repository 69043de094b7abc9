/**
 * Forms with files, written to disk as they arrive: the model, which may stand at their end, decides where they go, and
 * a second channel may have to get them too. What goes up is made from the parts, with the model's name that the
 * upstream knows; never more than a piece of a file is in memory.
 */
import { fail } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { own } from '../../core/own.ts';
import type { Room } from '../../platform/body-budget.ts';
import { watchPace } from '../../platform/pace.ts';
import type { Form, SentForm, Upload } from '../request.ts';
import { FormReader, type Part, refuse } from './form-reader.ts';
import { openSpool, type Spool } from './spool.ts';

export interface UploadRoom {
  /** Files are written there; made when it is missing. */
  folder: string;
  room: Room;
  /** Of the fields, which are kept in memory. */
  texts: Room;
  withinMs?: number;
  /** How often it is looked whether enough has come. */
  paceMs?: number;
}

export const isForm = (headers: Headers): boolean =>
  /^multipart\/form-data\s*;/i.test(headers.get('content-type') ?? '');

/** Throws what is wrong with the form, and then nothing of it is kept. */
export async function readUpload(
  request: Request,
  { folder, room, texts, withinMs = limits.uploadReadMs, paceMs }: UploadRoom,
): Promise<Upload> {
  const { headers } = request;
  const encoding = headers.get('content-encoding');
  if (encoding && encoding.toLowerCase() !== 'identity') throw fail('body_encoding');
  if (Number(headers.get('content-length') ?? 0) > limits.multipartBytes) throw fail('body_too_large');
  const held = room.hold();
  const inMemory = texts.hold();
  const spool = await openSpool(folder, held, inMemory);
  let reader: FormReader | null = null;
  const late = () => reader?.stop(fail('body_timeout'));
  const pace = watchPace(late, paceMs);
  const haveCome = [held, inMemory].map((each) => each.comes((why) => reader?.stop(why)));
  try {
    reader = new FormReader(request, spool, inMemory, pace);
    return uploadOf(await within(withinMs, reader.read(), late), spool);
  } catch (error) {
    reader?.close();
    spool.release();
    throw request.signal.aborted ? fail('client_gone') : error;
  } finally {
    pace.end();
    for (const hasCome of haveCome) hasCome();
  }
}

async function within<T>(ms: number, work: Promise<T>, late: () => void): Promise<T> {
  const timer = setTimeout(late, ms);
  return work.finally(() => clearTimeout(timer));
}

function uploadOf(parts: readonly Part[], spool: Spool): Upload {
  const fields: JsonObject = {};
  for (const part of parts) {
    if (part.kind !== 'field') continue;
    const { name, value } = part;
    const known = own(fields, name);
    if (known === undefined) Object.defineProperty(fields, name, { value, ...PLAIN });
    else fields[name] = Array.isArray(known) ? [...known, value] : [known, value];
  }
  return {
    fields,
    files: parts.flatMap((part) => (part.kind === 'file' ? [part.file] : [])),
    held: spool,
    sent() {
      if (spool.readers === 0) spool.release();
    },
    formFor: (sent) => formOf(sentParts(parts, sent), spool),
    async bytesOf(file) {
      if (file.bytes > limits.inlineMediaBytes) {
        throw refuse({
          zh: `此模型的渠道最多接受 ${limits.inlineMediaBytes} 字节的文件`,
          en: `Channels of this model take files of at most ${limits.inlineMediaBytes} bytes.`,
        });
      }
      const part = parts.find((each) => each.kind === 'file' && each.file === file);
      if (part?.kind !== 'file') return new Uint8Array(0);
      const stretch = { start: part.start, bytes: file.bytes };
      return Buffer.concat(await Array.fromAsync(chunksOf([stretch], spool)));
    },
  };
}

/** Names come from callers: `__proto__` is a field like any other. */
const PLAIN = { enumerable: true, writable: true, configurable: true };

/** One model, first, whatever the caller wrote and however often. */
function sentParts(parts: readonly Part[], { model, fields, set = {} }: SentForm): Part[] {
  const stays = (name: string): boolean =>
    name !== 'model' && Object.hasOwn(fields, name) && !Object.hasOwn(set, name);
  return [
    { kind: 'field', name: 'model', value: model },
    ...parts.filter((part) => part.kind === 'file' || stays(part.name)),
    ...Object.entries(set).flatMap(([name, value]) => fieldsOf(name, value)),
  ];
}

/** Forms hold texts: a list is a field for each of its values. */
function fieldsOf(name: string, value: Json | undefined): Part[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each) => fieldsOf(name, each));
  return [{ kind: 'field', name, value: typeof value === 'string' ? value : JSON.stringify(value) }];
}

const encoder = new TextEncoder();
const PIECE_BYTES = 64 * 1024;

/** A piece of the form: bytes, or a stretch of the file on disk. */
type Piece = Uint8Array | { start: number; bytes: number };

const lengthOf = (piece: Piece): number => (piece instanceof Uint8Array ? piece.length : piece.bytes);

function formOf(parts: readonly Part[], spool: Spool): Form {
  const boundary = `form-${crypto.randomUUID()}`;
  const pieces = parts.flatMap((part): Piece[] => {
    const head = encoder.encode(`--${boundary}\r\n${headOf(part)}\r\n\r\n`);
    return [head, contentOf(part), encoder.encode('\r\n')];
  });
  pieces.push(encoder.encode(`--${boundary}--\r\n`));
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(pieces.reduce((sum, piece) => sum + lengthOf(piece), 0)),
    },
    body: () => streamOf(pieces, spool),
  };
}

function headOf(part: Part): string {
  if (part.kind === 'field') return `content-disposition: form-data; name="${quoted(part.name)}"`;
  const { name, filename, type } = part.file;
  return (
    `content-disposition: form-data; name="${quoted(name)}"; filename="${quoted(filename || 'file')}"\r\n` +
    `content-type: ${type}`
  );
}

const contentOf = (part: Part): Piece =>
  part.kind === 'field' ? encoder.encode(part.value) : { start: part.start, bytes: part.file.bytes };

/** As browsers do it, without what some readers take for an escape, or for the next parameter. */
const quoted = (text: string): string =>
  text
    .replaceAll('"', '%22')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A')
    .replaceAll(/[\\;=\p{Cc}]/gu, '_');

function streamOf(pieces: readonly Piece[], spool: Spool): ReadableStream<Uint8Array> {
  const chunks = chunksOf(pieces, spool);
  spool.readers++;
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await chunks.next();
      if (!done) return controller.enqueue(value);
      spool.readers--;
      controller.close();
    },
    cancel() {
      spool.readers--;
    },
  });
}

async function* chunksOf(pieces: readonly Piece[], spool: Spool): AsyncGenerator<Uint8Array, undefined> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) {
      yield piece;
      continue;
    }
    for (let at = 0; at < piece.bytes; ) {
      const buffer = new Uint8Array(Math.min(PIECE_BYTES, piece.bytes - at));
      const read = await spool.read(buffer, piece.start + at);
      if (read === 0) throw new Error('the form on disk is shorter than it was');
      at += read;
      yield buffer.subarray(0, read);
    }
  }
  return undefined;
}
