/** Addresses that an operator gives and others open: pages and files of the web, and nothing that would run. */

export const WEB_ADDRESS_MAX = 2_000;

export const isWebAddress = (text: string): boolean =>
  /^https?:\/\//i.test(text) && text.length <= WEB_ADDRESS_MAX && URL.canParse(text);
