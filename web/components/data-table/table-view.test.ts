import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { arrange, firstView, moved, viewOf, withColumn } from './table-view.ts';

const columns = [
  { id: 'open', headless: true, fixed: true },
  { id: 'name', fixed: true },
  { id: 'used' },
  { id: 'code', extra: true },
  { id: 'actions', headless: true, fixed: true },
];
const shown = (kept: Parameters<typeof arrange>[1]) =>
  arrange(columns, kept).map(({ column, hidden }) => (hidden ? `-${column.id}` : column.id));

describe('arrange', () => {
  it('shows at first what the page has made to be shown, in its order', () => {
    expect(shown(undefined)).toEqual(['open', 'name', 'used', '-code', 'actions']);
  });

  it('follows the viewer, and leaves what has no head at the ends', () => {
    const kept = moved(withColumn(firstView(columns), 'code', { hidden: false, width: 90 }), 'code', 0);
    expect(shown(kept)).toEqual(['open', 'code', 'name', 'used', 'actions']);
    expect(arrange(columns, kept)[1]?.width).toBe(90);
    expect(viewOf(arrange(columns, kept))).toEqual(kept);
  });

  it('puts a column that is newer than what is kept where it was made to stand, and forgets one that is gone', () => {
    const kept = [
      { id: 'used', hidden: false },
      { id: 'gone', hidden: false },
      { id: 'name', hidden: false },
    ];
    expect(shown(kept)).toEqual(['open', 'used', '-code', 'name', 'actions']);
  });

  it('shows what cannot be hidden', () => {
    expect(shown(withColumn(firstView(columns), 'name', { hidden: true }))).toContain('name');
  });

  it('has each column once, whatever is kept', () => {
    const id = fc.constantFrom('open', 'name', 'used', 'code', 'actions', 'gone');
    const view = fc.array(fc.record({ id, hidden: fc.boolean() }));
    fc.assert(
      fc.property(view, (kept) => {
        const ids = arrange(columns, kept).map(({ column }) => column.id);
        expect(ids.toSorted()).toEqual(columns.map((column) => column.id).toSorted());
        expect([ids[0], ids.at(-1)]).toEqual(['open', 'actions']);
      }),
    );
  });
});

describe('moved', () => {
  it('stays at the ends', () => {
    const view = firstView(columns);
    expect(moved(view, 'name', -1)).toEqual(view);
    expect(moved(view, 'code', 3)).toEqual(view);
  });
});
