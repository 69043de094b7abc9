import { afterEach, beforeEach, describe, expect, it, spyOn } from 'bun:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Busboy } from '@fastify/busboy';
import fc from 'fast-check';
import { AppError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { openaiTranscriptions } from '../../dialects/plain/openai-audio.ts';
import { BodyBudget } from '../../platform/body-budget.ts';
import type { Upload } from '../request.ts';
import { callersBody } from './callers-body.ts';
import { isForm, readUpload } from './upload.ts';

let folder: string;
let budget: BodyBudget;
let texts: BodyBudget;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'upload-'));
  budget = new BodyBudget(limits.uploadsOnDiskBytes);
  texts = new BodyBudget(limits.multipartBytes);
});
afterEach(() => rm(folder, { recursive: true }));

const BOUNDARY = 'outer';
const post = (body: BodyInit, contentType = `multipart/form-data; boundary=${BOUNDARY}`) =>
  new Request('http://gateway/v1/audio/transcriptions', {
    method: 'POST',
    headers: { 'content-type': contentType },
    body,
  });

const read = (request: Request, withinMs?: number, paceMs?: number) =>
  readUpload(request, { folder, room: budget.of(1), texts: texts.of(1), withinMs, paceMs });

const formRequest = (form: FormData) => new Request('http://gateway/', { method: 'POST', body: form });

/** What an upstream makes of it. */
const received = (upload: Upload, model = 'theirs'): Promise<FormData> => {
  const asked = { operation: 'transcriptions', dialect: openaiTranscriptions } as const;
  const { headers, body } = upload.formFor({ model, fields: callersBody(upload.fields, asked).body });
  return new Response(body(), { headers }).formData();
};

const streamOf = (pieces: Iterable<Uint8Array>): ReadableStream<Uint8Array> => {
  const all = pieces[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const { value, done } = all.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
};

const codeOf = async (reading: Promise<unknown>): Promise<string> => {
  try {
    await reading;
    return 'ok';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
};

describe('a form', () => {
  it('is known by its fields and files, and goes up with the model of the upstream', async () => {
    const form = new FormData();
    form.append('file', new File(['sound of a voice'], 'voice "1".mp3', { type: 'audio/mpeg' }));
    form.append('timestamp_granularities[]', 'word');
    form.append('timestamp_granularities[]', 'segment');
    form.append('own_field', 'kept');
    form.append('api_base', 'http://evil.example');
    form.append('model', 'ours');
    const upload = await read(formRequest(form));
    expect(upload.fields).toEqual({
      'timestamp_granularities[]': ['word', 'segment'],
      own_field: 'kept',
      api_base: 'http://evil.example',
      model: 'ours',
    });
    expect(upload.files).toMatchObject([{ name: 'file', type: 'audio/mpeg', bytes: 16 }]);
    expect(upload.files[0]?.seconds).toBeNull();
    for (let attempt = 0; attempt < 2; attempt++) {
      const seen = await received(upload);
      expect(seen.getAll('model')).toEqual(['theirs']);
      expect(seen.getAll('timestamp_granularities[]')).toEqual(['word', 'segment']);
      expect(seen.get('own_field')).toBe('kept');
      expect(seen.has('api_base')).toBe(false);
      expect(await (seen.get('file') as File).text()).toBe('sound of a voice');
    }
    upload.held.release();
  });

  it.each([
    ['readers read in different ways', Buffer.from('1a45dfa380ec80ec80ec80ec80', 'hex')],
    ['takes too long to measure', Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(2_000_000, 0xff)])],
  ])('has the most held for a sound that %s, of which nothing is found', async (_what, sound) => {
    const form = new FormData();
    form.append('file', new File([sound], 'sound'));
    const upload = await read(formRequest(form));
    expect(upload.files).toMatchObject([{ seconds: null, heldSeconds: sound.length / 25 }]);
    upload.held.release();
  });

  it('has the fields of the operator in the place of its own', async () => {
    const form = new FormData();
    form.append('file', new File(['sound'], 'a.mp3'));
    form.append('language', 'de');
    form.append('prompt', 'names');
    form.append('temperature', '1');
    const upload = await read(formRequest(form));
    const set = {
      language: 'en',
      temperature: 0,
      prompt: null,
      include: ['logprobs', 'usage'],
      more: { a: 1 },
    };
    const { headers, body } = upload.formFor({ model: 'm', fields: upload.fields, set });
    const seen = await new Response(body(), { headers }).formData();
    expect(seen.getAll('language')).toEqual(['en']);
    expect(seen.getAll('temperature')).toEqual(['0']);
    expect(seen.has('prompt')).toBe(false);
    expect(seen.getAll('include')).toEqual(['logprobs', 'usage']);
    expect(seen.get('more')).toBe('{"a":1}');
    expect(await (seen.get('file') as File).text()).toBe('sound');
    upload.held.release();
  });

  it.each(['model', 'MODEL', 'n', 'stream', 'Size'])('may have no file by the name of %s', async (name) => {
    const form = new FormData();
    form.append('file', new File(['sound'], 'a.mp3'));
    form.append(name, new File(['dear'], 'b.txt'));
    expect(await codeOf(read(formRequest(form)))).toBe('invalid_request');
  });

  it('says exactly how long it is', async () => {
    const form = new FormData();
    form.append('image[]', new File([new Uint8Array(200_000).fill(7)], 'a.png', { type: 'image/png' }));
    form.append('image[]', new File(['b'], 'b.png', { type: 'image/png' }));
    form.append('prompt', '画');
    const upload = await read(formRequest(form));
    const { body, headers } = upload.formFor({ model: 'm', fields: upload.fields });
    expect(String((await new Response(body()).bytes()).length)).toBe(headers['content-length']);
    upload.held.release();
  });

  it('arrives in whatever pieces and keeps every byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 5000 }),
        fc.uint8Array({ maxLength: 300 }),
        fc.array(fc.nat(5500), { maxLength: 12 }),
        async (first, second, cuts) => {
          const form = new FormData();
          form.append('file', new File([first], 'a.bin'));
          form.append('model', 'm');
          form.append('mask', new File([second], 'b.bin'));
          const whole = formRequest(form);
          const contentType = whole.headers.get('content-type') ?? '';
          const bytes = await whole.bytes();
          const at = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
          const pieces = at.slice(1).map((end, n) => bytes.subarray(at[n], end));
          const upload = await read(post(streamOf(pieces), contentType));
          const seen = await received(upload);
          expect(await (seen.get('file') as File).bytes()).toEqual(first);
          expect(await (seen.get('mask') as File).bytes()).toEqual(second);
          upload.held.release();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('comes to its parser and to the disk many pieces at once, however small they are', async () => {
    const sound = 'x'.repeat(20_000);
    const form = new FormData();
    form.append('file', new File([sound], 'a.mp3'));
    const whole = formRequest(form);
    const bytes = await whole.clone().bytes();
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const held = budget.hold(1);
    const parsed = spyOn(Busboy.prototype, 'write');
    const written = spyOn(held, 'grow');
    try {
      const upload = await readUpload(post(pieces, whole.headers.get('content-type') ?? ''), {
        folder,
        room: { hold: () => held },
        texts: texts.of(1),
      });
      expect(upload.files).toMatchObject([{ name: 'file', bytes: sound.length }]);
      expect(parsed.mock.calls.length).toBeLessThan(100);
      expect(written.mock.calls.length).toBeLessThan(100);
      upload.held.release();
    } finally {
      parsed.mockRestore();
    }
  });

  it('leaves no name on the disk and gives its room back once', async () => {
    const form = new FormData();
    form.append('file', new File(['12345'], 'a'));
    const upload = await read(formRequest(form));
    expect(await readdir(folder)).toEqual([]);
    expect(budget.bytes).toBe(5);
    upload.held.release();
    upload.held.release();
    expect(budget.bytes).toBe(0);
  });

  it('takes a field called __proto__ as a field', async () => {
    const form = new FormData();
    form.append('__proto__', 'x');
    const upload = await read(formRequest(form));
    expect(Object.getOwnPropertyNames(upload.fields)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(upload.fields)).toBe(Object.prototype);
    upload.held.release();
  });
});

const part = (head: string, content = '') => `--${BOUNDARY}\r\n${head}\r\n\r\n${content}\r\n`;
const file = part('content-disposition: form-data; name="file"; filename="a"', 'x');
const end = `--${BOUNDARY}--\r\n`;

type Wrong = [what: string, body: string, code: string];

describe('the fields of a form', () => {
  it('take room as they come, before they are whole, and give it back with the form', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const reading = read(post(readable));
    const head = `${file}--${BOUNDARY}\r\ncontent-disposition: form-data; name="prompt"\r\n\r\n`;
    await writer.write(Buffer.from(head));
    for (let n = 0; n < 10; n++) await writer.write(Buffer.alloc(64 * 1024, 'x'));
    expect(texts.bytes).toBeGreaterThan(9 * 64 * 1024);
    await writer.write(Buffer.from(`\r\n${end}`));
    await writer.close();
    const upload = await reading;
    expect(texts.bytes).toBe(10 * 64 * 1024 + 'prompt'.length);
    upload.held.release();
    expect([budget.bytes, texts.bytes]).toEqual([0, 0]);
  });

  it('find no room where others hold it', async () => {
    texts = new BodyBudget(300);
    const body = part('content-disposition: form-data; name="a"', 'x'.repeat(400)) + file;
    expect(await codeOf(read(post(body)))).toBe('OVERLOADED');
    expect([budget.bytes, texts.bytes]).toEqual([0, 0]);
  });
});

describe('a form that is wrong', () => {
  it.each<Wrong>([
    ['breaks off', file.slice(0, -4), 'invalid_request'],
    ['has no end', file, 'invalid_request'],
    [
      'has too many parts',
      part('content-disposition: form-data; name="a"').repeat(300) + end,
      'invalid_request',
    ],
    ['has a field without a name', part('content-disposition: form-data', 'x') + end, 'invalid_request'],
    [
      'has a file without a name',
      part('content-disposition: form-data; filename="a"', 'x') + file + end,
      'invalid_request',
    ],
    [
      'has a field that is too long',
      part('content-disposition: form-data; name="a"', 'x'.repeat(limits.formFieldBytes + 1)) + end,
      'invalid_request',
    ],
    [
      'has fields that are too long together',
      Array.from({ length: 3 }, (_, n) =>
        part(`content-disposition: form-data; name="f${n}"`, 'x'.repeat(limits.formTextsBytes / 2 - n)),
      ).join('') + end,
      'invalid_request',
    ],
    ...[
      'a\\\\',
      'mo\\\\del',
      ' model',
      'a;b',
      'a=b',
      'mo\u200bdel',
      'größe',
      '[model]',
      '.n',
      '-n',
      '2n',
    ].flatMap((name): Wrong[] => [
      [
        `has a field called ${JSON.stringify(name)}`,
        part(`content-disposition: form-data; name="${name}"`, 'x') + end,
        'invalid_request',
      ],
      [
        `has a file called ${JSON.stringify(name)}`,
        part(`content-disposition: form-data; name="${name}"; filename="; name=model; x="`, 'x') + end,
        'invalid_request',
      ],
    ]),
  ])('and %s is refused, and nothing of it is kept', async (_what, body, code) => {
    expect(await codeOf(read(post(body)))).toBe(code);
    expect([budget.bytes, texts.bytes]).toEqual([0, 0]);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ['have no name', ''],
    ['have a head without one', 'x: y\r\n\r\n'],
  ])('is read no further once too many parts came, which %s', async (_what, head) => {
    const written = spyOn(Busboy.prototype, 'write');
    try {
      const bytes = Buffer.from(`--${BOUNDARY}\r\n${head}\r\n`.repeat(50_000) + end);
      expect(await codeOf(read(post(streamOf([bytes, bytes]))))).toBe('invalid_request');
      const parsed = written.mock.calls.reduce(
        (sum, [piece]) => sum + Buffer.from(piece as Buffer).length,
        0,
      );
      expect(parsed).toBeLessThan(bytes.length / 10);
    } finally {
      written.mockRestore();
    }
  });

  it('loses a part that names itself behind more heads than any has, for all who read it', async () => {
    const heads = Array.from({ length: 1_000 }, (_, n) => `x-${n}: y\r\n`).join('');
    const form = `${part(`${heads}content-disposition: form-data; name="a"`, 'x')}${file}${end}`;
    const upload = await read(post(form));
    expect([...(await received(upload)).keys()]).toEqual(['model', 'file']);
    expect(upload.fields).toEqual({});
    upload.held.release();
  });

  it('has no boundary, or is none at all', async () => {
    expect(await codeOf(read(post('x', 'multipart/form-data')))).toBe('invalid_request');
    expect(isForm(new Headers({ 'content-type': 'application/json' }))).toBe(false);
  });

  it('is larger than a form may be', async () => {
    const endless = function* () {
      yield Buffer.from(file.slice(0, -3));
      const chunk = new Uint8Array(1024 * 1024);
      for (let i = 0; i < 101; i++) yield chunk;
    };
    expect(await codeOf(read(post(streamOf(endless()))))).toBe('body_too_large');
    expect(budget.bytes).toBe(0);
  });

  it('comes too slowly', async () => {
    const stuck = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from(file)),
    });
    expect(await codeOf(read(post(stuck), 50))).toBe('body_timeout');
    expect(budget.bytes).toBe(0);
  });

  it('stands still, however much came before', async () => {
    const stuck = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(file));
        controller.enqueue(new Uint8Array(limits.bodyBytesASecond));
      },
    });
    expect(await codeOf(read(post(stuck), 60_000, 30))).toBe('body_timeout');
    expect(budget.bytes).toBe(0);
    expect(await readdir(folder)).toEqual([]);
  });

  it('has to give way to one of who holds less', async () => {
    budget = new BodyBudget(1_000);
    const waiting = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from(`${file.slice(0, -3)}${'x'.repeat(450)}`)),
    });
    const other = codeOf(readUpload(post(waiting), { folder, room: budget.of(2), texts: texts.of(2) }));
    while (budget.bytes < 400) await Bun.sleep(1);
    budget.hold(3).grow(300);
    budget.hold(4).grow(200);
    expect(await other).toBe('OVERLOADED');
    expect(budget.bytes).toBe(500);
  });

  it('finds no room', async () => {
    budget = new BodyBudget(3);
    const form = new FormData();
    form.append('file', new File(['12345'], 'a'));
    expect(await codeOf(read(formRequest(form)))).toBe('OVERLOADED');
    expect(budget.bytes).toBe(0);
  });
});
