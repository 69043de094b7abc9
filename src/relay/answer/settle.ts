/** What a model's answer is charged, as far as its upstream is believed, and counted where that tells nothing, or too little. */
import type { Settled } from '../../billing/billing.ts';
import { type AppError, fail } from '../../core/errors.ts';
import { believedUses, hasTools, REFUSED_CONTENT } from '../../core/paid-tools.ts';
import {
  allTokens,
  completionTokens,
  noUsage,
  promptTokens,
  type Usage,
  withOutputOf,
} from '../../core/usage.ts';
import type { Counted } from '../../dialects/dialect.ts';
import type { Drawing } from '../../dialects/tool-uses.ts';
import { billAt } from '../../providers/registry.ts';
import { withAskedLife } from '../charge/cache-life.ts';
import type { Call } from '../charge/call.ts';
import {
  countProduced,
  countTexts,
  countUsage,
  withHeard,
  withMade,
  withMedia,
  withShown,
} from '../charge/count.ts';
import { withDrawn } from '../charge/drawn.ts';
import { billedOf, judged, type MostBelieved, mostBelieved, plausible } from '../charge/plausible.ts';
import { type Produced, settleAnswer, settleFailure } from '../charge/record.ts';
import type { Owed } from '../charge/refused.ts';
import { mayThinkUnseen } from '../charge/thinking.ts';
import { hasUnseen, maySumUp, mostOutput, unseenOf, withUnseen } from '../charge/unseen.ts';
import { type Came, type Weighed, weighed } from '../charge/weigh.ts';
import type { RelayDeps } from '../deps.ts';
import { elapsedMs } from '../request.ts';
import type { Answer, PlainAnswer, StreamAnswer, Unshown } from './answers.ts';
import { asRan, containersRan, type Ran } from './containers-ran.ts';
import {
  callsIn,
  callsInStream,
  callsUp,
  isDueIn,
  isLeftWritten,
  ofModelAlone,
  owedOf,
  owedOfStream,
  WhatCame,
} from './due.ts';
import { owedByEmptyStream, termsOf } from './failed.ts';
import type { Ending } from './pump.ts';
import { remember } from './remember.ts';

interface Used
  extends Pick<
    Produced,
    | 'usage'
    | 'usageSource'
    | 'uses'
    | 'calls'
    | 'promptOnly'
    | 'error'
    | 'streamEnd'
    | 'firstContentMs'
    | 'thinks'
  > {
  /** The upstream told another usage, which is not believed. */
  isDoubted: boolean;
  /** The containers in which its tools ran; absent where nobody saw that. */
  ran?: readonly Ran[];
  /** Null where nothing was refused. */
  owed: Owed | null;
  /** What pictures of its tools took, where it tells that. */
  drawing?: Drawing | undefined;
}

/**
 * Whether thoughts that nobody saw may be missing in what is charged of an answer that has ended well. That nothing is told
 * of them is no doing of who pays, so that what was shown is what he pays; their upstream may bill more, and its operator
 * is told.
 */
function mayOweThoughts(call: Call, { thinker }: Answer, used: Used): boolean {
  const endsWell = used.streamEnd === null ? !used.error : used.streamEnd === 'done';
  if (used.usageSource !== 'estimated' || used.isDoubted || !endsWell) return false;
  // Other calls think nothing, whatever their model is called.
  if (call.request.dialect.usageOf || call.quote.price.kind === 'call' || call.held === 0) return false;
  return mayThinkUnseen(call.request, [thinker]);
}

/** Settles what was used in an answer, whole or in pieces, as far as the upstream is believed. */
function settleUsed(call: Call, answer: Answer, used: Used, deps: RelayDeps): Promise<Settled> {
  const { candidate, model, converted, dropped, paid, cacheLife } = answer;
  const due = asRan(used.uses ?? {}, paid, used.ran);
  const tools = believedUses(due.uses, due.paid, call.toolPrices, deps.options.get('ToolMaxUses'));
  const drawn = withDrawn(
    call,
    tools.uses,
    { paid, uses: used.uses ?? {}, drawing: used.drawing, bill: billAt(candidate.channel) },
    deps.options,
  );
  const shown = withShown(used.usage, call.request, model);
  const told = withAskedLife(withHeard(shown, call.request.facts, model), cacheLife, call.quote);
  const isFree = used.owed === 'nothing';
  const produced: Produced = {
    candidate,
    model,
    converted,
    dropped,
    usage: isFree ? noUsage() : told,
    unbilledTokens: isFree ? allTokens(told) : told.unbilled,
    usageSource: used.usageSource,
    suspect: tools.suspect || drawn.suspect || used.isDoubted,
    unasked: tools.unasked,
    untold: mayOweThoughts(call, answer, used),
    thinks: used.thinks || (used.usageSource === 'held' && call.quote.thinks !== false),
    streamEnd: used.streamEnd,
    firstContentMs: used.firstContentMs,
    calls: used.calls,
    promptOnly: used.promptOnly,
    uses: drawn.uses,
    drawn: drawn.drawn,
    error: used.error,
  };
  return settleAnswer(call, produced, deps);
}

/** Charges a whole answer: what was paid for it, in quota units, and its text. */
export async function settlePlain(
  call: Call,
  answer: PlainAnswer,
  deps: RelayDeps,
  error?: AppError,
): Promise<{ paid: number; text: string }> {
  const { request } = call;
  const { candidate, facts } = answer;
  const bound = mostBelieved(request, candidate.channel, answer.paid);
  const came = new WhatCame(facts);
  const told = judged(facts.usage, {
    ...seenBy(call, answer, bound),
    isDue: () => came.due > 0,
    bytes: () => Buffer.byteLength(came.produced.text),
    weigh: (likely) => weighed(likely, cameWhole(call, answer, came)),
  });
  const likely = await told.weighed;
  /** All of it as it was told, or as that was meant. */
  const given = likely?.isCounted ? null : (likely?.usage ?? null);
  const firstContentMs = elapsedMs(request);
  const usage = likely
    ? withMade(likely.usage, ofModelAlone(came.produced, answer), answer.model)
    : await countPlain(call, answer, came, told);
  const owed = owedOf(call, answer, came, given !== null);
  const calls = call.quote.price.kind === 'tokens' ? 1 : callsIn(call, answer, came, owed);
  const used: Used = {
    isDoubted: likely?.isCounted || told.isDoubted,
    owed,
    usage,
    usageSource: given ? 'upstream' : 'estimated',
    uses: answer.tools,
    ran: await containersRan(call, answer, answer.containers ?? [], deps),
    drawing: answer.drawing,
    calls,
    thinks: came.produced.thinks,
    streamEnd: null,
    firstContentMs,
    error,
  };
  const { paid } = await settleUsed(call, answer, used, deps);
  const { answerId: id, soundIds, containerId, continuations, items } = facts;
  const counted = { told: given, usage, uses: answer.tools, ran: used.ran };
  await remember(call, answer, { id, soundIds, containerId, continuations, items, ...counted }, deps);
  return { paid, text: given ? answer.text : (answer.counted?.(usage) ?? answer.text) };
}

/** What everything is held against that is told of an answer. */
const seenBy = ({ request }: Call, { candidate: { channel }, model }: Answer, bound: MostBelieved) => ({
  channel,
  bound,
  names: [request.facts.model, model],
});

async function countPlain(
  call: Call,
  answer: PlainAnswer,
  came: WhatCame,
  { seconds: heardSeconds, isUntold }: { seconds?: number | undefined; isUntold: boolean },
): Promise<Usage> {
  const { facts, model } = answer;
  const output = await countProduced(came.produced, model, call.request);
  const { heardUntil, promptUsage = null } = facts;
  const calls = callsIn(call, answer, came, owedOf(call, answer, came, false));
  const usage = await countCall(answer, { output, calls, bytes: 0, heardUntil, heardSeconds });
  const counted = withMedia(usage, ofModelAlone(came.produced, answer), model);
  const prompt = isUntold ? null : toldOfPrompt(call, answer, promptUsage);
  return prompt ? withOutputOf(prompt, counted) : counted;
}

/** What is believed of what its upstream told of the prompt. */
function toldOfPrompt(
  { request }: Call,
  { candidate, paid }: Answer,
  promptUsage: Usage | null,
): Usage | null {
  const bound = mostBelieved(request, candidate.channel, paid);
  return plausible(billedOf(promptUsage, bound), bound);
}

/** What an answer is held against. */
function cameIn(call: Call, answer: Answer) {
  const { candidate, converted, model, paid, edits } = answer;
  return {
    request: answer.asRead,
    channel: candidate.channel,
    model,
    wire: converted?.to ?? call.request.dialect.id,
    runsTools: hasTools(paid) || paid.runs === true,
    edits,
    countPrompt: () => countPrompt(answer),
  };
}

function cameWhole(call: Call, answer: PlainAnswer, came: WhatCame): Came {
  const { model } = answer;
  return {
    ...cameIn(call, answer),
    isWhole: true,
    bytes: () => Buffer.byteLength(came.produced.text),
    isKept: () => true,
    async countOutput(own) {
      const { text, ...beside } = came.produced;
      const output = await countProduced({ ...beside, text: own(text) }, model, call.request);
      return withMedia({ ...noUsage(), output }, ofModelAlone(came.produced, answer), model);
    },
  };
}

function cameStreamed(call: Call, answer: StreamAnswer): Came {
  const { meter, passage, model, tools } = answer;
  return {
    ...cameIn(call, answer),
    // Whoever was there to read it.
    isWhole: passage.complete,
    bytes: () => meter.textBytes,
    isKept: () => meter.isKept,
    async countOutput(own) {
      const output = await meter.countOwn(model, call.request, own);
      return withMedia({ ...noUsage(), output }, ofModelAlone(meter, { tools: tools?.uses }), model);
    },
  };
}

/** The same, with what it has spoken and drawn told apart. */
async function weighedStream(call: Call, answer: StreamAnswer, given: Usage): Promise<Weighed> {
  const { usage, isCounted } = await weighed(given, cameStreamed(call, answer));
  const made = ofModelAlone(answer.meter, { tools: answer.tools?.uses });
  return { usage: withMade(usage, made, answer.model), isCounted };
}

/** What a call used by its dialect's own rules, or as a chat. */
async function countCall(
  { asRead: request, model }: Answer,
  came: Omit<Counted, 'body' | 'facts' | 'model' | 'input'>,
): Promise<Usage> {
  const { dialect, body, facts } = request;
  if (!dialect.usageOf) return countUsage(request, model, came.output);
  return dialect.usageOf({ ...came, body, facts, model, input: await countTexts(request, model) });
}

/** Charges a stream that has ended: what was paid for it, in quota units, and its usage where that was counted here. */
export async function settleStream(
  call: Call,
  answer: StreamAnswer,
  ending: Ending,
  error: AppError | null,
  deps: RelayDeps,
): Promise<{ paid: number; counted: Usage | null }> {
  const { paid, counted, told, ran } = await chargeStream(call, answer, ending, error, deps);
  const { answerId: id, soundIds, containerId, continuations, items, complete } = answer.passage;
  // What broke off may have gone on where nobody sees it.
  const usage = told ?? (complete ? counted : null);
  const uses = answer.tools?.uses;
  const kept = { id, soundIds, containerId, continuations, items };
  await remember(call, answer, { ...kept, told, usage, uses, ran }, deps);
  return { paid, counted };
}

interface Charged {
  paid: number;
  counted: Usage | null;
  /** Usage that the upstream told. */
  told: Usage | null;
  ran?: readonly Ran[] | undefined;
}

async function chargeStream(
  call: Call,
  answer: StreamAnswer,
  ending: Ending,
  error: AppError | null,
  deps: RelayDeps,
): Promise<Charged> {
  const { meter } = answer;
  const { end, firstContentMs, refused } = ending;
  const bound = mostBelieved(call.request, answer.candidate.channel, answer.paid);
  const isDue = await isDueIn(call, answer);
  const { weighed, isUntold, isDoubted, seconds } = judged(ending.usage, {
    ...seenBy(call, answer, bound),
    isDue: () => isDue,
    bytes: () => meter.bytes,
    weigh: (given) => ({
      given,
      whole: ending.promptUsage && weighedStream(call, answer, given),
    }),
  });
  const promptUsage = isUntold ? null : ending.promptUsage;
  const given = weighed?.given ?? null;
  /** Told of the prompt and of the answer. */
  const whole = (await weighed?.whole) ?? null;
  const told = whole?.isCounted ? null : (whole?.usage ?? null);
  const isStopped = deps.stopping.signal.aborted;
  // What did not fit may be anything: it costs what was held for it, beside what was told of the rest.
  const didNotFit = refused?.why === 'too-large' || refused?.why === 'own-share';
  const isLost = didNotFit && !answer.passage.complete;
  const owes = meter.hasContent
    ? 'what it took'
    : owedByEmptyStream({ ...ending, usage: given }, answer, isStopped);
  if (owes === 'nothing') {
    await settleFailure(call, error ?? fail('client_gone'), deps, end);
    return { paid: 0, counted: null, told: null };
  }
  // The end of the process is not the doing of who pays.
  const isCutShort = ending.isCutShort && !isStopped;
  const untold = { promptUsage, isCutShort, isLost, summary: meter.summary };
  const owed = owedOfStream(call, answer, { ...ending, hasOutput: isDue, isBelieved: told !== null });
  const isOne = owed === null ? isDue || isLeftWritten(call, answer, ending) : owed === 'all';
  const calls = isOne || isLost ? callsInStream(call, answer, isLost) : 0;
  const came = async () => given ?? (meter.hasContent ? countForwarded(call, answer, calls, seconds) : null);
  const reckoned = async (): Promise<Reckoned> => {
    if (owes === 'what was made') return believed(noUsage());
    if (!whole || isLost) return countUntold(call, answer, untold, came);
    return { usage: whole.usage, usageSource: told ? 'upstream' : 'estimated' };
  };
  const used: Used = {
    ...(await reckoned()),
    // What is told as it comes may have been right a while ago.
    isDoubted: (whole?.isCounted && answer.passage.complete) || isDoubted,
    owed,
    uses: answer.tools?.uses,
    ran: await containersRan(call, answer, answer.tools?.containers ?? [], deps),
    drawing: answer.tools?.drawing,
    calls,
    thinks: meter.thinks,
    streamEnd: end,
    firstContentMs,
  };
  used.promptOnly =
    owes === 'what it took' && !given && !meter.hasContent && completionTokens(used.usage) === 0;
  const { paid } = await settleUsed(call, answer, used, deps);
  return { paid, counted: told ? null : used.usage, told, ran: used.ran };
}

/** Charges what an upstream did of which nothing can be shown. */
export async function settleUnshown(call: Call, unshown: Unshown, deps: RelayDeps): Promise<void> {
  const { answer, why, error, usage, promptUsage, isUnseen, came } = unshown;
  const { isUnwritten, ranInNone, end } = termsOf(unshown);
  if (came) {
    await settlePlain(call, came, deps, error);
    return;
  }
  const bound = mostBelieved(call.request, answer.candidate.channel, answer.paid);
  const calls = callsUp(call, answer);
  // Nobody reads nothing, whatever came of it.
  const judge = (told: Usage | null) =>
    judged(told, { ...seenBy(call, answer, bound), isDue: () => true, weigh: (likely) => likely });
  const { weighed, isUntold, seconds } = judge(usage);
  const given =
    seconds === undefined
      ? weighed
      : // Its text is unknown here, and nobody has it.
        await countCall(answer, { output: 0, calls, bytes: 0, heardSeconds: seconds });
  const told = isUntold ? { ...unshown, promptUsage: null } : unshown;
  const used: Used = {
    ...(given && promptUsage ? believed(given) : await countUnshown(call, told, given)),
    isDoubted: judge(usage ?? promptUsage).isDoubted,
    owed: null,
    calls: isUnseen ? calls : 0,
    ...(why === 'refused' && { uses: { [REFUSED_CONTENT]: 1 } }),
    ...(ranInNone && { ran: [] }),
    streamEnd: end,
    firstContentMs: null,
  };
  used.promptOnly = !isUnwritten && completionTokens(used.usage) === 0;
  // Who has left hears of nothing.
  if (why !== 'left') used.error = error;
  await settleUsed(call, answer, used, deps);
}

/** Of what nobody saw it costs what was held for it, and a refusal has its price. */
async function countUnshown(call: Call, unshown: Unshown, given: Usage | null): Promise<Reckoned> {
  const { answer, isUnseen } = unshown;
  if (termsOf(unshown).isUnwritten) return believed(noUsage());
  if (!isUnseen) return countUntold(call, answer, unshown, async () => given);
  const most = { output: mostOutput(call), calls: callsUp(call, answer), bytes: 0 };
  const { usage } = await countUntold(call, answer, unshown, () => countCall(answer, most));
  return { usage, usageSource: 'held' };
}

type Reckoned = Pick<Used, 'usage' | 'usageSource'>;

const believed = (usage: Usage): Reckoned => ({ usage, usageSource: 'upstream' });

const countPrompt = async (answer: Answer): Promise<Usage> =>
  withOutputOf(await countCall(answer, { output: 0, calls: 0, bytes: 0 }), noUsage());

/** An answer that was not told to its end. */
interface Untold extends Pick<Unshown, 'promptUsage' | 'isCutShort'> {
  /** Some of it did not fit. */
  isLost?: boolean;
  /** Tokens of a summary that was shown. */
  summary?: number;
}

/**
 * What the upstream told of the prompt or of the answer holds, and the other is counted here. What nobody sees is charged
 * as it is held where it is our doing or the caller's that the upstream could not tell it.
 */
async function countUntold(
  call: Call,
  answer: Answer,
  { promptUsage, isCutShort, isLost, summary }: Untold,
  came: () => Promise<Usage | null>,
): Promise<Reckoned> {
  const told = toldOfPrompt(call, answer, promptUsage);
  const output = await came();
  const prompt = told ?? (output && promptTokens(output) > 0 ? output : await countPrompt(answer));
  const usage = withOutputOf(prompt, output ?? noUsage());
  if (isCutShort) {
    const unseen = unseenOf(call.request, answer);
    // What was lost is output of unknown length, as thoughts are.
    if (isLost) unseen.thoughts = true;
    const seen = { isPromptTold: told !== null, prompt, summary };
    if (answer.edits.sumsUpFrom !== undefined) {
      // What is told of the prompt may be that of what it was summed up to.
      seen.prompt = await countPrompt(answer);
      unseen.summary = maySumUp(call, unseen, seen);
    }
    if (hasUnseen(unseen)) return { usage: withUnseen(usage, call, unseen, seen), usageSource: 'held' };
  }
  return { usage, usageSource: told && !output ? 'upstream' : 'estimated' };
}

async function countForwarded(
  call: Call,
  answer: StreamAnswer,
  calls: number,
  heardSeconds?: number,
): Promise<Usage> {
  const { meter, passage, model } = answer;
  const output = await meter.count(model, call.request);
  const bytes = passage.mediaBytes ?? 0;
  const usage = await countCall(answer, { output, calls, bytes, heardSeconds });
  return withMedia(usage, ofModelAlone(meter, { tools: answer.tools?.uses }), model);
}
