import { describe, expect, it } from 'bun:test';
import { noUsage } from '../core/usage.ts';
import { ReportedUsage } from './reported-usage.ts';

const of = (input: number, output: number) => ({ ...noUsage(), input, output });

describe("a stream's usage", () => {
  it('is what was reported last, while nothing came after it', () => {
    const reported = new ReportedUsage();
    expect(reported.whole(false)).toBeNull();
    reported.content();
    reported.report(of(9, 1));
    expect(reported.whole(false)).toEqual(of(9, 1));
    reported.content();
    reported.report(of(9, 2));
    expect(reported.whole(false)).toEqual(of(9, 2));
  });

  it('is not known when more came than was counted', () => {
    const reported = new ReportedUsage();
    reported.report(of(9, 1));
    reported.content();
    expect([reported.whole(false), reported.whole(true)]).toEqual([null, null]);
    expect(reported.latest).toEqual(of(9, 1));
  });

  it('is not known by the prompt and a placeholder', () => {
    const reported = new ReportedUsage();
    reported.reportPrompt(of(9, 1));
    expect(reported.whole(false)).toBeNull();
    expect(reported.latest).toEqual(of(9, 0));
    reported.content();
    expect(reported.whole(true)).toBeNull();
  });

  it('may be the prompt alone where a whole answer says nothing', () => {
    const reported = new ReportedUsage();
    reported.reportPrompt(of(9, 1));
    expect(reported.whole(true)).toEqual(of(9, 0));
  });

  it('may be nothing when the answer is complete, and only then', () => {
    const reported = new ReportedUsage();
    reported.content();
    reported.report(of(0, 0));
    expect(reported.whole(false)).toBeNull();
    expect(reported.whole(true)).toEqual(of(0, 0));
  });
});
