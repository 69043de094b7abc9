/** What the calls of passkeys take and answer. */
import { z } from 'zod';
import { wireText } from '../../../core/wire/text.ts';
import { askedId } from '../../../core/wire/whole.ts';
import type { PasskeyObstacle } from '../facts.ts';

/** Of bytes in base64url: a credential's name has 1,023 at most (WebAuthn 3, 4), that of a user 64. */
const credentialId = wireText(1_400);
const userHandle = wireText(100);
const told = wireText(4_000);
/** Those of quantum-safe keys have a few thousand bytes, and an attestation some certificates beside them. */
const signature = wireText(8_000);
const attestation = wireText(20_000);

const name = wireText(300);

/** As `PublicKeyCredential.toJSON` gives it; what nobody reads is not taken. */
const credential = { id: credentialId, rawId: credentialId, type: z.literal('public-key') };

const registration = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: told,
    attestationObject: attestation,
    transports: z.array(wireText(30)).max(10).optional(),
  }),
});

const assertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: told,
    authenticatorData: told,
    signature,
    userHandle: userHandle.nullish(),
  }),
});

export type Registration = z.output<typeof registration>;
export type Assertion = z.output<typeof assertion>;

/** `second`: in the place of a code, after the password. */
export const beginBody = z.object({ second: z.boolean().nullish() });
export const signInBody = beginBody.extend({ response: assertion });

/** A code of the second factor, or a backup code, of whoever has it on. */
export const codeBody = z.object({ code: wireText(100).nullish() });
export const addBody = z.object({ name, response: registration });
export const renameBody = z.object({ name });
export const passkeyParams = z.object({ passkey: askedId });
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
  /** It is asked for after the password, and lets nobody in by itself: the account was recovered since. */
  second_only: boolean;
}

export interface OwnPasskeys {
  items: PasskeyItem[];
  /** Why none can be added or used here, or null; and the host where they can. */
  obstacle: PasskeyObstacle | null;
  host: string;
}
