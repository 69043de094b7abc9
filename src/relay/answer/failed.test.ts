import { describe, expect, it } from 'bun:test';
import { fail } from '../../core/errors.ts';
import { NO_TOOLS, type PaidTools } from '../../core/paid-tools.ts';
import { noUsage } from '../../core/usage.ts';
import { type Failed, type Owes, owedByEmptyStream, owedByFailed } from './failed.ts';
import type { Ending } from './pump.ts';

const container = { kind: 'code_interpreter', gigabytes: 1, isSure: true };
const MADE: PaidTools = {
  tools: [{ as: ['code_interpreter'], most: null, always: 1, container }],
  together: null,
};
const NOT_MADE: PaidTools = { tools: [{ as: ['code_interpreter'], most: null, container }], together: null };
const READS: PaidTools = { ...NO_TOOLS, reads: [{ name: 'mcp', most: null, tokens: null }] };
/** As a request with one has it, since what runs in it is read. */
const BOTH: PaidTools = { ...MADE, reads: READS.reads ?? [] };
const REFUSES: PaidTools = { ...NO_TOOLS, refusals: /usage guidelines/ };

describe('a failure', () => {
  const failed = (fault: Failed['fault'], more: Partial<Failed> = {}): Failed => ({
    ...{ status: 0, fault, error: fail('upstream_error'), said: '' },
    ...more,
  });
  const LATE = failed('timeout', { hadTime: true });
  const AT_ONCE = failed('timeout');
  const MOVED = failed('gave-way');
  const BROKE_OFF = failed('reset');
  const TOLD = failed('error-in-answer', { status: 502 });
  const blocked = {
    status: 400,
    error: fail('upstream_rejected', { upstream: { code: 'moderation_blocked' } }),
  };
  const refused = { status: 403, isOfContent: true };
  const GUIDELINES = failed('status', { ...refused, said: 'violates usage guidelines' });
  const IS_THERE = new AbortController().signal;
  type Where = 'is there' | 'has left a whole answer' | 'has left a stream' | 'has left a task';

  it.each<[string, Failed, PaidTools, Where, Owes['why'] | null]>([
    ['late, with tools', LATE, READS, 'is there', 'late'],
    ['late, without any', LATE, MADE, 'is there', null],
    ['late, with a container', LATE, BOTH, 'is there', 'late'],
    ['late by others before it, with a container', AT_ONCE, BOTH, 'is there', null],
    ['late by others before it', AT_ONCE, READS, 'is there', null],
    ['whose place was another’s, with tools', MOVED, READS, 'is there', 'gave-way'],
    ['whose place was another’s, with tools', MOVED, READS, 'has left a whole answer', 'gave-way'],
    ['whose place was another’s, with a container', MOVED, BOTH, 'is there', 'gave-way'],
    ['that is told in the answer, with a container', TOLD, BOTH, 'is there', 'failed'],
    ['of the connection, with a container', BROKE_OFF, BOTH, 'is there', null],
    ['whose place was another’s', MOVED, MADE, 'is there', null],
    ['whose place was another’s', MOVED, MADE, 'has left a stream', null],
    ['whose place was another’s', MOVED, MADE, 'has left a task', null],
    ['whose place was another’s', MOVED, MADE, 'has left a whole answer', 'left'],
    ['that is told in the answer', TOLD, MADE, 'is there', 'failed'],
    ['that is told in the answer, without a container', TOLD, NOT_MADE, 'is there', null],
    ['that is told in the answer, with tools', TOLD, READS, 'is there', null],
    ['of a server of tools', failed('status', { status: 424 }), MADE, 'is there', 'failed'],
    ['of a picture', failed('status', blocked), MADE, 'is there', 'failed'],
    ['of the request', failed('status', { status: 400 }), MADE, 'is there', null],
    ['of the connection', BROKE_OFF, MADE, 'is there', null],
    ['that has a price', GUIDELINES, REFUSES, 'is there', 'refused'],
    ['that has none', failed('status', { ...refused, said: 'no' }), REFUSES, 'is there', null],
    ['that has none there', GUIDELINES, NO_TOOLS, 'is there', null],
  ])('%s', (_, failure, paid, where, why) => {
    const request = {
      facts: { stream: where === 'has left a stream' },
      operation: where === 'has left a task' ? ('task' as const) : ('chat' as const),
      left: where === 'is there' ? IS_THERE : AbortSignal.abort(),
    };
    expect(owedByFailed(failure, request, { paid, held: paid })?.why ?? null).toBe(why);
  });
});

describe('a stream that has shown nothing', () => {
  const error = { message: 'no' };
  const usage = { ...noUsage(), input: 5 };
  const others = { why: 'others', error: fail('OVERLOADED') } as const;
  it.each<[string, Partial<Ending>, PaidTools, ReturnType<typeof owedByEmptyStream>]>([
    ['ends well', { end: 'done' }, NO_TOOLS, 'what it took'],
    ['is late', { end: 'timeout' }, NO_TOOLS, 'what it took'],
    ['is left', { end: 'client_gone' }, NO_TOOLS, 'what it took'],
    ['is left and empty', { end: 'client_gone', isEmpty: true }, MADE, 'nothing'],
    [
      'is left, told of its prompt, and fails',
      { end: 'client_gone', promptUsage: usage, error },
      MADE,
      'what it took',
    ],
    ['is left and fails', { end: 'client_gone', error }, NO_TOOLS, 'nothing'],
    ['is left and fails', { end: 'client_gone', error }, MADE, 'what was made'],
    ['fails', { end: 'upstream_cut', error }, NO_TOOLS, 'nothing'],
    ['fails', { end: 'upstream_cut', error }, MADE, 'what was made'],
    ['fails', { end: 'upstream_cut', error }, NOT_MADE, 'nothing'],
    ['fails, and tells what it took', { end: 'upstream_cut', error, usage }, MADE, 'what it took'],
    ['breaks off', { end: 'upstream_cut', promptUsage: usage }, MADE, 'nothing'],
    ['gives its place, whatever it tells', { end: 'no_room', usage, refused: others }, MADE, 'nothing'],
  ])('%s', (_, ending, paid, owes) => {
    const ended: Ending = {
      ...{ end: 'done', usage: null, promptUsage: null, firstContentMs: null, error: null },
      ...{ isEmpty: false, isCutShort: false, refused: null },
      ...ending,
    };
    expect(owedByEmptyStream(ended, { paid }, false)).toBe(owes);
    const atStop = ended.end === 'timeout' ? 'nothing' : owes;
    expect(owedByEmptyStream(ended, { paid }, true)).toBe(atStop);
  });
});
