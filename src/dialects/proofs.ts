/**
 * What stands in the proofs of reasoning. Only its maker can open one, and he checks it; but whoever writes a request can
 * put a text there, and not everybody who is sent one checks it. What does not look sealed is words like any other.
 */
import { flatObject } from '../core/inner-json.ts';
import type { JsonObject } from '../core/json.ts';
import { SIGNATURE_BYTES_MOST } from '../core/signed-thoughts.ts';
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

/**
 * What only its maker can open is held by its bytes, as far as a part's own text does not say it: newer models of Anthropic
 * keep the whole thought there, of which the text is a summary. Google's count by the model that reads them
 * (`core/signed-thoughts.ts`), wherever they stand but beside a picture, which is all that such a one seals.
 */
export function addSealed(prompt: PromptSize, part: Part): void {
  const encrypted = part.type === 'thinking' ? (part.encrypted ?? '') : '';
  if (encrypted !== '' || proofsOf(part).some((text) => text !== '')) prompt.sizedByVendor = true;
  const bytes = sealedBytes(part);
  if (bytes === 0 || part.type === 'image') return;
  if (part.type === 'thinking' && !isOfGoogle(part))
    prompt.textBytes += Math.max(0, bytes - Buffer.byteLength(part.text));
  else prompt.signedBytes = (prompt.signedBytes ?? 0) + Math.min(bytes, SIGNATURE_BYTES_MOST);
}

/** Of all that looks sealed in what proves a part. */
function sealedBytes(part: Part): number {
  const chars = proofsOf(part)
    .filter(isBase64)
    .reduce((sum, { length }) => sum + length, 0);
  return Math.ceil((chars * 3) / 4);
}

/** Whether a value looks sealed in what only one wire knows, in JSON. */
export const holdsSealed = (json: string): boolean => SEALED_VALUE.test(json);
/** Of as many digits as no name has. */
const SEALED_VALUE = /"[\w+/=-]{64,}"/;

/** Those that a model may read as words. */
export const unsealed = (part: Part): string[] => proofsOf(part).filter((text) => !isSealed(text));

/** On the chat wire what he sealed comes through others, who name its form. */
const isOfGoogle = ({ origin, signature = '' }: ThinkingPart): boolean =>
  origin === 'gemini' || (origin === 'openai-chat' && isGooglesForm(detailIn(signature)?.format));

/** What is sealed on the chat wire says in whose form. */
export const isGooglesForm = (format: unknown): boolean => String(format).startsWith('google-');
