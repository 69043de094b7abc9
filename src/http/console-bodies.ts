/** The room of the console's bodies: how much each call may send, and how much all of them hold in memory. */
import { limits } from '../core/limits.ts';
import { hasRole, ROLE } from '../core/roles.ts';
import { BodyBudget, type HeldBytes, together } from '../platform/body-budget.ts';
import { ComingBodies } from '../platform/coming-bodies.ts';
import { providerNetwork, turnSubject } from '../platform/limiter.ts';
import { leastOf } from './admitted.ts';
import { type BodyMost, bodyMost } from './body-size.ts';
import { type RequestContext, shareOf } from './context.ts';

/** A call as the app that answers it lists it. */
interface Route {
  method: string;
  path: string;
  hooks: { body?: unknown; transform?: unknown };
}

/** Both forms of an address are one call. */
const nameOf = (method: string, path: string): string => `${method} ${path.replace(/\/$/, '')}`;

/** Of a call that is not known, too. */
const OF_GUESTS = bodyMost(undefined);

export class ConsoleBodies {
  readonly #most = new Map<string, BodyMost>();
  readonly #ofUsers = new BodyBudget(limits.userFormsBytes);
  readonly #ofGuests = new BodyBudget(limits.guestFormsBytes);
  readonly #held = new WeakMap<Request, HeldBytes>();

  /** `coming`: the places of those on their way, which no answer has yet. */
  constructor(readonly coming: ComingBodies = new ComingBodies(() => limits.comingBodies)) {}

  /** Those in memory now. */
  get bytes(): number {
    return this.#ofUsers.bytes + this.#ofGuests.bytes;
  }

  /**
   * Notes how large the bodies of these calls may be, by their schemas. Throws for one below administrators whose form has
   * no end: as many values as any form may have are some tenth of a second in which nobody else is answered.
   */
  learn(routes: readonly Route[]): void {
    for (const { method, path, hooks } of routes) {
      const most = bodyMost(hooks.body);
      if (!most.isBounded && !hasRole(ROLE[leastOf(hooks)], 'admin')) {
        throw new Error(`${method} ${path}: a text, list or table of its form has no bound`);
      }
      this.#most.set(nameOf(method, path), most);
    }
  }

  /** The most that a body for this call may be. Guests have nothing long to say. */
  mostFor({ viewer }: RequestContext, method: string, path: string): BodyMost {
    const most = this.#most.get(nameOf(method, path)) ?? OF_GUESTS;
    if (viewer) return most;
    return {
      ...most,
      bytes: Math.min(most.bytes, OF_GUESTS.bytes),
      names: Math.min(most.names, OF_GUESTS.names),
    };
  }

  /** Room for the body of a request; it is held until `release`. */
  hold(request: Request, { viewer, clientIp }: RequestContext): HeldBytes {
    const network = networkOf(clientIp);
    const { name, within } = network;
    const names = within === name ? [name] : [name, within];
    const held = viewer
      ? together(this.#ofUsers.of(shareOf(viewer)), this.coming.of(shareOf(viewer), ...names)).hold()
      : together(this.#ofGuests.of(network), this.coming.of(...names)).hold();
    this.#held.set(request, held);
    return held;
  }

  /** Gives back what is held for a request, if anything. */
  release(request: Request): void {
    this.#held.get(request)?.release();
  }
}

/** A guest's network, within his provider's: there are 65,536 of /48 in a /32. */
export function networkOf(ip: string): Record<'name' | 'within', string> {
  const name = turnSubject(ip);
  return { name, within: providerNetwork(ip)?.subject ?? name };
}
