/** Copying that says the truth: it has succeeded only when the browser says so. */

/** The clipboard API needs https; where it is missing or refuses, the older command is tried inside `container`. */
export async function copyText(text: string, container: HTMLElement = document.body): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByCommand(text, container);
  }
}

/** The area stands inside the open dialog, if there is one: a focus trap would take the selection from it elsewhere. */
function copyByCommand(text: string, container: HTMLElement): boolean {
  const before = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.style.cssText = 'position:fixed;inset:0 auto auto 0;opacity:0;pointer-events:none';
  container.append(area);
  try {
    area.select();
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    area.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}
