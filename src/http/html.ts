/** For the few pages that are written by hand, beside the console. */

/** The text as it stands in HTML, also between quotes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
