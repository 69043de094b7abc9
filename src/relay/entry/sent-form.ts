/**
 * A form as it goes up, made from the parts that a caller has sent, with the model's name that the upstream knows; never
 * more than a piece of a file is in memory.
 */

import { fail } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { own } from '../../core/own.ts';
import type { FormFile } from '../../dialects/dialect.ts';
import type { Form, SentForm, Upload } from '../request.ts';
import type { Spool } from './upload-spool.ts';

export type FilePart = { kind: 'file'; file: FormFile; start: number };
export type Part = { kind: 'field'; name: string; value: string } | FilePart;

/** What the relay has of a form whose parts these are. */
export function uploadOf(parts: readonly Part[], spool: Spool): Upload {
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
    formFor: (sent) => formOf(sentParts(parts, sent), spool),
    async bytesOf(file) {
      if (file.bytes > limits.inlineMediaBytes) {
        throw tooLarge();
      }
      const part = parts.find((each) => each.kind === 'file' && each.file === file);
      if (part?.kind !== 'file') return new Uint8Array(0);
      const stretch = { start: part.start, bytes: file.bytes };
      return Buffer.concat(await Array.fromAsync(chunksOf([stretch], spool)));
    },
  };
}

const tooLarge = () =>
  fail('invalid_request', {
    params: {
      reason: {
        zh: `此模型的渠道最多接受 ${limits.inlineMediaBytes} 字节的文件`,
        en: `Channels of this model take files of at most ${limits.inlineMediaBytes} bytes.`,
      },
    },
  });

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

/** As browsers do it. */
const quoted = (text: string): string =>
  text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

function streamOf(pieces: readonly Piece[], spool: Spool): ReadableStream<Uint8Array> {
  const chunks = chunksOf(pieces, spool);
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
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
