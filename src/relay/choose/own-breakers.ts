/**
 * Circuit breakers of callers' own keys. Each key has one, whatever names of models its owner makes up, and those of his
 * keys are forgotten when he saves one. Nobody else could serve such a call, so that it is refused while its key rests.
 */
import { LRUCache } from 'lru-cache';
import { type AppError, fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { asIs, type Text } from '../../core/text.ts';
import type { Candidate, OwnKeyPlace } from '../../modules/channel/model.ts';
import { CircuitBreakers, type RestReason } from './circuit-breaker.ts';

/** In the place of a model's name. */
export const ANY_MODEL = '';

const WHY: Readonly<Record<RestReason, Text>> = {
  busy: { zh: '请求过多', en: 'it takes no more calls for now' },
  refused: { zh: '拒绝了您的密钥', en: 'it refused your key' },
  failing: { zh: '连续出错', en: 'it failed again and again' },
};

export class OwnBreakers {
  readonly #ofUser = new LRUCache<number, CircuitBreakers>({ max: limits.ownBreakerUsers });

  of(userId: number): CircuitBreakers {
    let breakers = this.#ofUser.get(userId);
    if (!breakers) {
      breakers = new CircuitBreakers();
      this.#ofUser.set(userId, breakers);
    }
    return breakers;
  }

  /** Why the supplier is not asked with this key now; null where it may be. */
  refusal(candidate: Candidate, { userId, supplier }: OwnKeyPlace): AppError | null {
    const rest = this.#ofUser.get(userId)?.restOf(candidate, ANY_MODEL);
    if (!rest) return null;
    return fail('own_key_resting', {
      retryAfterSec: Math.max(Math.ceil(rest.ms / 1_000), 1),
      params: { supplier: asIs(supplier), reason: WHY[rest.reason] },
    });
  }

  /** A user has changed his keys; without an id anybody may have. */
  forget(userId?: number): void {
    if (userId === undefined) this.#ofUser.clear();
    else this.#ofUser.delete(userId);
  }
}
