import { describe, expect, it } from 'bun:test';
import { limits } from '../core/limits.ts';
import { limitIn, openFilesLimit } from '../platform/open-files.ts';
import { CallGate, callsWithin } from './call-gate.ts';

describe('the limit of open files', () => {
  it('is read as the system tells it', () => {
    const text = (value: string) =>
      `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${value}                 4096                 files\n`;
    expect(limitIn(text('1024'))).toBe(1_024);
    expect(limitIn(text('unlimited'))).toBe(Number.POSITIVE_INFINITY);
    expect(limitIn('nothing of it')).toBeNull();
    expect(openFilesLimit()).toBeGreaterThan(0);
  });

  it('leaves two sockets for each call, and files for everything else', () => {
    expect(callsWithin(20_000)).toBe((20_000 - limits.filesBesideCalls) / 2);
    expect(callsWithin(1_024)).toBe((1_024 - limits.filesBesideCalls) / 2);
    expect(callsWithin(256)).toBe(32);
    expect(callsWithin(1)).toBe(1);
    expect([callsWithin(Number.POSITIVE_INFINITY), callsWithin(null)]).toEqual([
      limits.openReservations,
      limits.openReservations,
    ]);
  });
});

it('refuses the call for which there is no file left, with when to come again, until one has ended', () => {
  const gate = new CallGate(2);
  const [first] = [gate.enter(), gate.enter()];
  expect(() => gate.enter()).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
  first.release();
  first.release();
  expect(gate.open).toBe(1);
  gate.enter();
  expect(() => gate.enter()).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
});
