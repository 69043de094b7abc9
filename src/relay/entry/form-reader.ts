/** Reads a form as it comes: its fields, and its files onto the disk. */
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { AudioLength } from '../../core/audio-length/audio-length.ts';
import { bufferOf } from '../../core/bytes.ts';
import { type AppError, fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { Text } from '../../core/text.ts';
import type { FormFile } from '../../dialects/dialect.ts';
import { namesOf } from '../../dialects/gateway-fields.ts';
import { readings } from '../../dialects/spelling.ts';
import type { HeldBytes } from '../../platform/body-budget.ts';
import { gather, type Pieces } from '../../platform/gather.ts';
import type { Pace } from '../../platform/pace.ts';
import type { Spool } from './spool.ts';

type FilePart = { kind: 'file'; file: FormFile; start: number };
export type Part = { kind: 'field'; name: string; value: string } | FilePart;

export const refuse = (reason: Text) => fail('invalid_request', { params: { reason } });
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

/** Feeds a form to its parser and keeps what comes out. */
export class FormReader {
  readonly #parts: Part[] = [];
  readonly #parser;
  readonly #pieces: Pieces;
  /** The first thing that is wrong. */
  #fault: { error: unknown } | null = null;
  /** Tells it to whoever waits for something. */
  #tell: ((error: unknown) => void) | null = null;
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
    for (let at = 0; at < bytes.length && !this.#fault; at += PARSED_AT_ONCE_BYTES) {
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
    this.#fault ??= { error };
    this.#tell?.(this.#fault.error);
  }

  /** Lets go of everything; the rest of the body is not read. */
  close(): void {
    this.#pieces.cancel();
    this.#parser.destroy();
  }

  /** One is waited for at a time. A race with one promise of a fault would leave something in that for each piece. */
  #orFailed<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      work.then(resolve, reject);
      this.#tell = reject;
      if (this.#fault) reject(this.#fault.error);
    });
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

const typeIn = (type: string | undefined): string =>
  type && /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';

const NO_FILES = namesOf(({ mayBeFile }) => mayBeFile !== true);
const isNoFile = (name: string): boolean => readings(name).some((reading) => NO_FILES.has(reading));

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
