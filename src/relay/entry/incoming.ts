/** A call as it arrives, of which no more is known than where it came. */
import type { JsonObject } from '../../core/json.ts';
import type { PathFacts } from '../../dialects/dialect.ts';
import type { Caller } from '../../modules/token/callers.ts';
import type { SocketPeer } from '../../platform/sockets.ts';
import type { RelayDeps } from '../deps.ts';
import type { Admitted } from '../request.ts';
import { authenticate } from './admit.ts';
import type { Endpoint } from './endpoints.ts';

export interface Incoming {
  readonly request: Request;
  readonly ip: string;
  readonly endpoint: Omit<Endpoint, 'path'>;
  /** What the path says where the body does not. */
  readonly path: PathFacts;
  readonly query: URLSearchParams;
  /** The key outside of the headers for it, where one may stand there. */
  readonly key?: string | null;
  /** Absent where a key says who calls. */
  readonly admission?: Admission;
  /** Makes it a websocket, of a call that becomes one; false when the caller has gone. */
  upgrade?(peer: SocketPeer, requestId: string): boolean;
}

/** What the call gives to its admission. */
interface AdmissionParts {
  read(userId: number): Promise<JsonObject>;
  /** Told who calls as soon as that is known, also where he is then kept out. */
  met(caller: Caller): void;
}

/** Finds out who calls, before the body is read, and what of it is the call's. Throws what keeps him out. */
export type Admission = (
  incoming: Incoming,
  parts: AdmissionParts,
  deps: RelayDeps,
) => Promise<{ admitted: Admitted; body: JsonObject }>;

export const byKey: Admission = async ({ request: { headers }, ip, key }, { read, met }, deps) => {
  const admitted = await authenticate({ headers, ip, key, met }, deps);
  return { admitted, body: await read(admitted.caller.userId) };
};
