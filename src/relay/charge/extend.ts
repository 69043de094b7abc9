/** Holds more for a call than was reserved for it: above all for a stream that grows, which ends when that is refused. */
import type { Billing } from '../../billing/billing.ts';
import { limits } from '../../core/limits.ts';
import { type PaidTools, usesAhead } from '../../core/paid-tools.ts';
import { outputCovered, promptCost } from '../../core/price-bound.ts';
import type { ToolUses } from '../../core/price-formula.ts';
import { mostOfReadings, readAhead, type Shown } from '../../core/tool-reading.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Call, StreamEnd } from './call.ts';
import { promptBoundOf, promptHeld, summaryHeld } from './estimate.ts';
import { lackingFor, type ToolNeed, type ToolOptions, usualReading } from './tool-need.ts';

/** Of a call, for whom it is held. */
export interface HeldCall {
  request: Pick<Call['request'], 'id'>;
  caller: Pick<Call['caller'], 'userId' | 'tokenId'>;
}

/** Holds so many quota units more for the call, or refuses. */
export function extend(
  { request, caller }: HeldCall,
  amount: number,
  { billing }: { billing: Pick<Billing, 'extend'> },
) {
  const { userId, tokenId } = caller;
  return billing.extend({ id: request.id, userId, tokenId, amount });
}

/** Share of the reservation that may be used up before more is asked for. */
const EXTEND_AT = 0.8;

/** A stream, as far as what is held for it depends on it. */
export interface GrowingStream {
  pump: {
    /** Called when output has grown, or uses of tools may have. */
    onProgress: (() => void) | null;
    stop(end: StreamEnd): void;
  };
  meter: {
    /** The most that the caller asked for; null when he gave no limit. */
    readonly cap: number | null;
    /** Of output, so far. */
    readonly tokens: number;
    /** Of those, the ones of a summary before the answer. */
    readonly summary: number;
  };
  /** Absent where none can run. */
  tools?: Shown & { readonly looks: number; readonly uses: ToolUses };
  /** The paid tools that it could set off. */
  paid: PaidTools;
}

/** Its call. */
export type GrowingCall = HeldCall &
  Pick<Call, 'quote' | 'toolPrices' | 'held' | 'heldForTools' | 'reading' | 'isSettled'> & {
    request: Pick<Call['request'], 'facts'>;
  };

export interface GrowingDeps {
  billing: Pick<Billing, 'extend'>;
  options: ToolOptions;
  log: Pick<Logger, 'warn'>;
}

/**
 * Holds as much again whenever a stream nears what is held, and for each use of a tool that is not covered as soon as it
 * begins. The stream does not wait; refused, it ends.
 */
export function extendAsItGrows(
  call: GrowingCall,
  { pump, meter, tools, paid }: GrowingStream,
  deps: GrowingDeps,
  now: () => number = () => performance.now(),
): void {
  const { request, quote } = call;
  const { facts } = request;
  const cap = meter.cap ?? Number.POSITIVE_INFINITY;
  const thresholdOf = ({ held, heldForTools, reading }: GrowingCall): number => {
    const covered = outputCovered(quote, promptHeld(facts, reading), held - heldForTools, facts.audioOut);
    // What covers the caller's cap is exceeded only by an upstream that ignores it.
    return covered >= cap ? covered : covered * EXTEND_AT;
  };
  let threshold = thresholdOf(call);
  /** What is shown of a summary is covered by what is held for that. */
  const tokensOfAnswer = (): number =>
    meter.tokens - (meter.summary && Math.min(meter.summary, summaryHeld(facts, call.reading)));
  let toolsSeen = 0;
  let isAsking = false;
  let pauseMs: number = limits.extendAgainMs;
  let notBefore = 0;

  const ask = (amount: number, forUses = 0, reading = call.reading) => {
    isAsking = true;
    extend(call, amount, deps).then(
      (result) => {
        if (result === 'refused') return pump.stop('exhausted');
        call.held += amount;
        call.heldForTools += forUses;
        call.reading = mostOfReadings(call.reading, reading);
        threshold = thresholdOf(call);
        isAsking = false;
        pauseMs = limits.extendAgainMs;
        look();
      },
      // The database is away: a stream under way goes on, is held for when it is back, and its settlement waits on disk.
      (error: unknown) => {
        deps.log.warn('relay.extend', { request_id: request.id, error });
        isAsking = false;
        toolsSeen = 0;
        notBefore = now() + pauseMs;
        pauseMs = Math.min(2 * pauseMs, limits.extendAgainMaxMs);
      },
    );
  };
  /** What tools may come to from here on. */
  const needOf = (told: NonNullable<GrowingStream['tools']>): ToolNeed => {
    const usual = usualReading(deps.options);
    return {
      uses: usesAhead(told.uses, paid, usual.uses),
      reading: readAhead(paid, usual, told),
    };
  };
  /** What is held beside tools, and beside a summary. */
  const heldForAnswer = (): number => {
    const forPrompt = promptCost(quote, promptBoundOf(facts));
    const forReading = promptCost(quote, promptHeld(facts, call.reading)) - forPrompt;
    return call.held - call.heldForTools - forReading;
  };
  const look = () => {
    if (isAsking || call.isSettled || now() < notBefore) return;
    if (tools && tools.looks !== toolsSeen) {
      toolsSeen = tools.looks;
      const need = needOf(tools);
      const { forUses, forReading } = lackingFor(call, need);
      if (forUses + forReading > 0) return ask(forUses + forReading, forUses, need.reading);
    }
    if (tokensOfAnswer() > threshold) ask(heldForAnswer());
  };
  pump.onProgress = look;
}
