/**
 * Which channels and keys rest for a model because they failed just now. What fails again and again is left alone for a
 * while; then one call alone tries it, and its outcome decides for all. A refusal for too many calls (429) and a refused
 * key rest that key at once, for as long as the upstream says. Each process learns by itself.
 *
 * Only what failed lately is remembered, so that a look-up costs nothing while all is well.
 */

import { limits } from '../../core/limits.ts';
import type { Reason } from '../../core/reasons.ts';
import type { Candidate, RoutedChannel } from '../../modules/channel/model.ts';

/** What an attempt says about who was asked. */
export type Verdict =
  /** It answered, though perhaps with a refusal that is the caller's own. */
  | { kind: 'well' }
  /** Its stream has begun, which ends a rest; how it ends is told later. */
  | { kind: 'opened' }
  /** It says nothing: the caller left, or the channel was never asked. */
  | { kind: 'nothing' }
  | { kind: 'busy'; retryAfterSec: number | undefined }
  | { kind: 'refused' }
  | { kind: 'failed'; isLate: boolean; reason: Reason };

/** How someone who failed for a model stands. */
interface Standing {
  /** Failures without a success between them. */
  inARow: number;
  windowFrom: number;
  good: number;
  bad: number;
  /** Rests until then; 0 for one that only counts. */
  until: number;
  /** It has failed a call that found all others resting too, who have their turn before it. */
  behindUntil: number;
  /** Rests without a success between them. */
  rests: number;
  /** When it began to rest. */
  since: number;
  /** Somebody is trying it; nobody else does before then. */
  trialUntil: number;
  /** It was too slow: no caller shall wait for it before a test has found it well. */
  mustBeTested: boolean;
}

const NOTHING: Verdict = { kind: 'nothing' };

type Book = Map<number, Map<string, Standing>>;

/** Tests a channel that was too slow with a call of nobody's. */
export type Trial = (candidate: Candidate, model: string) => Promise<Verdict>;

/** Time and chance; tests bring their own. */
export interface Circumstances {
  /** Milliseconds. */
  clock(): number;
  random(): number;
  later(work: () => void, ms: number): void;
}

const REAL: Circumstances = {
  clock: () => performance.now(),
  random: Math.random,
  later: (work, ms) => setTimeout(work, ms).unref(),
};

export class Cooldowns {
  readonly #channels: Book = new Map();
  readonly #keys: Book = new Map();
  /** Channels that answered, by when; only of those that are remembered. */
  readonly #lastWell = new Map<number, number>();
  readonly #circumstances: Circumstances;
  /** Set once the relay is open. */
  trial: Trial | null = null;
  /** Told of a channel that fails trial after trial and has answered no other call meanwhile. */
  onBroken: ((candidate: Candidate, reason: Reason) => void) | null = null;

  constructor(circumstances: Partial<Circumstances> = {}) {
    this.#circumstances = { ...REAL, ...circumstances };
  }

  /** Nobody rests and nobody is watched. */
  get isEmpty(): boolean {
    return this.#channels.size === 0 && this.#keys.size === 0;
  }

  /** How many channels and keys rest, each for a model. */
  get resting(): number {
    const now = this.#circumstances.clock();
    let count = 0;
    for (const book of [this.#channels, this.#keys]) {
      for (const models of book.values()) {
        for (const standing of models.values()) if (!isOpen(standing, now)) count++;
      }
    }
    return count;
  }

  /** True when the channel may be asked for the model. */
  isWell(channel: RoutedChannel, model: string): boolean {
    if (this.isEmpty) return true;
    const now = this.#circumstances.clock();
    const standing = this.#channels.get(channel.id)?.get(model);
    if (standing && !isOpen(standing, now)) return false;
    return this.#keys.size === 0 || channel.keys.some((key) => this.isKeyWell(key.id, model));
  }

  isKeyWell(keyId: number, model: string): boolean {
    if (this.#keys.size === 0) return true;
    const standing = this.#keys.get(keyId)?.get(model);
    return !standing || isOpen(standing, this.#circumstances.clock());
  }

  /** From 1 down to 0.1: the share of its calls that the channel has answered of late. */
  health(channel: RoutedChannel, model: string): number {
    const standing = this.#channels.size === 0 ? undefined : this.#channels.get(channel.id)?.get(model);
    if (!standing || standing.until > 0) return 1;
    const { good, bad } = standing;
    // As if it had answered some calls more: one failure of one is not a share of everything.
    return Math.max((good + limits.failuresInARow) / (good + bad + limits.failuresInARow), 0.1);
  }

  /** When the candidate has its turn among none but resting ones: as its rest ends, those that just failed last. */
  restsUntil({ channel, key }: Candidate, model: string): number {
    const own = this.#channels.get(channel.id)?.get(model);
    return Math.max(own?.until ?? 0, own?.behindUntil ?? 0, this.#keys.get(key.id)?.get(model)?.until ?? 0);
  }

  /** The candidate is being asked; of one that has rested, nobody else asks before its outcome. */
  begin({ channel, key }: Candidate, model: string): void {
    if (this.isEmpty) return;
    for (const standing of [this.#channels.get(channel.id)?.get(model), this.#keys.get(key.id)?.get(model)]) {
      if (standing && standing.until > 0) standing.trialUntil = this.#circumstances.clock() + limits.trialMs;
    }
  }

  /** Notes what came of an attempt. */
  note(candidate: Candidate, model: string, verdict: Verdict): void {
    const { channel, key } = candidate;
    switch (verdict.kind) {
      case 'well':
      case 'opened':
        this.#well(candidate, model, verdict.kind === 'well');
        return;
      case 'nothing':
        for (const book of [this.#channels.get(channel.id), this.#keys.get(key.id)]) {
          const standing = book?.get(model);
          if (standing) standing.trialUntil = 0;
        }
        return;
      case 'busy':
        this.#restKey(key.id, model, verdict.retryAfterSec);
        return;
      case 'refused':
        this.#restKey(key.id, model, limits.refusedRestMs / 1000);
        return;
      case 'failed':
        if (this.#failed(candidate, model, verdict.isLate)) this.onBroken?.(candidate, verdict.reason);
    }
  }

  /** Somebody has changed the channel: what was learned of it says nothing any more. */
  forget({ id, keys }: { id: number; keys: readonly { id: number }[] }): void {
    this.#channels.delete(id);
    this.#lastWell.delete(id);
    for (const key of keys) this.#keys.delete(key.id);
  }

  #well({ channel, key }: Candidate, model: string, isWhole: boolean): void {
    if (this.isEmpty) return;
    const now = this.#circumstances.clock();
    const ofKey = this.#keys.get(key.id)?.get(model);
    if (ofKey && mayEnd(ofKey, now)) forget(this.#keys, key.id, model);
    const models = this.#channels.get(channel.id);
    if (!models) {
      this.#lastWell.delete(channel.id);
      return;
    }
    this.#lastWell.set(channel.id, now);
    const standing = models.get(model);
    if (!standing || !mayEnd(standing, now)) return;
    if (standing.until > 0 || now - standing.windowFrom > limits.failureWindowMs) {
      forget(this.#channels, channel.id, model);
      return;
    }
    if (!isWhole) return;
    standing.inARow = 0;
    standing.good++;
  }

  #restKey(keyId: number, model: string, retryAfterSec: number | undefined): void {
    const now = this.#circumstances.clock();
    const standing = this.#standing(this.#keys, keyId, model, now);
    const isEarly = standing.until > now;
    // Calls that were under way when the first was refused say nothing new.
    if (isEarly && standing.trialUntil === 0) return;
    // Only who asks when the rest is over learns that it was too short.
    const rests = isEarly ? standing.rests - 1 : standing.rests++;
    const own = this.#backOff(limits.busyRestMs, limits.busyRestMaxMs, rests);
    standing.trialUntil = 0;
    standing.until = now + (retryAfterSec === undefined ? own : Math.max(retryAfterSec * 1000, 1));
  }

  /** True when the channel is broken. */
  #failed(candidate: Candidate, model: string, isLate: boolean): boolean {
    const { channel } = candidate;
    const now = this.#circumstances.clock();
    const standing = this.#standing(this.#channels, channel.id, model, now);
    if (standing.until > 0) {
      if (now < standing.until) {
        // A trial begins when the rest is over; who is asked before, for want of others, fails as it was expected to.
        if (standing.trialUntil > 0) standing.behindUntil = now + limits.failedRestMaxMs;
        standing.trialUntil = 0;
        return false;
      }
    } else {
      if (now - standing.windowFrom > limits.failureWindowMs) {
        standing.windowFrom = now;
        standing.good = 0;
        standing.bad = 0;
      }
      standing.inARow++;
      standing.bad++;
      const all = standing.good + standing.bad;
      const isMost = all >= limits.failuresOf && standing.bad * 2 > all;
      if (standing.inARow < limits.failuresInARow && !isMost) return false;
      standing.since = now;
    }
    const restMs = this.#backOff(limits.failedRestMs, limits.failedRestMaxMs, standing.rests);
    standing.rests++;
    standing.trialUntil = 0;
    standing.until = now + restMs;
    standing.mustBeTested = isLate && this.trial !== null;
    if (standing.mustBeTested) this.#testLater(candidate, model, restMs);
    const lastWell = this.#lastWell.get(channel.id) ?? Number.NEGATIVE_INFINITY;
    return standing.rests > limits.trialsBeforeDisabling && lastWell < standing.since;
  }

  #testLater(candidate: Candidate, model: string, ms: number): void {
    this.#circumstances.later(() => void this.#test(candidate, model), ms);
  }

  /** Never rejects. */
  async #test(candidate: Candidate, model: string): Promise<void> {
    const standing = this.#channels.get(candidate.channel.id)?.get(model);
    if (!standing?.mustBeTested || !this.trial) return;
    this.begin(candidate, model);
    const verdict = await this.trial(candidate, model).catch(() => NOTHING);
    const isLate = verdict.kind === 'failed' && verdict.isLate;
    // A test that fails in another way may be no measure here (a model that does not chat): the next caller is.
    standing.mustBeTested = isLate;
    this.note(candidate, model, isLate || verdict.kind === 'well' ? verdict : NOTHING);
  }

  #standing(book: Book, id: number, model: string, now: number): Standing {
    let models = book.get(id);
    if (!models) {
      if (book.size >= limits.restingMax) forgetOldest(book);
      models = new Map();
      book.set(id, models);
    }
    let standing = models.get(model);
    if (!standing) {
      if (models.size >= limits.restingMax) forgetOldest(models);
      standing = {
        inARow: 0,
        windowFrom: now,
        good: 0,
        bad: 0,
        until: 0,
        behindUntil: 0,
        rests: 0,
        since: now,
        trialUntil: 0,
        mustBeTested: false,
      };
      models.set(model, standing);
    }
    return standing;
  }

  /** Doubles from `first` to `most`; a fifth of it is left to chance, so that not all processes try at once. */
  #backOff(first: number, most: number, rests: number): number {
    return Math.min(first * 2 ** rests, most) * (0.9 + 0.2 * this.#circumstances.random());
  }
}

/** A call that was under way when the rest began says nothing about how long it must be. */
const mayEnd = (standing: Standing, now: number): boolean => standing.until <= now || standing.trialUntil > 0;

const isOpen = (standing: Standing, now: number): boolean =>
  standing.until === 0 || (now >= standing.until && now >= standing.trialUntil && !standing.mustBeTested);

function forget(book: Book, id: number, model: string): void {
  const models = book.get(id);
  if (models?.delete(model) && models.size === 0) book.delete(id);
}

function forgetOldest(table: Map<unknown, unknown>): void {
  table.delete(table.keys().next().value);
}
