import { describe, expect, it, test } from 'bun:test';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import fc from 'fast-check';
import { createLogger, gatheredOutput, redact, requestLine } from './logger.ts';

const logged = (write: (log: ReturnType<typeof createLogger>) => void) => {
  const lines: string[] = [];
  write(createLogger('info', (line) => lines.push(line)));
  return lines;
};

describe('the log', () => {
  it('is one JSON object a line, with time, level and event', () => {
    const [line = ''] = logged((log) => log.warn('spool.full', { bytes: 12n, name: 'a\nb' }));
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(JSON.parse(line)).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      level: 'warn',
      event: 'spool.full',
      bytes: '12',
      name: 'a\nb',
    });
  });

  it('leaves out what is below its level', () => {
    expect(logged((log) => log.debug('detail'))).toEqual([]);
  });

  it.each([
    ['a relay key', 'sk-abcdefghijklmnop', 'abcdefghijklmnop'],
    ['a bearer value', 'Bearer abcdefghij', 'abcdefghij'],
    ['a key parameter', 'https://x/y?key=secretvalue&z=1', 'secretvalue'],
    ['a password in an address', 'postgres://user:hunter2@db/x', 'hunter2'],
    ['a password in an address behind other words', 'a-b.c+https://user:hunter2@db/x', 'hunter2'],
    ['a Google key', 'AIzaSyA1234567890abcdefghij', 'AIzaSyA1234567890abcdefghij'],
  ])('cuts out %s', (_what, text, secret) => {
    const error = new Error(`refused: ${text}`);
    const [line = ''] = logged((log) => log.error('failed', { error, more: { text } }));
    expect(line).not.toContain(secret);
    expect(line).toContain('***');
  });

  it('tells of a failed statement what it was and why it failed, and none of its values', () => {
    const values = ['una@mail.test', '$argon2id$v=19$secret', 'a line\n    at another'];
    const why = Object.assign(new Error('the connection was lost'), { code: '57P01' });
    const error = new Error('outer', {
      cause: new DrizzleQueryError('update users set email = $1', values, why),
    });
    const [line = ''] = logged((log) => log.error('failed', { error }));
    expect(JSON.parse(line).error.cause).toMatchObject({
      message: 'Failed query: update users set email = $1',
      stack: expect.stringContaining('logger.test.ts'),
      cause: { message: 'the connection was lost', code: '57P01' },
    });
    for (const value of values) expect(line).not.toContain(JSON.stringify(value).slice(1, -1));
  });

  it('cuts secrets out of the two fields of a request that its caller writes', () => {
    const fields = { method: 'GET', status: 404, ms: 1, request_id: 'r', ip: '127.0.0.1' };
    const [line = ''] = logged((log) =>
      log.request({ ...fields, path: '/v1/sk-abcdefghijkl', model: 'Bearer abcdefghijk' }),
    );
    expect(JSON.parse(line)).toMatchObject({ ...fields, event: 'request', path: '/v1/***', model: '***' });
  });

  it('writes no more of what a caller writes than a path or a name has', () => {
    const path = `/v1/${'a-'.repeat(2_000)}sk-`;
    const line = requestLine(
      { method: 'GET', path, status: 404, ms: 1, request_id: 'r', ip: '127.0.0.1' },
      't',
    );
    expect(JSON.parse(line).path).toBe(`${path.slice(0, 300)}…`);
  });
});

test('the line of a request is the JSON of its fields', () => {
  const text = fc.string({ unit: 'binary' });
  const rest = fc.record({
    ms: fc.oneof(fc.double(), fc.constant(-0)),
    bytes: fc.option(fc.nat(), { nil: undefined }),
    code: fc.option(text, { nil: undefined }),
    model: fc.option(text, { nil: undefined }),
    stream_end: fc.option(text),
  });
  fc.assert(
    fc.property(text, text, fc.nat(999), rest, (path, ip, status, more) => {
      const fields = { method: 'POST', path, status, request_id: 'r', ip, ...more };
      const model = more.model === undefined ? undefined : redact(more.model, 300);
      const entry = { time: 't', level: 'info', event: 'request', ...fields, path: redact(path, 300), model };
      expect(requestLine(fields, 't')).toBe(`${JSON.stringify(entry)}\n`);
    }),
  );
});

describe('the output', () => {
  it('writes the lines of one turn together, and at once when one is urgent', async () => {
    const written: string[] = [];
    const output = gatheredOutput((text) => written.push(text));
    output.line('a', false);
    output.line('b', false);
    expect(written).toEqual([]);
    output.line('C', true);
    expect(written).toEqual(['abC']);
    output.line('d', false);
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toEqual(['abC', 'd']);
  });
});
