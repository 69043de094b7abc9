import { describe, expect, it } from 'bun:test';
import { boundedViews, readViews, viewsText, WIDTH } from './table-views.ts';

describe('what is kept', () => {
  it('is read as it was written, and no cookie escapes it', () => {
    const views = {
      token: [
        { id: 'name', hidden: false, width: 120 },
        { id: 'base_url', hidden: true },
      ],
      'model-hub': [{ id: 'cache-read', hidden: false }],
      user: [],
    };
    const text = viewsText(views);
    expect(readViews(text)).toEqual(views);
    expect(encodeURIComponent(text)).toBe(text);
  });

  it('is bounded: widths, and the tables that fit', () => {
    expect(readViews('log(time!9999.id!1)')).toEqual({
      log: [
        { id: 'time', hidden: false, width: WIDTH.max },
        { id: 'id', hidden: false, width: WIDTH.min },
      ],
    });
    const many = Object.fromEntries(
      [...'abcdefghijkl'].map((letter) => [
        `table-${letter}`,
        Array.from({ length: 30 }, (_, i) => ({ id: `column${i}`, hidden: true, width: 100 })),
      ]),
    );
    const kept = boundedViews(many);
    expect(viewsText(kept).length).toBeLessThanOrEqual(3_000);
    expect(Object.keys(kept).at(-1)).toBe('table-l');
    expect(kept).not.toHaveProperty('table-a');
  });

  it('is read of no more tables than there may be', () => {
    const letter = (n: number) => String.fromCharCode(97 + (n % 26));
    const text = Array.from({ length: 600 }, (_, n) => `${letter(n)}${letter(n / 26)}()`).join('');
    expect(Object.keys(readViews(text))).toHaveLength(100);
  });

  it('lets nonsense and what older versions kept alone', () => {
    expect(readViews('token:group,models;log:ip')).toEqual({});
    expect(readViews('<script>(a.<b>.c!x)')).toEqual({});
    expect(readViews('log(<b>.time!x.ip)')).toEqual({ log: [{ id: 'ip', hidden: false }] });
  });
});
