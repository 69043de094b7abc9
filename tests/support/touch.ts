/** How large what a finger presses is: measured where it is pressed, with all that lies over it. */
import type { Page } from 'playwright';

/** Pixels, by the guidelines of accessibility (WCAG 2.5.5). */
export const FINGER = 44;

/**
 * Controls of a page that are smaller than a finger, as `44×20 a “Sign in”`. How large one is: how far one can go from its
 * middle to each side and still press it, or the label that belongs to it. Links in running text may be as low as it is.
 */
export function tooSmall(page: Page): Promise<string[]> {
  return page.evaluate((least) => {
    const CONTROLS =
      'a[href], button, input:not([type=hidden]), select, textarea, summary, [role=slider], [role=option], [role^=menuitem]';

    const isShown = (control: Element): boolean => {
      const box = control.getBoundingClientRect();
      const isThere = control.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      // What only screen readers meet is a pixel, and nobody presses what cannot be pressed.
      // The head of a list of cards: it is there for those who do not see the cards.
      if (
        control.closest('thead') &&
        getComputedStyle(control.closest('thead') ?? control).clipPath !== 'none'
      )
        return false;
      return isThere && box.width > 2 && box.height > 2 && !control.matches(':disabled');
    };
    /** Between words of a sentence. */
    const isInText = (control: Element): boolean => {
      if (!getComputedStyle(control).display.startsWith('inline') || !control.matches('a, button'))
        return false;
      const block = control.closest('p, li, dd, td, legend, label, div, span:not(:only-child)');
      const own = control.textContent?.trim() ?? '';
      const all = block?.textContent?.trim() ?? '';
      return own !== '' && all.length > own.length && /[\p{L}\p{N}]/u.test(all.replace(own, ''));
    };
    const size = (control: Element): [number, number] => {
      control.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
      const box = control.getBoundingClientRect();
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      const presses = (atX: number, atY: number): boolean => {
        const hit = document.elementFromPoint(atX, atY);
        if (!hit) return false;
        if (control.contains(hit)) return true;
        // A row is pressed for what opens it, wherever there is nothing else to press.
        const row = hit.closest('a, button, input, select, textarea, label, summary')
          ? null
          : hit.closest('tr');
        if (row?.querySelector(':is([data-opens] a, [data-opens] button)') === control) return true;
        return (
          hit.closest('label')?.control === control && hit.closest('a, button, select, textarea') === null
        );
      };
      // Beside the window until it has the focus: the way past the menu.
      if (box.bottom <= 0 || box.right <= 0) return [least, least];
      if (!presses(x, y)) return [0, 0];
      const reach = (dx: number, dy: number, most: number): number => {
        let steps = 0;
        while (steps < most && presses(x + dx * (steps + 1), y + dy * (steps + 1))) steps++;
        return steps;
      };
      // What is as large as a finger may be larger: each step is a question to the browser.
      const along = (dx: number, dy: number): number => {
        const back = reach(-dx, -dy, least - 1);
        return back + reach(dx, dy, least - 1 - back) + 1;
      };
      return [along(1, 0), along(0, 1)];
    };

    const dialogs = [...document.querySelectorAll('[role=dialog], [role=alertdialog], [role=menu]')];
    const within = dialogs.at(-1) ?? document;
    return [...within.querySelectorAll(CONTROLS)].filter(isShown).flatMap((control) => {
      const [width, height] = size(control);
      // A pixel is lost to fractions at each side.
      if (width >= least - 1 && height >= least - 1) return [];
      if (isInText(control)) return [];
      const name = control.getAttribute('aria-label') ?? control.textContent?.trim() ?? '';
      return [`${width}×${height} ${control.tagName.toLowerCase()} “${name.slice(0, 40)}”`];
    });
  }, FINGER);
}

/** Controls whose words stick out of them, and lie over their neighbours', as `a “Sign in” by 12`. */
export const sticksOut = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const box = (one: Element | Range) => one.getBoundingClientRect();
    /** Without those that only screen readers meet, which are a pixel wide. */
    const texts = (control: Element): DOMRect[] => {
      const walker = document.createTreeWalker(control, NodeFilter.SHOW_TEXT);
      const found: DOMRect[] = [];
      while (walker.nextNode()) {
        const { parentElement } = walker.currentNode;
        const range = document.createRange();
        range.selectNodeContents(walker.currentNode);
        if (parentElement && box(parentElement).width > 2) found.push(box(range));
      }
      return found;
    };
    return [...document.querySelectorAll(':is(a[href], button):not(thead *)')].flatMap((control) => {
      const { overflowX, display } = getComputedStyle(control);
      if (!control.checkVisibility() || display === 'inline' || overflowX !== 'visible') return [];
      const { left, right } = box(control);
      const by = Math.max(0, ...texts(control).map((text) => Math.max(text.right - right, left - text.left)));
      // A pixel is lost to fractions.
      if (by <= 1) return [];
      const name = control.textContent?.trim().slice(0, 40) ?? '';
      return [`${control.tagName.toLowerCase()} “${name}” by ${Math.round(by)}`];
    });
  });
