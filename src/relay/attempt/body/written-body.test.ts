import { expect, it } from 'bun:test';
import { AppError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { limits } from '../../../core/limits.ts';
import { BodyBudget } from '../../../platform/body-budget.ts';
import type { Held } from '../../request.ts';
import { writtenBody } from './written-body.ts';

const MIB = 1024 * 1024;
const text = 'x'.repeat(MIB / 4);

/** A request that holds until it has ended. */
function begin(body: JsonObject, { room = limits.relayBodiesBytes, held: isHeldByLength = true } = {}) {
  const held: Held[] = [];
  const request = {
    userId: 1,
    ip: '192.0.2.1',
    body,
    isHeldByLength,
    hold: (more: Held) => void held.push(more),
  };
  const bodies = new BodyBudget(room);
  const deps = { bodies, bodiesByNetwork: new BodyBudget(room) };
  return {
    bodies,
    write: (made: JsonObject, { converted = true, inlined = 0 } = {}) =>
      writtenBody({ body: made, inlined }, { request, isConverted: converted }, deps),
    end: () => held.map((each) => each.release()),
  };
}

const codeOf = (work: () => unknown): unknown => {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof AppError ? error.code : error;
  }
};

it('holds what a body has grown by until the call has ended, once for all tries', () => {
  const { bodies, write, end } = begin({ text });
  const made = { texts: Array(8).fill(text) };
  for (let tries = 0; tries < 2; tries++) {
    expect(write(made)).toBe(JSON.stringify(made));
    expect(bodies.bytes).toBeWithin(7 * text.length - 64, 7 * text.length + 64);
  }
  write({ text });
  expect(bodies.bytes).toBeLessThan(1_024);
  end();
  expect(bodies.bytes).toBe(0);
});

it('holds marks as they are escaped', () => {
  const { bodies, write } = begin({ text: '\u0001'.repeat(100_000) });
  write({ text: '\u0001'.repeat(100_000) });
  expect(bodies.bytes).toBeGreaterThan(400_000);
});

it('holds nothing for one that passes as it came, or is small', () => {
  const { bodies, write } = begin({});
  write({ texts: Array(8).fill(text) }, { converted: false });
  write({ texts: ['a', 'b'] });
  expect(bodies.bytes).toBe(0);
});

it('refuses one that has grown beyond its bound before it is written, and one without room', () => {
  const grown = Array(limits.bodyGrowthBytes / text.length + 3).fill(text);
  const { bodies, write } = begin({ text });
  expect(codeOf(() => write({ texts: grown.slice(2) }))).toBe(null);
  expect(codeOf(() => write({ texts: grown }))).toBe('body_too_large');
  // What was fetched goes up as well.
  expect(codeOf(() => write({ texts: grown }, { inlined: 2 * text.length }))).toBe(null);
  const huge: unknown[] = Array(4_096).fill(Array(4_096).fill(text));
  expect(codeOf(() => write({ huge } as JsonObject))).toBe('body_too_large');
  expect(bodies.bytes).toBeLessThan(8 * MIB);
  expect(codeOf(() => begin({ text }, { room: MIB }).write({ texts: Array(8).fill(text) }))).toBe(
    'OVERLOADED',
  );
});

it('refuses one that nothing is held for by its length when it has grown by much less', () => {
  const { write } = begin({ text }, { held: false });
  expect(codeOf(() => write({ texts: Array(4).fill(text) }))).toBe(null);
  expect(codeOf(() => write({ texts: Array(5).fill(text) }))).toBe('body_too_large');
  const large = begin({ texts: Array(20).fill(text) }, { held: false });
  const most = 40 + limits.bodyGrowthBytes / text.length;
  expect(codeOf(() => large.write({ texts: Array(most - 1).fill(text) }))).toBe(null);
  expect(codeOf(() => large.write({ texts: Array(most + 1).fill(text) }))).toBe('body_too_large');
});
