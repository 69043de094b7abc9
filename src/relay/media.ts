/** Fetches what requests name by address, for upstreams that take bytes only. Callers write these addresses: nothing private is reached. */
import { fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { LoadMedia } from '../dialects/inline-media.ts';
import { typeOfName } from '../dialects/media.ts';
import { OutgoingError } from '../platform/outgoing.ts';
import type { RelayDeps } from './deps.ts';
import type { RelayRequest } from './request.ts';

type Loaded = ReturnType<LoadMedia>;

/** What a request has fetched: another try on another channel needs the same. */
const fetched = new WeakMap<RelayRequest, Map<string, Loaded>>();

/** Each address is fetched once a request, and their number and size are bounded. */
export function mediaLoader(request: RelayRequest, deps: Pick<RelayDeps, 'outgoing'>): LoadMedia {
  let known = fetched.get(request);
  if (!known) {
    known = new Map();
    fetched.set(request, known);
  }
  const held = known;
  return (url) => {
    let loading = held.get(url);
    if (loading) return loading;
    if (held.size >= limits.inlineMedia) {
      return Promise.reject(
        refuse(`At most ${limits.inlineMedia} addresses of images and files are fetched`),
      );
    }
    loading = load(url, deps);
    held.set(url, loading);
    return loading;
  };
}

async function load(url: string, { outgoing }: Pick<RelayDeps, 'outgoing'>): Loaded {
  const answer = await outgoing
    .call(url, { timeoutMs: limits.inlineMediaMs, maxBytes: limits.inlineMediaBytes })
    .catch((error: unknown) => {
      throw refuse(REASONS[error instanceof OutgoingError ? error.fault : 'unreachable'] ?? NO_ANSWER);
    });
  if (answer.status !== 200) throw refuse(`An image or file could not be fetched: status ${answer.status}`);
  const told = (answer.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  const mediaType =
    told && told !== 'application/octet-stream' ? told : (typeOfName(url) ?? 'application/octet-stream');
  return { mediaType, data: Buffer.from(answer.body).toString('base64') };
}

const NO_ANSWER = 'An image or file could not be fetched from its address';
const REASONS: Readonly<Record<string, string>> = {
  'bad-address': 'The address of an image or file cannot be fetched',
  'private-address': 'The address of an image or file cannot be fetched',
  'too-large': 'An image or file behind an address is too large',
  timeout: 'An image or file could not be fetched in time',
};

const refuse = (reason: string) => fail('invalid_request', { params: { reason } });
