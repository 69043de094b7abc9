/** Texts and the JSON of tools, as a prompt's measure counts them: whatever a request says goes through here. */
import { sizeOfBytes, sizeOfJson, sizeOfText, type TextSize } from '../core/text-tokens.ts';
import type { PromptSize } from './dialect.ts';

export type TextPart = Required<Pick<PromptSize, 'textBytes' | 'textDense'>>;

const addSize = (prompt: Pick<PromptSize, 'textBytes' | 'textDense'>, { bytes, dense }: TextSize): void => {
  prompt.textBytes += bytes;
  prompt.textDense = (prompt.textDense ?? 0) + dense;
};

export const addText = (prompt: Pick<PromptSize, 'textBytes' | 'textDense'>, text: string): void =>
  addSize(prompt, sizeOfText(text));

/** A text that comes encoded, of at least so many bytes: what is no base64 may be read otherwise elsewhere. */
export function addEncodedText(prompt: PromptSize, text: Uint8Array, least: number): void {
  const { bytes, dense } = sizeOfBytes([text]);
  addSize(prompt, { bytes: Math.max(bytes, least), dense });
}

export function sizeOfTexts(texts: readonly string[]): TextPart {
  const size: TextPart = { textBytes: 0, textDense: 0 };
  for (const text of texts) addText(size, text);
  return size;
}

export type ToolPart = Pick<PromptSize, 'tools'>;

/** Of texts that are JSON, each. */
export const sizeOfTools = (texts: readonly string[]): ToolPart =>
  texts.length === 0 ? {} : { tools: sizeOfJson(texts) };
