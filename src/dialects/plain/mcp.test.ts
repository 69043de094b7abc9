import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { answerIn, mcp, readMessage } from './mcp.ts';

const message = (over: object): JsonObject => ({ jsonrpc: '2.0', id: 1, ...over });
const call = (over: object = {}): JsonObject =>
  message({ method: 'tools/call', params: { name: 'find', arguments: {} }, ...over });

const codeOf = (body: JsonObject): string => {
  try {
    readMessage(body);
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
  return 'taken';
};

describe('a caller’s message', () => {
  it('is a call with its id and tool, or is free', () => {
    expect(readMessage(call({ id: 'a' }))).toMatchObject({ id: 'a', tool: 'find' });
    expect(readMessage(message({ method: 'tools/list' }))).toMatchObject({ id: 1, tool: null });
    expect(readMessage({ jsonrpc: '2.0', method: 'notifications/cancelled' })).toMatchObject({
      id: null,
      tool: null,
    });
    expect(readMessage({ jsonrpc: '2.0', id: 3, result: {} })).toMatchObject({ id: null, tool: null });
  });

  it('is no method but those that are known', () => {
    const known = new Set(['initialize', 'ping', 'tools/list', 'tools/call']);
    const near = fc.constantFrom('tools/call', 'tools/list', 'resources/read', 'tasks/result', 'prompts/get');
    const method = fc.oneof(
      fc.string(),
      near.chain((name) => fc.constantFrom(`${name} `, ` ${name}`, name.toUpperCase(), name)),
    );
    fc.assert(
      fc.property(method, (name) => {
        const isFree = known.has(name) || name.startsWith('notifications/');
        expect(codeOf(call({ method: name }))).toBe(isFree ? 'taken' : 'tool_method_refused');
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    message({ method: 'tools/list', Method: 'tools/call', params: { name: 'find' } }),
    message({ method: 'ping', METHOD: 'tools/call', Params: { name: 'find' } }),
    { jsonrpc: '2.0', method: 'notifications/initialized', Id: 1, Method: 'tools/call' },
    { jsonrpc: '2.0', id: 1, result: {}, Method: 'tools/call' },
    call({ params: { name: 'find', Task: {}, NAME: 'other' } }),
  ])('goes up as it was read, and as nothing else: %j', (body) => {
    const { sent } = readMessage(body);
    const names = [...Object.keys(sent), ...Object.keys(sent.params ?? {})];
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    expect(names.join()).toMatch(/^[a-z,]*$/);
    expect(JSON.stringify(sent)).not.toContain('other');
    expect(readMessage({ ...sent })).toMatchObject({ tool: readMessage(body).tool });
  });

  it('has an id wherever it is to be answered', () => {
    for (const id of [undefined, null, true, 1.5, {}, []])
      expect([id, codeOf(call({ id }))]).toEqual([id, 'invalid_request']);
  });

  it.each(['ping', 'tools/call'])('has none that would be long to keep, as a %s', (method) => {
    const of = (chars: number) => codeOf(call({ method, id: '中'.repeat(chars) }));
    expect([of(256), of(257)]).toEqual(['taken', 'invalid_request']);
  });

  it('is called by its service in prices, limits and logs', () => {
    const facts = mcp.readRequest(call(), { model: 'search' });
    expect(facts).toMatchObject({ model: 'tool:search', stream: false, noted: { tool: 'find' } });
  });
});

describe('the answer to a call', () => {
  const good = { jsonrpc: '2.0', id: 1, result: { content: [] } };
  it.each<[unknown, ReturnType<typeof answerIn>]>([
    [good, 'good'],
    [{ ...good, result: { isError: false } }, 'good'],
    [{ ...good, result: { isError: true } }, 'failed'],
    [{ ...good, error: { code: 1 } }, 'failed'],
    [{ jsonrpc: '2.0', id: 1, error: { code: 1 } }, 'failed'],
    [{ jsonrpc: '2.0', id: 1 }, 'failed'],
    [{ ...good, result: null }, 'failed'],
    [{ ...good, result: 'text' }, 'failed'],
    [[good], 'good'],
    [[{ method: 'notifications/progress' }, good], 'good'],
    [{ ...good, id: '1' }, null],
    [{ ...good, id: 2 }, null],
    [{ ...good, method: 'ping' }, null],
    [{ jsonrpc: '2.0', method: 'notifications/progress' }, null],
    [[], null],
    [[good, { ...good, id: 2 }], null],
    [null, null],
    ['text', null],
  ])('%j is %p', (answer, found) => {
    expect(answerIn(answer, 1)).toBe(found);
  });
});
