/** The browser's texts: each file of code brings those that it asks for, which the build has put before it. */
import type { CompiledMessage } from 'icu-minify/format';
import type { TextKey } from './text-key.ts';

declare global {
  /** Those of all files that are loaded, in the language of the page. */
  var consoleTexts: Readonly<Partial<Record<TextKey, CompiledMessage>>> | undefined;
}

/** One that no loaded file has brought is a bug of the build: it must be heard, and tests listen. */
export function broughtText(key: TextKey): CompiledMessage | undefined {
  const text = globalThis.consoleTexts?.[key];
  if (text === undefined) reportError(new Error(`no file has brought the text ${key}`));
  return text;
}
