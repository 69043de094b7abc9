import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import {
  type Cells,
  cellsOf,
  converted,
  type HubModel,
  isChanged,
  isLeap,
  leapsIn,
  NO_CELLS,
  pastedNumber,
  pastedTable,
  preview,
  readCells,
  relative,
  sentEntry,
} from './draft.ts';

const model = (own: Partial<HubModel> = {}): HubModel => ({
  name: 'm',
  created_at: 0,
  updated_at: 0,
  mode: 'tokens',
  video: null,
  source: 'option',
  price: null,
  ratio: 1.25,
  completionRatio: 4,
  thinkingRatio: null,
  cacheRatio: 0.5,
  tiered: null,
  enabled: true,
  icon: '',
  desc: '',
  max_token: 0,
  hide: false,
  model_type: '',
  tags: '',
  multimodal: false,
  sort: 0,
  ...own,
});
const cells = (own: Partial<Cells>): Cells => ({ ...NO_CELLS, mode: 'tokens', ...own });

const NOTHING = {
  price: null,
  ratio: null,
  completionRatio: null,
  thinkingRatio: null,
  cacheRatio: null,
};

describe('a row of the price editor', () => {
  it('shows a ratio as twice its number in dollars, and the output by the completion ratio', () => {
    expect(cellsOf(model(), 'price')).toEqual(cells({ input: '2.5', output: '10', cache: '1.25' }));
    expect(cellsOf(model(), 'ratio')).toEqual(cells({ input: '1.25', output: '4', cache: '0.5' }));
    expect(cellsOf(model({ ratio: 0.15, completionRatio: 8.333333333333 }), 'price').output).toBe('2.5');
  });

  it('reads ratio as price divided by 2, completion ratio as output divided by input', () => {
    expect(readCells(cells({ input: '2.5', output: '10', cache: '1.25' }), 'price')).toEqual({
      ok: true,
      price: { ...NOTHING, mode: 'tokens', ratio: 1.25, completionRatio: 4, cacheRatio: 0.5 },
    });
    expect(readCells(cells({ input: '0.7', output: '2.8', thinking: '8.4' }), 'price')).toMatchObject({
      price: { ratio: 0.35, completionRatio: 4, thinkingRatio: 12 },
    });
  });

  it('wants numbers', () => {
    expect(readCells(cells({ input: 'dear', output: 'x' }), 'ratio')).toEqual({
      ok: false,
      errors: { input: 'prices.notNumber', output: 'prices.notNumber' },
    });
    expect(readCells(cells({ input: '' }), 'price')).toMatchObject({ errors: { input: 'prices.notNumber' } });
    expect(readCells(cells({ input: '-1' }), 'price')).toMatchObject({ ok: false });
    expect(readCells(cells({ mode: 'call', input: '' }), 'price')).toMatchObject({ ok: false });
  });

  it('cannot work out a completion ratio from a price of 0', () => {
    expect(readCells(cells({ input: '0', output: '1' }), 'price')).toEqual({
      ok: false,
      errors: { output: 'prices.zeroPrice' },
    });
    expect(readCells(cells({ input: '0', output: '' }), 'price')).toMatchObject({ ok: true });
    expect(readCells(cells({ input: '0', output: '4' }), 'ratio')).toMatchObject({ ok: true });
  });

  it('a fixed price disables the ratios', () => {
    expect(readCells(cells({ mode: 'call', input: '0.04', output: '9' }), 'price')).toEqual({
      ok: true,
      price: { ...NOTHING, mode: 'call', price: 0.04 },
    });
  });

  it('comes back the same from the other unit', () => {
    const number = fc.integer({ min: 1, max: 100_000_000 }).map((n) => n / 100_000);
    fc.assert(
      fc.property(number, number, number, (ratio, completionRatio, cacheRatio) => {
        const stored = model({ ratio, completionRatio, cacheRatio });
        const there = readCells(cellsOf(stored, 'price'), 'price');
        const back = readCells(converted(cellsOf(stored, 'price'), 'ratio'), 'ratio');
        for (const read of [there, back]) {
          if (!read.ok) throw new Error('no numbers');
          const near = (a: number | null, b: number) => Math.abs((a ?? 0) - b) <= b * 1e-9 + 1e-9;
          expect(near(read.price.ratio, ratio)).toBe(true);
          expect(near(read.price.completionRatio, completionRatio)).toBe(true);
        }
      }),
    );
  });

  it('tells what a group pays', () => {
    expect(preview(cells({ input: '2.5', output: '10' }), 'price', 0.8)).toEqual({
      input: 2,
      output: 8,
      thinking: null,
    });
    expect(preview(cells({ input: '1', thinking: '10' }), 'price', 2)).toMatchObject({ thinking: 20 });
    expect(preview(cells({ mode: 'call', input: '0.04' }), 'ratio', 0.5)).toEqual({
      input: 0.02,
      output: null,
      thinking: null,
    });
    const first = cells({ mode: 'tiers', input: '1.25', output: '10' });
    expect(preview(first, 'price', 2)).toMatchObject({ input: 2.5, output: 20 });
    expect(preview(cells({ mode: 'none' }), 'ratio', 1)).toBeNull();
  });
});

describe('what is sent for a row', () => {
  it('is nothing of the price when only words changed', () => {
    const draft = { cells: cellsOf(model(), 'price'), words: { tags: 'Hot' } };
    expect(sentEntry('m', model(), draft, 'price')).toEqual({ name: 'm', tags: 'Hot' });
    expect(isChanged(model(), draft, 'price')).toBe(true);
    expect(isChanged(model({ tags: 'Hot' }), draft, 'price')).toBe(false);
  });

  it('leaves out the ratios that stay, but not those that follow the input', () => {
    const byRatio = { cells: { ...cellsOf(model(), 'ratio'), input: '2' }, words: {} };
    expect(sentEntry('m', model(), byRatio, 'ratio')).toEqual({
      name: 'm',
      mode: 'tokens',
      price: null,
      ratio: 2,
    });
    const byPrice = { cells: { ...cellsOf(model(), 'price'), input: '5' }, words: {} };
    expect(sentEntry('m', model(), byPrice, 'price')).toEqual({
      name: 'm',
      mode: 'tokens',
      price: null,
      ratio: 2.5,
      completionRatio: 2,
      thinkingRatio: null,
      cacheRatio: 0.25,
    });
  });
});

describe('a paste from a spreadsheet', () => {
  it('is a table of cells; one value is none', () => {
    expect(pastedTable('1\t2\r\n3\t4\n')).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
    expect(pastedTable('2.5')).toBeNull();
    expect(pastedNumber('$1,234.50')).toBe('1234.50');
  });
});

describe('the suggestion for a model without a price', () => {
  const priced = ['gpt-4o-2024-05-13', 'gpt-4o', 'gpt-4o-mini', 'qwen-max'].map((name) => model({ name }));
  it('is the priced model of the same family', () => {
    expect(relative('gpt-4o-mini-2026', priced)?.name).toBe('gpt-4o-mini');
    expect(relative('gpt-4o-own', priced)?.name).toBe('gpt-4o');
    expect(relative('qwen-plus', priced)?.name).toBe('qwen-max');
    expect(relative('glm-4', priced)).toBeNull();
  });
});

describe('a change of more than ten times', () => {
  const row = (input: string, output = '') => cells({ input, output });
  it('is a leap, up or down, of input or output', () => {
    expect(isLeap(row('1', '4'), row('10', '40'), 'price')).toBe(false);
    expect(isLeap(row('1', '4'), row('10.1', '40'), 'price')).toBe(true);
    expect(isLeap(row('1', '4'), row('1', '0.3'), 'price')).toBe(true);
    expect(isLeap(row('0'), row('0.01'), 'price')).toBe(true);
    const thinking = (text: string) => ({ ...row('1', '4'), thinking: text });
    expect(isLeap(thinking('8'), thinking('81'), 'price')).toBe(true);
    expect(isLeap(thinking(''), thinking('81'), 'price')).toBe(false);
  });

  it('cannot be told of another way of pricing, or of a model that had no price', () => {
    expect(isLeap(row('1'), cells({ mode: 'call', input: '100' }), 'price')).toBe(false);
    expect(isLeap(cells({ mode: 'none' }), row('100'), 'price')).toBe(false);
  });

  it('is found in a table of ratios by name', () => {
    expect(leapsIn('{"a": 1, "b": 1, "c": 1}', '{"a": 11, "b": 2, "d": 99}')).toEqual(['a']);
    expect(leapsIn('{"a": 1', '{"a": 11}')).toEqual([]);
  });
});
