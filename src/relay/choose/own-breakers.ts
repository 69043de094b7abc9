/**
 * Circuit breakers of callers' own keys. Each key has one, whatever names of models its owner makes up, and one for each
 * model of which its supplier takes no more calls: limits are by the model. Those of his keys are forgotten when he saves
 * one. Nobody else could serve such a call, so that it is refused while the breaker of its key is open.
 */
import { LRUCache } from 'lru-cache';
import { type AppError, fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { asIs, type Text } from '../../core/text.ts';
import type { Candidate, OwnKeyPlace } from '../../modules/channel/model.ts';
import { type CallResult, CircuitBreakers, type OpenReason } from './circuit-breaker.ts';

/** In the place of a model's name. */
export const ANY_MODEL = '';

const IGNORED: CallResult = { kind: 'ignored' };

const WHY: Readonly<Record<OpenReason, Text>> = {
  busy: { zh: '请求过多', en: 'it takes no more calls for now' },
  refused: { zh: '拒绝了您的密钥', en: 'it refused your key' },
  failing: { zh: '连续出错', en: 'it failed again and again' },
};

export class OwnBreakers {
  readonly #ofUser = new LRUCache({
    max: limits.ownBreakerUsers,
    memoMethod: (_: number) => new CircuitBreakers({ modelsMost: limits.ownBreakerModels }),
  });

  of(userId: number): CircuitBreakers {
    return this.#ofUser.memo(userId);
  }

  /** What it says of the key, and of the model that was asked for. */
  note(candidate: Candidate, { userId }: OwnKeyPlace, model: string, result: CallResult): void {
    const breakers = this.of(userId);
    const { kind } = result;
    const isOfBoth = kind === 'success' || kind === 'begun';
    breakers.note(candidate, ANY_MODEL, kind === 'busy' ? IGNORED : result);
    breakers.note(candidate, model, isOfBoth || kind === 'busy' ? result : IGNORED);
  }

  /** The candidate is being asked. */
  begin(candidate: Candidate, { userId }: OwnKeyPlace, model: string): void {
    for (const name of [ANY_MODEL, model]) this.of(userId).begin(candidate, name);
  }

  /** Why the supplier is not asked for this model with this key now; null where it may be. */
  refusal(candidate: Candidate, { userId, supplier }: OwnKeyPlace, model: string): AppError | null {
    const breakers = this.#ofUser.get(userId);
    const open = breakers?.whyOpen(candidate, ANY_MODEL) ?? breakers?.whyOpen(candidate, model);
    if (!open) return null;
    return fail('own_key_resting', {
      retryAfterSec: Math.max(Math.ceil(open.ms / 1_000), 1),
      params: { supplier: asIs(supplier), reason: WHY[open.reason] },
    });
  }

  /** A user has changed his keys; without an id anybody may have. */
  forget(userId?: number): void {
    if (userId === undefined) this.#ofUser.clear();
    else this.#ofUser.delete(userId);
  }
}
