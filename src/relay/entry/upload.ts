/**
 * Forms with files, written to disk as they arrive: the model, which may stand at their end, decides where they go, and
 * a second channel may have to get them too. What goes up is made from the parts, with the model's name that the
 * upstream knows; never more than a piece of a file is in memory. The file has no name any more once it is open, so
 * that nothing of it is left however the process ends.
 */

import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { AudioLength } from '../../core/audio-length/audio-length.ts';
import { bufferOf } from '../../core/bytes.ts';
import { AppError, fail } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { own } from '../../core/own.ts';
import type { Text } from '../../core/text.ts';
import type { FormFile } from '../../dialects/dialect.ts';
import { namesOf } from '../../dialects/gateway-fields.ts';
import { readings } from '../../dialects/spelling.ts';
import type { HeldBytes, Room } from '../../platform/body-budget.ts';
import { gather, type Pieces } from '../../platform/gather.ts';
import { type Pace, watchPace } from '../../platform/pace.ts';
import type { Form, Held, SentForm, Upload } from '../request.ts';

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

type FilePart = { kind: 'file'; file: FormFile; start: number };
type Part = { kind: 'field'; name: string; value: string } | FilePart;

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

const refuse = (reason: Text) => fail('invalid_request', { params: { reason } });
const nameless = () => refuse({ zh: '表单的一部分没有名称', en: 'A part of the form has no name.' });
const misnamed = () =>
  refuse({
    zh: '表单中的名称应以字母或 _ 开头，且只能由字母、数字和 _ . [ ] - 组成',
    en: 'Names in a form begin with a letter or _ and are of letters, digits and _ . [ ] - alone.',
  });
const tooLong = () => refuse({ zh: '表单中有字段过长', en: 'A field of the form is too long.' });
const textsTooLong = () =>
  refuse({ zh: '表单的字段合计过长', en: 'The fields of the form are too long together.' });
const malformed = () => refuse({ zh: '请求内容不是合法的表单', en: 'The request body is not a valid form.' });

async function within<T>(ms: number, work: Promise<T>, late: () => void): Promise<T> {
  const timer = setTimeout(late, ms);
  return work.finally(() => clearTimeout(timer));
}

// ---- Reading -----------------------------------------------------------------------------------------------------

/** Feeds a form to its parser and keeps what comes out. */
class FormReader {
  readonly #parts: Part[] = [];
  readonly #parser;
  readonly #pieces: Pieces;
  /** Rejects with the first thing that is wrong. */
  readonly #failed = Promise.withResolvers<never>();
  #isStopped = false;
  /** The file that is being written; the next one waits for it. */
  #writing: Promise<void> = Promise.resolve();
  /** Of all fields with their names. */
  #textBytes = 0;
  /** Of what has come and is not on disk: fields, and a little of the file that is being written. */
  #inMemoryBytes = 0;

  constructor(
    request: Request,
    readonly spool: Spool,
    readonly inMemory: HeldBytes,
    readonly pace: Pace,
  ) {
    this.#pieces = gather(request.body);
    this.#failed.promise.catch(() => undefined);
    this.#parser = parserFor(request.headers.get('content-type') ?? '');
    const tooMany = () => this.stop(refuse({ zh: '表单的部分过多', en: 'The form has too many parts.' }));
    this.#parser
      .on('error', () => this.stop(malformed()))
      .on('partsLimit', tooMany)
      .on('filesLimit', tooMany)
      .on('fieldsLimit', tooMany)
      .on('field', (name, value, nameTruncated, valueTruncated) => {
        const wrong = wrongName(name);
        if (nameTruncated || valueTruncated) return this.stop(tooLong());
        if (wrong) return this.stop(wrong);
        this.#textBytes += Buffer.byteLength(name) + Buffer.byteLength(value);
        if (this.#textBytes > limits.formTextsBytes) return this.stop(textsTooLong());
        this.#parts.push({ kind: 'field', name, value });
      })
      .on('file', (name, stream, filename, _encoding, type) => {
        // A stream without a listener ends the process when it breaks.
        stream.on('error', () => this.stop(malformed()));
        const wrong = wrongName(name);
        if (wrong) return this.stop(wrong);
        if (isNoFile(name))
          return this.stop(
            refuse({ zh: '表单中的字段不能是文件', en: 'A field of the form must not be a file.' }),
          );
        const file = { name, filename, type: typeIn(type), bytes: 0, seconds: null, heldSeconds: null };
        const part: FilePart = { kind: 'file', file, start: 0 };
        this.#parts.push(part);
        this.#writing = this.#writing.then(() => keep(stream, part, this.spool));
        this.#writing.catch((error: unknown) => this.stop(error));
      });
  }

  async read(): Promise<Part[]> {
    const finished = new Promise<void>((resolve) => this.#parser.once('finish', resolve));
    let bytes = 0;
    for (;;) {
      const piece = await this.#orFailed(this.#pieces.next());
      if (!piece) break;
      bytes += piece.byteLength;
      this.pace.came(piece.byteLength);
      if (bytes > limits.multipartBytes) throw fail('body_too_large');
      this.#holdInMemory(bytes - this.spool.size);
      await this.#parse(bufferOf(piece));
    }
    // From here on it waits for our disk.
    this.pace.end();
    this.#parser.end();
    await this.#orFailed(finished);
    await this.#orFailed(this.#writing);
    this.inMemory.keep(this.#textBytes);
    return this.#parts;
  }

  /** The parser goes through all that it is given, whatever it finds on the way: so it gets little at a time. */
  async #parse(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length && !this.#isStopped; at += PARSED_AT_ONCE_BYTES) {
      const isFull = !this.#parser.write(bytes.subarray(at, at + PARSED_AT_ONCE_BYTES));
      if (isFull) await this.#orFailed(new Promise<void>((go) => this.#parser.once('drain', go)));
    }
  }

  /** A field takes room as it comes: the parser keeps it until it is whole. */
  #holdInMemory(bytes: number): void {
    if (bytes <= this.#inMemoryBytes) return;
    this.inMemory.grow(bytes - this.#inMemoryBytes);
    this.#inMemoryBytes = bytes;
  }

  stop(error: unknown): void {
    this.#isStopped = true;
    this.#failed.reject(error);
  }

  /** Lets go of everything; the rest of the body is not read. */
  close(): void {
    this.#pieces.cancel();
    this.#parser.destroy();
  }

  #orFailed<T>(work: Promise<T>): Promise<T> {
    return Promise.race([this.#failed.promise, work]);
  }
}

/** A bare boundary of one letter is a part: so many bytes have some 6,000, which take some milliseconds. */
const PARSED_AT_ONCE_BYTES = 32 * 1024;

/**
 * What a part tells of itself: its name, its type, how it is written and how long it is. A part whose name stands behind so
 * many is left out, as one that has none of these at all is: the parser tells nobody of either. It is neither charged nor
 * goes up, for what goes up is written anew from the parts that were found.
 */
const PART_HEADS = 16;

/**
 * Names are written into the heads of other parts, which readers understand in many ways: what one takes for an escaped
 * quote ends the name for another, and what follows it is a field that nobody has seen. So they are made of what has no
 * meaning there, and begin with what is part of every reading of them.
 */
const NAME = /^[a-z_][\w.[\]-]*$/i;
const wrongName = (name: string | undefined): AppError | null => {
  if (!name) return nameless();
  return NAME.test(name) ? null : misnamed();
};

const NO_FILES = namesOf(({ mayBeFile }) => mayBeFile !== true);
const isNoFile = (name: string): boolean => readings(name).some((reading) => NO_FILES.has(reading));

/** A disk that is full or broken is nobody's mistake who sends a form. */
const diskFault = (error: unknown): AppError =>
  error instanceof AppError
    ? error
    : fail('unavailable', { cause: error, internal: 'no form can be written' });

function parserFor(contentType: string) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        fieldNameSize: 256,
        fieldSize: limits.formFieldBytes,
        fields: limits.formFields,
        files: limits.formFiles,
        // It counts also what is neither, and tells nobody of it.
        parts: limits.formFields + limits.formFiles,
        headerPairs: PART_HEADS,
        headerSize: 16 * 1024,
      },
    });
  } catch {
    throw malformed();
  }
}

/** Rejects when the disk takes no more; a stream that breaks off is the parser's to tell. */
async function keep(stream: BusboyFileStream, part: FilePart, spool: Spool): Promise<void> {
  part.start = spool.size;
  const { file } = part;
  const length = new AudioLength();
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    file.bytes += chunk.length;
    length.push(chunk);
    await spool.write(chunk);
  }
  file.seconds = length.end();
  file.heldSeconds = length.held();
}

/** Parts follow one another in the body, so that they do on the disk. */
interface Spool extends Held {
  readonly size: number;
  /** How many read from it. */
  readers: number;
  write(bytes: Uint8Array): Promise<void>;
  /** Fills the buffer from there on; how many bytes there were. */
  read(into: Uint8Array, from: number): Promise<number>;
}

async function openSpool(folder: string, held: HeldBytes, inMemory: HeldBytes): Promise<Spool> {
  const handle = await openNameless(folder).catch((error: unknown) => {
    held.release();
    throw diskFault(error);
  });
  let size = 0;
  let isOpen = true;
  return {
    readers: 0,
    get size() {
      return size;
    },
    async write(bytes) {
      held.grow(bytes.length);
      const at = size;
      size += bytes.length;
      try {
        for (let done = 0; done < bytes.length; ) {
          const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at + done);
          done += bytesWritten;
        }
      } catch (error) {
        throw diskFault(error);
      }
    },
    async read(into, from) {
      return (await handle.read(into, 0, into.length, from)).bytesRead;
    },
    release() {
      held.release();
      inMemory.release();
      if (!isOpen) return;
      isOpen = false;
      // It has no name: closed, it is gone.
      void handle.close().catch(() => undefined);
    },
  };
}

async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, crypto.randomUUID());
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  return handle;
}

// ---- Writing -----------------------------------------------------------------------------------------------------

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

const typeIn = (type: string | undefined): string =>
  type && /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';

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
