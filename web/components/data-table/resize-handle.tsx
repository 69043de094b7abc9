import type { PointerEvent } from 'react';
import { boundedWidth } from '@/lib/table-views.ts';

/** Undefined for as wide as it needs. */
export type OnWidth = (width: number | undefined) => void;

/**
 * The edge of a head: dragged it makes the column wider or narrower, pressed twice as wide as it needs. The panel of columns
 * does the same by keyboard.
 */
export const ResizeHandle = ({ onWidth }: { onWidth: OnWidth }) => (
  <span
    aria-hidden="true"
    className="absolute inset-y-1 right-0 w-1.5 cursor-col-resize touch-none rounded-full hover:bg-accent max-md:hidden"
    onPointerDown={(event) => drag(event, onWidth)}
    onDoubleClick={() => onWidth(undefined)}
  />
);

/** While it is dragged the cells follow by themselves; the table hears of it at the end, for it may have many rows. */
function drag(
  { button, pointerId, clientX, currentTarget: handle }: PointerEvent<HTMLElement>,
  onWidth: OnWidth,
) {
  const head = handle.closest('th');
  const table = handle.closest('table');
  if (button !== 0 || !head || !table) return;
  const cells = [...table.rows].flatMap((row) =>
    row.hasAttribute('data-detail') ? [] : (row.cells[head.cellIndex] ?? []),
  );
  const begin = head.offsetWidth;
  let width: number | undefined;
  const follow = (event: globalThis.PointerEvent) => {
    width = boundedWidth(begin + event.clientX - clientX);
    for (const { style } of cells) style.width = style.minWidth = style.maxWidth = `${width}px`;
  };
  handle.setPointerCapture(pointerId);
  handle.addEventListener('pointermove', follow);
  handle.addEventListener(
    'lostpointercapture',
    () => {
      handle.removeEventListener('pointermove', follow);
      if (width !== undefined) onWidth(width);
    },
    { once: true },
  );
}
