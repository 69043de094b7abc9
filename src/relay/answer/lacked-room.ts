/**
 * Who lately had an answer made that nobody was shown and nobody paid, because others left no room for it. Two accounts of
 * one person could fill the room by turns, and have everything asked for nothing; to charge it would be to make whoever is
 * kept from his answer pay for it. His next calls ask nobody before room for such an answer is held: so each is refused
 * before it costs anything, or shown and paid. Each time that this was too little it is more, so that it ends soon. Once an
 * answer as large as the lost one was shown, no more is held than it took; a smaller one would be too cheap a way out.
 * What is held ahead for all calls of a user, and of a network, has a bound of its own: it is room that nothing needs yet.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../../core/limits.ts';
import { type Room, together } from '../../platform/body-budget.ts';
import { BytesOfEach } from '../../platform/bytes-of-each.ts';
import { turnSubject } from '../../platform/limiter.ts';
import type { RelayRequest } from '../request.ts';

/** In bytes. */
interface Lack {
  /** The largest answer that was given up. */
  lost: number;
  /** What is held for the next one. */
  ahead: number;
}

export class LackedRoom {
  readonly #lacks = new LRUCache<number, Lack>({ max: limits.lackedRoomUsers, ttl: limits.lackedRoomMs });
  readonly #ofUsers = new BytesOfEach(limits.aheadOfUserBytes);
  readonly #ofNetworks = new BytesOfEach(limits.aheadOfNetworkBytes);

  /** So many bytes of an answer had come when it was given up. */
  noted(userId: number, bytes: number): void {
    const { lost, ahead } = this.#lacks.get(userId) ?? { lost: 0, ahead: 0 };
    const more = Math.max(bytes, ahead) * limits.lackedRoomGrows;
    this.#lacks.set(userId, {
      lost: Math.max(bytes, lost),
      ahead: Math.min(more, limits.upstreamPlainBytes),
    });
  }

  /** An answer of so many bytes was had; an hour after the last loss it is over all the same. */
  fitted(userId: number, bytes: number): void {
    const lack = this.#lacks.get(userId);
    if (!lack || bytes < lack.lost || bytes >= lack.ahead) return;
    this.#lacks.set(userId, { ...lack, ahead: bytes }, { noUpdateTTL: true });
  }

  /** What the user's next answer must have room for. */
  of(userId: number): number {
    return this.#lacks.get(userId)?.ahead ?? 0;
  }

  /** Of all that may be held ahead, what one who asks has. */
  aheadRoom({ userId, ip }: Pick<RelayRequest, 'userId' | 'ip'>): Room {
    return together(this.#ofUsers.of(userId), this.#ofNetworks.of(turnSubject(ip)));
  }
}
