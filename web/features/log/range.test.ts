import { describe, expect, it } from 'bun:test';
import { rangeOf } from './range.ts';

describe('the presets of the log', () => {
  const now = Date.UTC(2026, 10, 21, 20, 30) / 1000;

  it('begin at midnight of the viewer, not of the server', () => {
    expect(rangeOf('today', now, 'UTC')).toEqual({ from: Date.UTC(2026, 10, 21) / 1000 });
    expect(rangeOf('today', now, 'Asia/Shanghai')).toEqual({ from: Date.UTC(2026, 10, 21, 16) / 1000 });
    expect(rangeOf('7d', now, 'UTC')).toEqual({ from: Date.UTC(2026, 10, 15) / 1000 });
  });

  it('can be the last minutes or everything', () => {
    expect(rangeOf('15m', now, 'UTC')).toEqual({ from: now - 900 });
    expect(rangeOf('all', now, 'UTC')).toEqual({});
  });
});
