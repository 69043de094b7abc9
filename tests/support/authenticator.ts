/**
 * A device that holds passkeys, as WebAuthn describes one: ES256 keys, no certificates, a counter. It does what it is
 * told, also what no real one would.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const sha256 = (data: Uint8Array | string): Buffer => createHash('sha256').update(data).digest();
const text = (data: Uint8Array): string => Buffer.from(data).toString('base64url');

type Cbor = number | string | Uint8Array | Map<number | string, Cbor> | readonly Cbor[];

/** CBOR (RFC 8949), as far as keys and attestations need it. */
function cbor(value: Cbor): Buffer {
  const head = (major: number, n: number): Buffer => {
    if (n < 24) return Buffer.from([(major << 5) | n]);
    if (n < 256) return Buffer.from([(major << 5) | 24, n]);
    return Buffer.from([(major << 5) | 25, n >> 8, n & 255]);
  };
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) {
    const pairs = [...value].flatMap(([key, one]) => [cbor(key), cbor(one)]);
    return Buffer.concat([head(5, value.size), ...pairs]);
  }
  return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_KEY = 0x40;

/** What differs from how a sound device and browser answer. */
export interface Odd {
  origin?: string;
  rpId?: string;
  challenge?: string;
  /** False for one that asks nobody who holds it. */
  verified?: boolean;
  counter?: number;
  userHandle?: string | null;
  /** Of the attestation. */
  fmt?: string;
  x5c?: readonly Uint8Array[];
}

export interface Credential {
  id: string;
  key: KeyObject;
  rpId: string;
  userHandle: string;
  counter: number;
}

export class Authenticator {
  readonly credentials: Credential[] = [];

  constructor(readonly origin: string) {}

  #clientData(type: string, challenge: string, odd: Odd): Buffer {
    return Buffer.from(
      JSON.stringify({ type, challenge, origin: odd.origin ?? this.origin, crossOrigin: false }),
    );
  }

  #flags(odd: Odd): number {
    return PRESENT | (odd.verified === false ? 0 : VERIFIED);
  }

  /** Makes a key for the options of a registration. */
  register(options: { challenge: string; rp: { id?: string }; user: { id: string } }, odd: Odd = {}) {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const id = randomBytes(16);
    const rpId = odd.rpId ?? options.rp.id ?? '';
    const cose = cbor(
      new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    );
    const length = Buffer.from([0, id.length]);
    const data = Buffer.concat([
      this.#authData(rpId, this.#flags(odd) | HAS_KEY, odd.counter ?? 0),
      Buffer.alloc(16),
      length,
      id,
      cose,
    ]);
    const statement = new Map<string, Cbor>(odd.x5c ? [['x5c', odd.x5c]] : []);
    const attestation = cbor(
      new Map<string, Cbor>([
        ['fmt', odd.fmt ?? 'none'],
        ['attStmt', statement],
        ['authData', data],
      ]),
    );
    const credential = {
      id: text(id),
      key: privateKey,
      rpId,
      userHandle: options.user.id,
      counter: odd.counter ?? 0,
    };
    this.credentials.push(credential);
    return {
      id: credential.id,
      rawId: credential.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: text(this.#clientData('webauthn.create', odd.challenge ?? options.challenge, odd)),
        attestationObject: text(attestation),
        transports: ['internal'],
      },
    };
  }

  /** Proves a key for the options of a sign-in; its last one unless told. */
  prove(options: { challenge: string }, odd: Odd = {}, credential = this.credentials.at(-1)) {
    if (!credential) throw new Error('the device holds no key');
    credential.counter += 1;
    const clientData = this.#clientData('webauthn.get', odd.challenge ?? options.challenge, odd);
    const rpId = odd.rpId ?? credential.rpId;
    const data = this.#authData(rpId, this.#flags(odd), odd.counter ?? credential.counter);
    const userHandle = odd.userHandle === undefined ? credential.userHandle : odd.userHandle;
    return {
      id: credential.id,
      rawId: credential.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: text(clientData),
        authenticatorData: text(data),
        signature: text(sign('sha256', Buffer.concat([data, sha256(clientData)]), credential.key)),
        ...(userHandle !== null && { userHandle }),
      },
    };
  }

  #authData(rpId: string, flags: number, counter: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count]);
  }
}
