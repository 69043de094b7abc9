/**
 * Circuit breakers: one for each model of a channel, and of a key. A breaker is closed while calls go through. It opens
 * when they fail again and again, and nobody is asked for a while. Then it is half-open: one call alone probes it, and its
 * result closes the breaker or opens it for longer. A refusal for too many calls (429) and a refused key open the
 * breaker of that key at once, for as long as the upstream says. Each process learns by itself.
 *
 * What a caller asks for may fail wherever it is asked. Such failures open no breaker before a test of our own has failed as
 * well, and one that is open already closes when the test is answered; where no test can ask, several must have seen it.
 *
 * Only what failed lately has a breaker, so that a look-up costs nothing while all is well.
 */
import { limits } from '../../core/limits.ts';
import type { Reason } from '../../core/reasons.ts';
import type { Candidate, RoutedChannel } from '../../modules/channel/model.ts';

/** What an attempt, the end of its stream or a probe says about who was asked. */
export type CallResult =
  /** It answered, though perhaps with a refusal that is the caller's own. */
  | { kind: 'success' }
  /** Its stream has begun, which closes an open breaker; how it ends is told later. */
  | { kind: 'begun' }
  /** It says nothing: the caller left, or the channel was never asked. */
  | { kind: 'ignored' }
  | { kind: 'busy'; retryAfterSec: number | undefined }
  | { kind: 'refused'; isOfRequest?: boolean }
  /** It thinks unseen, and said nothing in time: how long it thinks is up to what it was asked, unless it is always so. */
  | { kind: 'silence' }
  | ({ kind: 'failure'; reason: Reason } & Failing);

interface Failing {
  isLate: boolean;
  /** What was asked for may have brought it about. */
  isOfRequest?: boolean;
}

/** Of one model of a channel or key that failed. */
interface Breaker {
  /** Failures without a success between them. */
  inARow: number;
  /** Silences without a success between them. */
  silences: number;
  windowFrom: number;
  good: number;
  bad: number;
  /** Half-open from then on; 0 while it is closed and only counts. */
  openUntil: number;
  /** What opened it last. */
  reason: OpenReason;
  /** It has failed a call that found all others open too, which have their turn before it. */
  behindUntil: number;
  /** How often it has opened without a success in between. */
  openings: number;
  /** When it opened first, of these. */
  openedAt: number;
  /** A call is probing it while it is half-open; nobody else does before then. */
  halfOpenUntil: number;
  /** It was too slow: no caller shall wait for it before a probe of our own has succeeded. */
  mustBeProbed: boolean;
  /** A test is finding out whether its failures were those of what was asked; until then one that was answered stands for it. */
  isTested: boolean;
  wellUntil: number;
}

/** Why a breaker is open. */
export type OpenReason = 'busy' | 'refused' | 'failing';

/** A breaker that lets no call through; one that was too slow waits for a probe of our own. */
interface OpenBreaker {
  model: string;
  why: OpenReason | 'slow';
}

const IGNORED: CallResult = { kind: 'ignored' };

/** Those of one channel or key by the models of its calls. */
type Models = Map<string, Breaker>;
type Breakers = Map<number, Models>;

/** Probes a channel and its key with a call of nobody's; it ignores what says nothing of either. */
export type HalfOpenProbe = (candidate: Candidate, model: string) => Promise<CallResult>;

/** Time and chance; tests bring their own. */
export interface BreakerDeps {
  /** Milliseconds. */
  clock(): number;
  random(): number;
  later(work: () => void, ms: number): void;
  /** Models of each channel and key that are remembered. */
  modelsMost: number;
}

const REAL: BreakerDeps = {
  clock: () => performance.now(),
  random: Math.random,
  later: (work, ms) => setTimeout(work, ms).unref(),
  modelsMost: limits.breakersMax,
};

export class CircuitBreakers {
  readonly #channels = new Map<number, Models>();
  readonly #keys = new Map<number, Models>();
  /** Channels that answered, by when; only of those that are remembered. */
  readonly #lastSuccess = new Map<number, number>();
  readonly #deps: BreakerDeps;
  /** Set once the relay is open. */
  probe: HalfOpenProbe | null = null;
  /** Whether so many have seen the channel or the key fail that it is not the doing of one; set with the probe. */
  isWitnessed: ((candidate: Candidate, of: 'channel' | 'key') => boolean) | null = null;
  /** Told of a channel that fails probe after probe and has answered no other call meanwhile. */
  onBroken: ((candidate: Candidate, reason: Reason) => void) | null = null;

  constructor(deps: Partial<BreakerDeps> = {}) {
    this.#deps = { ...REAL, ...deps };
  }

  /** None is open and none counts. */
  get isEmpty(): boolean {
    return this.#channels.size === 0 && this.#keys.size === 0;
  }

  /** How many let no call through, those of keys too. */
  get openCount(): number {
    const now = this.#deps.clock();
    let count = 0;
    for (const breakers of [this.#channels, this.#keys]) {
      for (const models of breakers.values()) {
        for (const breaker of models.values()) if (!mayPass(breaker, now)) count++;
      }
    }
    return count;
  }

  /** What lets no call through, by channel and by key. */
  open(): { channels: Map<number, OpenBreaker[]>; keys: Map<number, OpenBreaker[]> } {
    return { channels: this.#openIn(this.#channels), keys: this.#openIn(this.#keys) };
  }

  #openIn(breakers: Breakers): Map<number, OpenBreaker[]> {
    const now = this.#deps.clock();
    const found = new Map<number, OpenBreaker[]>();
    for (const [id, models] of breakers) {
      const own = [...models]
        .filter(([, breaker]) => !mayPass(breaker, now))
        .map(
          ([model, { mustBeProbed, reason }]): OpenBreaker => ({
            model,
            why: mustBeProbed ? 'slow' : reason,
          }),
        );
      if (own.length > 0) found.set(id, own);
    }
    return found;
  }

  /** True when the channel may be asked for the model. */
  mayAsk(channel: RoutedChannel, model: string): boolean {
    if (this.isEmpty) return true;
    const now = this.#deps.clock();
    const breaker = this.#channels.get(channel.id)?.get(model);
    if (breaker && !mayPass(breaker, now)) return false;
    return this.#keys.size === 0 || channel.keys.some((key) => this.mayAskKey(key.id, model));
  }

  mayAskKey(keyId: number, model: string): boolean {
    if (this.#keys.size === 0) return true;
    const breaker = this.#keys.get(keyId)?.get(model);
    return !breaker || mayPass(breaker, this.#deps.clock());
  }

  /** Why the candidate's breaker is open, and for how long yet; null where it may be asked. */
  whyOpen({ channel, key }: Candidate, model: string): { reason: OpenReason; ms: number } | null {
    const now = this.#deps.clock();
    for (const breaker of [this.#keys.get(key.id)?.get(model), this.#channels.get(channel.id)?.get(model)]) {
      if (!breaker || mayPass(breaker, now)) continue;
      // While a call finds out how it is, the next one may as well come a little later.
      const ms = breaker.openUntil > now ? breaker.openUntil - now : limits.busyOpenMs;
      return { reason: breaker.reason, ms };
    }
    return null;
  }

  /** From 1 down to 0.1: the share of its calls that the channel has answered of late. */
  health(channel: RoutedChannel, model: string): number {
    const breaker = this.#channels.size === 0 ? undefined : this.#channels.get(channel.id)?.get(model);
    if (!breaker || breaker.openUntil > 0) return 1;
    const { good, bad } = breaker;
    // As if it had answered some calls more: one failure of one is not a share of everything.
    return Math.max((good + limits.failuresInARow) / (good + bad + limits.failuresInARow), 0.1);
  }

  /**
   * When the candidate has its turn where all are open: as its time ends, those that just failed behind them, and last of
   * all who is being probed.
   */
  turnAt({ channel, key }: Candidate, model: string): number {
    const now = this.#deps.clock();
    const breakers = [this.#channels.get(channel.id)?.get(model), this.#keys.get(key.id)?.get(model)];
    return Math.max(...breakers.map((breaker) => (breaker ? turnAt(breaker, now) : 0)));
  }

  /** The candidate is being asked; of one that is half-open, nobody else asks before its result. */
  begin({ channel, key }: Candidate, model: string): void {
    if (this.isEmpty) return;
    for (const breaker of [this.#channels.get(channel.id)?.get(model), this.#keys.get(key.id)?.get(model)]) {
      if (breaker && breaker.openUntil > 0) breaker.halfOpenUntil = this.#deps.clock() + limits.halfOpenMs;
    }
  }

  /** Notes what came of an attempt. */
  note(candidate: Candidate, model: string, result: CallResult): void {
    const { channel, key } = candidate;
    switch (result.kind) {
      case 'success':
      case 'begun':
        this.#succeeded(candidate, model, result.kind === 'success');
        return;
      case 'ignored':
        this.#letOthersTry(this.#channels, channel.id, model);
        this.#letOthersTry(this.#keys, key.id, model);
        return;
      case 'busy':
        this.#letOthersTry(this.#channels, channel.id, model);
        this.#openKey(key.id, model, 'busy', result.retryAfterSec);
        return;
      case 'refused':
        this.#letOthersTry(this.#channels, channel.id, model);
        if (result.isOfRequest && this.probe) void this.#testKey(candidate, model);
        else this.#openRefused(candidate, model);
        return;
      case 'silence':
        if (this.#fellSilent(candidate, model)) this.onBroken?.(candidate, { code: 'timeout' });
        return;
      case 'failure':
        if (this.#failed(candidate, model, result)) this.onBroken?.(candidate, result.reason);
    }
  }

  /** Of one that is half-open this call has told nothing: a channel may well answer with another of its keys. */
  #letOthersTry(breakers: Breakers, id: number, model: string): void {
    const breaker = breakers.get(id)?.get(model);
    if (breaker) breaker.halfOpenUntil = 0;
  }

  /** Somebody has changed the channel: what was learned of it says nothing any more. */
  forget({ id, keys }: { id: number; keys: readonly { id: number }[] }): void {
    this.#channels.delete(id);
    this.#lastSuccess.delete(id);
    for (const key of keys) this.#keys.delete(key.id);
  }

  #succeeded({ channel, key }: Candidate, model: string, isWhole: boolean): void {
    if (this.isEmpty) return;
    const now = this.#deps.clock();
    const ofKey = this.#keys.get(key.id)?.get(model);
    if (ofKey && mayClose(ofKey, now)) forget(this.#keys, key.id, model);
    const models = this.#channels.get(channel.id);
    if (!models) {
      this.#lastSuccess.delete(channel.id);
      return;
    }
    this.#lastSuccess.set(channel.id, now);
    const breaker = models.get(model);
    if (!breaker || !mayClose(breaker, now)) return;
    if (breaker.openUntil > 0 || now - breaker.windowFrom > limits.failureWindowMs) {
      forget(this.#channels, channel.id, model);
      return;
    }
    if (!isWhole) return;
    breaker.inARow = 0;
    breaker.silences = 0;
    breaker.good++;
  }

  #openKey(keyId: number, model: string, reason: OpenReason, retryAfterSec: number | undefined): void {
    const now = this.#deps.clock();
    const breaker = this.#breaker(this.#keys, keyId, model, now);
    const isEarly = breaker.openUntil > now;
    // Calls that were under way when the first was refused say nothing new.
    if (isEarly && breaker.halfOpenUntil === 0) return;
    // Only who asks when it is half-open learns that it was open for too short a time.
    const openings = isEarly ? breaker.openings - 1 : breaker.openings++;
    breaker.reason = reason;
    const own = this.#backOff(limits.busyOpenMs, limits.busyOpenMaxMs, openings);
    breaker.halfOpenUntil = 0;
    breaker.openUntil = now + (retryAfterSec === undefined ? own : Math.max(retryAfterSec * 1000, 1));
  }

  /** True when the channel is broken. Silences in a row open the breaker; a probe of our own says whether they were its fault. */
  #fellSilent(candidate: Candidate, model: string): boolean {
    const breaker = this.#breaker(this.#channels, candidate.channel.id, model, this.#deps.clock());
    breaker.silences++;
    const isClosed = breaker.openUntil === 0;
    if (isClosed && breaker.silences < limits.silencesInARow) return false;
    if (isClosed) breaker.inARow = limits.failuresInARow;
    return this.#failed(candidate, model, { isLate: true });
  }

  /** True when the channel is broken. */
  #failed(candidate: Candidate, model: string, failing: Failing): boolean {
    const { channel } = candidate;
    const { isLate } = failing;
    const mayBeOfRequest = failing.isOfRequest === true && !isLate && this.probe !== null;
    const now = this.#deps.clock();
    const breaker = this.#breaker(this.#channels, channel.id, model, now);
    if (breaker.openUntil > 0) {
      if (now < breaker.openUntil) {
        // A probe begins when it is half-open; who is asked before, for want of others, fails as it was expected to.
        if (breaker.halfOpenUntil > 0) breaker.behindUntil = now + limits.failedOpenMaxMs;
        breaker.halfOpenUntil = 0;
        return false;
      }
    } else {
      if (now - breaker.windowFrom > limits.failureWindowMs) {
        breaker.windowFrom = now;
        breaker.good = 0;
        breaker.bad = 0;
      }
      breaker.inARow++;
      breaker.bad++;
      if (!fails(breaker)) return false;
      if (mayBeOfRequest) {
        void this.#testChannel(candidate, model, breaker);
        return false;
      }
      breaker.openedAt = now;
    }
    this.#open(candidate, model, breaker, isLate);
    if (mayBeOfRequest) {
      breaker.mustBeProbed = true;
      void this.#runProbe(candidate, model);
    }
    const lastSuccess = this.#lastSuccess.get(channel.id) ?? Number.NEGATIVE_INFINITY;
    return breaker.openings > limits.probesBeforeDisabling && lastSuccess < breaker.openedAt;
  }

  #open(candidate: Candidate, model: string, breaker: Breaker, isLate: boolean): void {
    const openMs = this.#backOff(limits.failedOpenMs, limits.failedOpenMaxMs, breaker.openings);
    breaker.openings++;
    breaker.halfOpenUntil = 0;
    breaker.openUntil = this.#deps.clock() + openMs;
    breaker.mustBeProbed = isLate && this.probe !== null;
    if (breaker.mustBeProbed) this.#probeLater(candidate, model, openMs);
  }

  /** Opens the breaker where a test fails as well. Never rejects. */
  async #testChannel(candidate: Candidate, model: string, breaker: Breaker): Promise<void> {
    const result = await this.#test(candidate, model, breaker);
    const isSame = this.#channels.get(candidate.channel.id)?.get(model) === breaker;
    if (!result || !isSame || breaker.openUntil > 0) return;
    if (result.kind === 'success') {
      breaker.inARow = 0;
      breaker.good = 0;
      breaker.bad = 0;
    } else if (result.kind === 'refused') {
      // The channel's other keys may well be answered: each is tested in its turn.
      this.#openRefused(candidate, model);
    } else if (
      fails(breaker) &&
      (result.kind === 'failure' || this.#isWitnessed(result, candidate, 'channel'))
    ) {
      breaker.openedAt = this.#deps.clock();
      this.#open(candidate, model, breaker, result.kind === 'failure' && result.isLate);
    }
  }

  /** The same of a key, which must be refused. */
  async #testKey(candidate: Candidate, model: string): Promise<void> {
    const { id } = candidate.key;
    const breaker = this.#breaker(this.#keys, id, model, this.#deps.clock());
    const result = await this.#test(candidate, model, breaker);
    if (!result || this.#keys.get(id)?.get(model) !== breaker) return;
    if (result.kind === 'refused' || this.#isWitnessed(result, candidate, 'key')) {
      this.#openRefused(candidate, model);
    }
  }

  #openRefused({ key }: Candidate, model: string): void {
    this.#openKey(key.id, model, 'refused', limits.refusedOpenMs / 1000);
  }

  /** Where no test can ask, it is so once several have seen it. */
  #isWitnessed({ kind }: CallResult, candidate: Candidate, of: 'channel' | 'key'): boolean {
    return kind === 'ignored' && (this.isWitnessed?.(candidate, of) ?? true);
  }

  /** Null while another test is under way or one was answered a moment ago. */
  async #test(candidate: Candidate, model: string, breaker: Breaker): Promise<CallResult | null> {
    if (!this.probe || breaker.isTested || this.#deps.clock() < breaker.wellUntil) return null;
    breaker.isTested = true;
    const result = await this.probe(candidate, model).catch(() => IGNORED);
    breaker.isTested = false;
    if (result.kind === 'success') breaker.wellUntil = this.#deps.clock() + limits.failedOpenMs;
    return result;
  }

  #probeLater(candidate: Candidate, model: string, ms: number): void {
    this.#deps.later(() => void this.#runProbe(candidate, model), ms);
  }

  /** Never rejects. */
  async #runProbe(candidate: Candidate, model: string): Promise<void> {
    const breaker = this.#channels.get(candidate.channel.id)?.get(model);
    if (!breaker?.mustBeProbed || !this.probe) return;
    this.begin(candidate, model);
    const result = await this.probe(candidate, model).catch(() => IGNORED);
    const isLate = result.kind === 'failure' && result.isLate;
    // A probe that fails in another way may be no measure here (a model that does not chat): the next caller is.
    breaker.mustBeProbed = isLate;
    const isSaid = isLate || result.kind === 'success' || result.kind === 'refused';
    this.note(candidate, model, isSaid ? result : IGNORED);
  }

  #breaker(breakers: Breakers, id: number, model: string, now: number): Breaker {
    let models = breakers.get(id);
    if (!models) {
      if (breakers.size >= limits.breakersMax) forgetOldest(breakers);
      models = new Map();
      breakers.set(id, models);
    }
    let breaker = models.get(model);
    if (!breaker) {
      if (models.size >= this.#deps.modelsMost) forgetOldest(models);
      breaker = {
        inARow: 0,
        silences: 0,
        windowFrom: now,
        good: 0,
        bad: 0,
        openUntil: 0,
        reason: 'failing',
        behindUntil: 0,
        openings: 0,
        openedAt: now,
        halfOpenUntil: 0,
        mustBeProbed: false,
        isTested: false,
        wellUntil: 0,
      };
      models.set(model, breaker);
    }
    return breaker;
  }

  /** Doubles from `first` to `most`; a fifth of it is left to chance, so that not all processes try at once. */
  #backOff(first: number, most: number, openings: number): number {
    return Math.min(first * 2 ** openings, most) * (0.9 + 0.2 * this.#deps.random());
  }
}

/** It has failed so often that its breaker opens. */
function fails({ inARow, good, bad }: Breaker): boolean {
  const all = good + bad;
  return inARow >= limits.failuresInARow || (all >= limits.failuresOf && bad * 2 > all);
}

/** A call that was under way when it opened says nothing about how long it must be open. */
const mayClose = (breaker: Breaker, now: number): boolean =>
  breaker.openUntil <= now || breaker.halfOpenUntil > 0;

/** Longer than any breaker is open. */
const BEHIND_ALL_MS = 86_400_000;

/** Of one that is half-open a call is finding out how it is: to send it more would be to fail them all with it. */
function turnAt({ openUntil, behindUntil, halfOpenUntil }: Breaker, now: number): number {
  const isProbed = openUntil > 0 && openUntil <= now && halfOpenUntil > now;
  return isProbed ? halfOpenUntil + BEHIND_ALL_MS : Math.max(openUntil, behindUntil);
}

/** Closed, or half-open with nobody probing it. */
const mayPass = (breaker: Breaker, now: number): boolean =>
  breaker.openUntil === 0 ||
  (now >= breaker.openUntil && now >= breaker.halfOpenUntil && !breaker.mustBeProbed);

function forget(breakers: Breakers, id: number, model: string): void {
  const models = breakers.get(id);
  if (models?.delete(model) && models.size === 0) breakers.delete(id);
}

function forgetOldest(table: Map<unknown, unknown>): void {
  table.delete(table.keys().next().value);
}
