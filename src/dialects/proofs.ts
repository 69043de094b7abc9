/**
 * What stands in the proofs of reasoning. Only its maker can open one, and he checks it; but whoever writes a request can
 * put a text there, and not everybody who is sent one checks it. What does not look sealed is words like any other.
 */
import { flatObject } from '../core/inner-json.ts';
import type { JsonObject } from '../core/json.ts';
import { isBase64, isSealed } from './base64.ts';
import type { PromptSize } from './dialect.ts';
import type { Part, ThinkingPart } from './neutral.ts';

/** What a proof of the chat wire says is flat, and no more than these: type, id, format, index, signature, data. */
const DETAIL_FIELDS = 6;

/** Undefined for what that wire has never written, which anybody may have put there. */
export const detailIn = (signature: string): JsonObject | undefined => flatObject(signature, DETAIL_FIELDS);

/** Every text in what proves a part to its maker. On the chat wire that is an object. */
function proofsOf(part: Part): string[] {
  if (part.type !== 'thinking') return 'signature' in part ? [part.signature ?? ''] : [];
  const { origin, signature = '', id = '' } = part;
  return [id, ...(origin === 'openai-chat' ? Object.values(detailIn(signature) ?? {}) : [signature])].filter(
    (text) => typeof text === 'string',
  );
}

/** What only its maker can open is held by its bytes, whatever it stands for. */
export function addSealed(prompt: PromptSize, part: Part): void {
  const encrypted = part.type === 'thinking' ? (part.encrypted ?? '') : '';
  if (encrypted !== '' || proofsOf(part).some((text) => text !== '')) prompt.sizedByVendor = true;
  prompt.textBytes += sealedBytes(part);
}

/** Whether a value looks sealed in what only one wire knows, in JSON. */
export const holdsSealed = (json: string): boolean => SEALED_VALUE.test(json);
/** Of as many digits as no name has. */
const SEALED_VALUE = /"[\w+/=-]{64,}"/;

/** Those that a model may read as words. */
export const unsealed = (part: Part): string[] => proofsOf(part).filter((text) => !isSealed(text));

/**
 * Bytes that its maker may read in the sealed ones beyond the part's own text: newer models of Anthropic keep the whole
 * thought there, of which the text is a summary. Google keeps whole pictures so, and charges for none of it.
 */
function sealedBytes(part: Part): number {
  if (part.type !== 'thinking' || isOfGoogle(part)) return 0;
  const chars = proofsOf(part)
    .filter(isBase64)
    .reduce((sum, { length }) => sum + length, 0);
  return chars === 0 ? 0 : Math.max(0, Math.ceil((chars * 3) / 4) - Buffer.byteLength(part.text));
}

/** On the chat wire what he sealed comes through others, who name its form. */
const isOfGoogle = ({ origin, signature = '' }: ThinkingPart): boolean =>
  origin === 'gemini' ||
  (origin === 'openai-chat' && String(detailIn(signature)?.format).startsWith('google-'));
