/**
 * What proves a piece of reasoning (signatures, encrypted text) belongs to the dialect that made it, but has to travel
 * through clients of another one and come back. It goes where that client's dialect keeps such proofs, as base64 text
 * that says whose it is, so that the next request can be written for its maker again and is never sent to anyone else.
 */
import { flatObject } from '../core/inner-json.ts';
import type { JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import type { DialectId } from './dialect.ts';
import type { ThinkingPart } from './neutral.ts';

/** How base64 of `{"origin":` begins: its first nine bytes give these twelve letters whatever follows. */
const HEAD = Buffer.from('{"origin":').toString('base64').slice(0, 12);

type Proof = Pick<ThinkingPart, 'signature' | 'encrypted' | 'id' | 'summary' | 'mark'>;

/** The proof of a part as one text; undefined when it has none. */
export function carry(part: Proof & { origin: DialectId }): string | undefined {
  const { origin, signature, encrypted, id, summary, mark } = part;
  if (signature === undefined && encrypted === undefined) return undefined;
  return Buffer.from(JSON.stringify({ origin, signature, encrypted, id, summary, mark })).toString('base64');
}

/** Whether a signature is one that `carry` made; cheap, for bodies that are otherwise passed as they are. */
export const isCarried = (signature: unknown): boolean =>
  typeof signature === 'string' && signature.startsWith(HEAD);

/**
 * Whose proof a text is: what `carry` was given, or the text itself as the signature of `dialect`. Anybody can write what
 * begins as a carried one: it proves nothing unless it is letter for letter what `carry` makes, and not of its own
 * dialect, whose proofs need not be carried. What then stands in it is measured as if it came by itself: `proofs.ts`.
 */
export function uncarry(text: string, dialect: DialectId): Proof & { origin: DialectId } {
  if (!isCarried(text)) return { origin: dialect, signature: text };
  const told = text.length > limits.carriedProofChars ? undefined : proofIn(text);
  return told && told.origin !== dialect && carry(told) === text ? told : { origin: dialect };
}

/** Its origin and those of a proof. */
const FIELDS = 6;

/** Nobody has judged what stands in it: whatever holds more than a proof does is not parsed. */
function proofIn(carried: string): (Proof & { origin: DialectId }) | undefined {
  const told: JsonObject = flatObject(Buffer.from(carried, 'base64').toString(), FIELDS) ?? {};
  if (!isDialectId(told.origin)) return undefined;
  return {
    origin: told.origin,
    ...(typeof told.signature === 'string' && { signature: told.signature }),
    ...(typeof told.encrypted === 'string' && { encrypted: told.encrypted }),
    ...(typeof told.id === 'string' && { id: told.id }),
    ...(told.summary === true && { summary: true }),
    ...(typeof told.mark === 'string' && { mark: told.mark }),
  };
}

/** The dialects whose answers hold such proofs. */
const MAKERS: ReadonlySet<unknown> = new Set<DialectId>([
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
  'bedrock-converse',
]);

const isDialectId = (value: unknown): value is DialectId => MAKERS.has(value);
