import { type RefObject, useEffect } from 'react';

/** Says on the element at which of its sides more of it lies: what is pinned there gets a shadow. */
export function useScrollEdges(region: RefObject<HTMLElement | null>): void {
  // After every drawing: a list that was empty gets its region only with its first rows.
  useEffect(() => {
    const element = region.current;
    if (!element) return;
    const look = () => {
      const { scrollLeft, scrollWidth, clientWidth } = element;
      element.toggleAttribute('data-more-start', scrollLeft > 0);
      // A scroll may stop half a pixel short of the end.
      element.toggleAttribute('data-more-end', scrollLeft + clientWidth < scrollWidth - 1);
    };
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    for (const child of element.children) watcher.observe(child);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      watcher.disconnect();
      element.removeEventListener('scroll', look);
    };
  });
}
