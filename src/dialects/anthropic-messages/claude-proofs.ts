/**
 * Whose proof a thought of a history has, and with which it goes up. Claude takes Anthropic's alone, and refuses the whole
 * request for any other. Makers who want thoughts back refuse a request without them, and take them without a proof.
 */
import { limits } from '../../core/limits.ts';
import { namesClaude } from '../../core/model-families.ts';
import { isDigits } from '../base64.ts';
import { isCarried } from '../carried.ts';
import type { DialectId, ForwardSettings } from '../dialect.ts';
import type { ThinkingPart } from '../neutral.ts';

/** Who is given a history. */
export type ThoughtsReader = Pick<ForwardSettings, 'model' | 'wantsThoughts'>;

/**
 * The proof with which a thought goes up, of the one that it came with; both are empty where there is none. Undefined where
 * the thought stays behind. Who but Anthropic has signed on this wire cannot be told, so that it goes back to all others.
 */
export function proofFor({ model, wantsThoughts }: ThoughtsReader, signature: string): string | undefined {
  if (namesClaude(model)) return isAnthropics(signature) ? signature : undefined;
  if (signature !== '' && !isCarried(signature)) return signature;
  return wantsThoughts ? '' : undefined;
}

/** The same of a part, which other wires may have brought. */
export const proofOf = (
  { origin, signature = '' }: ThinkingPart,
  reader: ThoughtsReader,
): string | undefined => proofFor(reader, isOfThisWire(origin) ? signature : '');

/** Bedrock has another wire for what is signed on this one. */
export const isOfThisWire = (origin: DialectId): boolean =>
  origin === 'anthropic-messages' || origin === 'bedrock-converse';

/**
 * Whether it has the form of Anthropic's: base64 of a protobuf, whose fields are others with each generation of models
 * (`E…` up to Opus 4.8, `C…` of Opus 5). Google's cloud has it twice in base64 (`R…`, `Q…`) or puts a name before it
 * (`claude#`). DeepSeek signs with an id, MiniMax with a digest, Kimi with bytes that have no form.
 */
function isAnthropics(signature: string): boolean {
  // Of thoughts none is nearly so long, and longer ones take long to look through.
  if (signature.length > limits.carriedProofChars) return false;
  const bytes = bytesIn(signature.slice(signature.indexOf('#') + 1));
  return isProtobuf(bytes) || isProtobuf(bytesIn(bytes.toString('latin1')));
}

const bytesIn = (base64: string): Buffer => Buffer.from(isDigits(base64) ? base64 : '', 'base64');

/** Whether all of it is fields, one behind the other to the last byte: what has no form is so by no accident. */
function isProtobuf(bytes: Buffer): boolean {
  let at = 0;
  const number = (): number => {
    let read = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = bytes[at++] ?? 0;
      read += (byte % 0x80) * scale;
      if (byte < 0x80) return read;
    }
  };
  while (at < bytes.length) {
    // The number of a field, which is never 0 and of few fields never high, and the kind of its value.
    const tag = number();
    if (tag < 8 || tag >= 0x80) return false;
    switch (tag % 8) {
      case 0:
        number();
        break;
      case 1:
        at += 8;
        break;
      case 2: {
        const length = number();
        at += length;
        break;
      }
      case 5:
        at += 4;
        break;
      default:
        return false;
    }
  }
  return at > 0 && at === bytes.length;
}
