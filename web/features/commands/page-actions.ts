/** What the page behind the palette offers at its head, by the words that stand there. */

export interface PageAction {
  name: string;
  run(): void;
}

function press(control: HTMLElement): void {
  control.focus();
  control.click();
}

/** Without those that cannot be pressed now, or are not shown at this width. */
export function pageActions(): PageAction[] {
  const controls = document.querySelectorAll<HTMLElement>(
    'main [data-page-actions] :is(a, button):not(:disabled, [aria-disabled=true])',
  );
  return [...controls].flatMap((control) => {
    const name = (control.getAttribute('aria-label') ?? control.textContent ?? '').trim();
    const isShown = control.checkVisibility({ visibilityProperty: true });
    return name === '' || !isShown ? [] : [{ name, run: () => press(control) }];
  });
}
