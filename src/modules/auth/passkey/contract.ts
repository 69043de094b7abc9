/** What the calls of passkeys take and answer. */
import { z } from 'zod';
import { wireText } from '../../../core/wire/text.ts';
import { askedId } from '../../../core/wire/whole.ts';
import type { PasskeyObstacle } from '../facts.ts';

/** Of a key with its attestation some hundred bytes; those of quantum-safe keys have a few thousand. */
const bytes = wireText(20_000);

const name = wireText(300);

/** As `PublicKeyCredential.toJSON` gives it; what nobody reads is not taken. */
const credential = { id: bytes, rawId: bytes, type: z.literal('public-key') };

const registration = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes,
    attestationObject: bytes,
    transports: z.array(wireText(30)).max(10).optional(),
  }),
});

const assertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: bytes.nullish(),
  }),
});

export type Registration = z.output<typeof registration>;
export type Assertion = z.output<typeof assertion>;

/** `second`: in the place of a code, after the password. */
export const beginBody = z.object({ second: z.boolean().nullish() });
export const signInBody = beginBody.extend({ response: assertion });

export const addBody = z.object({ name, response: registration });
export const renameBody = z.object({ name });
export const passkeyParams = z.object({ passkey: askedId });
export const userParams = z.object({ id: askedId });
export const userPasskeyParams = z.object({ id: askedId, passkey: askedId });

export interface PasskeyItem {
  id: number;
  name: string;
  /** The host that it was made for. */
  host: string;
  /** Whether it can be used at the present address. */
  here: boolean;
  created_at: number;
  /** 0 for never. */
  used_at: number;
}

export interface OwnPasskeys {
  items: PasskeyItem[];
  /** Why none can be added or used here, or null; and the host where they can. */
  obstacle: PasskeyObstacle | null;
  host: string;
}
