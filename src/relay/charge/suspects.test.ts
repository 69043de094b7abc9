import { describe, expect, it } from 'bun:test';
import { limits } from '../../core/limits.ts';
import { Suspects } from './suspects.ts';

describe('channels that tell usage beyond reason', () => {
  it('are counted each for itself, and anew after an hour', () => {
    const suspects = new Suspects();
    expect([suspects.note(1, 0), suspects.note(2, 1), suspects.note(1, 2)]).toEqual([1, 1, 2]);
    expect(suspects.note(1, limits.suspectWindowMs)).toBe(1);
  });

  it('are forgotten when there are too many, those first that were silent the longest', () => {
    const suspects = new Suspects();
    suspects.note(0, 0);
    for (let channel = 1; channel < 2 * limits.suspectsRemembered; channel++) {
      suspects.note(0, 0);
      suspects.note(channel, 0);
    }
    expect(suspects.size).toBe(limits.suspectsRemembered);
    expect(suspects.note(0, 0)).toBe(2 * limits.suspectsRemembered + 1);
    expect(suspects.note(1, 0)).toBe(1);
  });
});
