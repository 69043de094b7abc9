import { describe, expect, it } from 'bun:test';
import { noUsage } from '../core/usage.ts';
import { ToldUsage } from './told-usage.ts';

const of = (input: number, output: number) => ({ ...noUsage(), input, output });

describe("a stream's usage", () => {
  it('is what was told last, while nothing came after it', () => {
    const told = new ToldUsage();
    expect(told.whole(false)).toBeNull();
    told.content();
    told.tell(of(9, 1));
    expect(told.whole(false)).toEqual(of(9, 1));
    told.content();
    told.tell(of(9, 2));
    expect(told.whole(false)).toEqual(of(9, 2));
  });

  it('is not known when more came than was counted', () => {
    const told = new ToldUsage();
    told.tell(of(9, 1));
    told.content();
    expect([told.whole(false), told.whole(true)]).toEqual([null, null]);
    expect(told.latest).toEqual(of(9, 1));
  });

  it('is not known by the prompt and a placeholder', () => {
    const told = new ToldUsage();
    told.tellPrompt(of(9, 1));
    expect(told.whole(false)).toBeNull();
    expect(told.latest).toEqual(of(9, 0));
    told.content();
    expect(told.whole(true)).toBeNull();
  });

  it('may be the prompt alone where a whole answer says nothing', () => {
    const told = new ToldUsage();
    told.tellPrompt(of(9, 1));
    expect(told.whole(true)).toEqual(of(9, 0));
  });

  it('may be nothing when the answer is complete, and only then', () => {
    const told = new ToldUsage();
    told.content();
    told.tell(of(0, 0));
    expect(told.whole(false)).toBeNull();
    expect(told.whole(true)).toEqual(of(0, 0));
  });
});
