/**
 * Forms with files, written to disk as they arrive: the model, which may stand at their end, decides where they go, and
 * a second channel may have to get them too.
 */

import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { AudioLength } from '../../core/audio-length/audio-length.ts';
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { Text } from '../../core/text.ts';
import { namesOf } from '../../dialects/gateway-fields.ts';
import { folded } from '../../dialects/spelling.ts';
import type { Upload } from '../request.ts';
import type { Room } from './body.ts';
import { type FilePart, type Part, uploadOf } from './sent-form.ts';
import { openSpool, type Spool } from './upload-spool.ts';

export interface UploadRoom {
  /** Files are written there; made when it is missing. */
  folder: string;
  room: Room;
  withinMs?: number;
}

export const isForm = (headers: Headers): boolean =>
  /^multipart\/form-data\s*;/i.test(headers.get('content-type') ?? '');

/** Throws what is wrong with the form, and then nothing of it is kept. */
export async function readUpload(
  request: Request,
  { folder, room, withinMs = limits.uploadReadMs }: UploadRoom,
): Promise<Upload> {
  const { headers } = request;
  const encoding = headers.get('content-encoding');
  if (encoding && encoding.toLowerCase() !== 'identity') throw fail('body_encoding');
  if (Number(headers.get('content-length') ?? 0) > limits.multipartBytes) throw fail('body_too_large');
  const spool = await openSpool(folder, room.hold());
  let reader: FormReader | null = null;
  try {
    reader = new FormReader(request, spool);
    const late = () => reader?.stop(fail('body_timeout'));
    return uploadOf(await within(withinMs, reader.read(), late), spool);
  } catch (error) {
    reader?.close();
    spool.release();
    throw request.signal.aborted ? fail('client_gone') : error;
  }
}

const refuse = (reason: Text) => fail('invalid_request', { params: { reason } });
const nameless = () => refuse({ zh: '表单的一部分没有名称', en: 'A part of the form has no name.' });
const malformed = () => refuse({ zh: '请求内容不是合法的表单', en: 'The request body is not a valid form.' });

async function within<T>(ms: number, work: Promise<T>, late: () => void): Promise<T> {
  const timer = setTimeout(late, ms);
  return work.finally(() => clearTimeout(timer));
}

/** Feeds a form to its parser and keeps what comes out. */
class FormReader {
  readonly #parts: Part[] = [];
  readonly #parser;
  readonly #body: ReadableStreamDefaultReader<Uint8Array> | undefined;
  /** Rejects with the first thing that is wrong. */
  readonly #failed = Promise.withResolvers<never>();
  /** The file that is being written; the next one waits for it. */
  #writing: Promise<void> = Promise.resolve();

  constructor(
    request: Request,
    readonly spool: Spool,
  ) {
    this.#body = request.body?.getReader();
    this.#failed.promise.catch(() => undefined);
    this.#parser = parserFor(request.headers.get('content-type') ?? '');
    const tooMany = () => this.stop(refuse({ zh: '表单的部分过多', en: 'The form has too many parts.' }));
    this.#parser
      .on('error', () => this.stop(malformed()))
      .on('partsLimit', tooMany)
      .on('filesLimit', tooMany)
      .on('fieldsLimit', tooMany)
      .on('field', (name, value, nameTruncated, valueTruncated) => {
        if (!name) return this.stop(nameless());
        this.#parts.push({ kind: 'field', name, value });
        if (nameTruncated || valueTruncated)
          this.stop(refuse({ zh: '表单中有字段过长', en: 'A field of the form is too long.' }));
      })
      .on('file', (name, stream, filename, _encoding, type) => {
        // A stream without a listener ends the process when it breaks.
        stream.on('error', () => this.stop(malformed()));
        if (!name) return this.stop(nameless());
        if (isNoFile(name))
          return this.stop(
            refuse({ zh: '表单中的字段不能是文件', en: 'A field of the form must not be a file.' }),
          );
        const file = { name, filename, type: typeIn(type), bytes: 0, seconds: null };
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
      const { value, done } = (await this.#orFailed(this.#body?.read())) ?? { done: true };
      if (done) break;
      bytes += value.byteLength;
      if (bytes > limits.multipartBytes) throw fail('body_too_large');
      const isFull = !this.#parser.write(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      if (isFull) await this.#orFailed(new Promise<void>((go) => this.#parser.once('drain', go)));
    }
    this.#parser.end();
    await this.#orFailed(finished);
    await this.#orFailed(this.#writing);
    return this.#parts;
  }

  stop(error: unknown): void {
    this.#failed.reject(error);
  }

  /** Lets go of everything; the rest of the body is not read. */
  close(): void {
    void this.#body?.cancel().catch(() => undefined);
    this.#parser.destroy();
  }

  #orFailed<T>(work: Promise<T> | undefined): Promise<T | undefined> {
    return Promise.race([work, this.#failed.promise]);
  }
}

const NO_FILES = namesOf(({ mayBeFile }) => mayBeFile !== true);
const isNoFile = (name: string): boolean => NO_FILES.has(folded(name));

function parserFor(contentType: string) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        fieldNameSize: 256,
        fieldSize: limits.formFieldBytes,
        fields: limits.formFields,
        files: limits.formFiles,
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
}

const typeIn = (type: string | undefined): string =>
  type && /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';
