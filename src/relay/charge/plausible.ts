/** Whether to believe what an upstream says that an answer used: it is held against what was asked and what came. */
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { mostAudioTokens } from '../../core/media-tokens.ts';
import type { PaidTools } from '../../core/paid-tools.ts';
import { readsBilled } from '../../core/tool-reading.ts';
import {
  allTokens,
  completionTokens,
  promptTokens,
  type Usage,
  type UsageCount,
  withoutFound,
} from '../../core/usage.ts';
import { runsTools } from '../../dialects/asked-tools.ts';
import type { Operation } from '../../dialects/dialect.ts';
import { hearsTokens } from '../../dialects/plain/usage.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import { findProvider, keepsAnswersAt } from '../../providers/registry.ts';
import type { RelayRequest } from '../request.ts';
import { promptBoundOf } from './estimate.ts';

/** The most tokens that are believed. */
export interface MostBelieved {
  prompt: number;
  /** Beside thoughts that are told. */
  output: number;
  /** Thoughts that an upstream may tell beside a limit. */
  thoughts: number;
  /** Tools that the upstream runs read what they find, as often as they like: more than any context at once is no mistake. */
  isOpen?: boolean;
  /** Pictures may be made of more tokens than the rules that are known say: beyond the bound, the bound is charged. */
  draws?: boolean;
  /** Its limit is that of a picture or a sound: words beside that, or in its place, are believed as thoughts are. */
  makes?: boolean;
  /** What its tools find is billed to nobody. */
  findsUnbilled?: boolean;
  /** Media are read in a context of each input: beyond the bound, the bound is charged, since nobody here can count them. */
  apart?: boolean;
}

/** Tokenizers differ, and some upstreams stop a little late. */
const TIMES = 2;
/** Vendors put instructions of their own before a prompt, gateways behind us a search or their own: tens of thousands. */
const PROMPT_SLACK = 32_768;
const OUTPUT_SLACK = 4_096;
/** The longest answer of usual models, and as much is thought beside an answer's limit. */
const LONGEST_ANSWER = 131_072;
/** The longest context of usual models: what stands for whatever its vendor alone can size (decision 050). */
const LONGEST_CONTEXT = 2_097_152;
/** Uses of tools that are not paid for, of which nothing is known. */
const ROUNDS = 10;

/** Operations that read each input, or each document, alone. */
const APART: ReadonlySet<Operation> = new Set<Operation>(['embeddings', 'rerank']);

/** Operations on files, and on a question that is read once more with each document. */
const BEYOND_TEXT: ReadonlySet<Operation> = new Set<Operation>([
  'image-edits',
  'image-variations',
  'transcriptions',
  'translations',
  'rerank',
]);

/** For answers of sessions, whose context the upstream keeps. */
export const MOST_OF_SESSION: MostBelieved = {
  prompt: LONGEST_CONTEXT,
  output: LONGEST_ANSWER,
  thoughts: LONGEST_ANSWER,
};

/** What a call may use within reason, at this channel. */
export function mostBelieved(
  { facts, body, operation }: Pick<RelayRequest, 'facts' | 'body' | 'operation'>,
  { type, setting, paramOverride }: Pick<RoutedChannel, 'type' | 'setting' | 'paramOverride'>,
  paid: PaidTools,
): MostBelieved {
  const { prompt, choices, outputCap, calls = 1, sumsUpFrom } = facts;
  const systemBytes = Buffer.byteLength(setting.systemPrompt);
  const { text, audio, image, films = 0, foretold = 0 } = promptBoundOf(facts, systemBytes);
  // The upstream may be another maker's than the name tells.
  const heard = Math.max(audio, mostAudioTokens(prompt.audioSeconds));
  const isUnseen =
    prompt.unseen === true ||
    prompt.files > 0 ||
    BEYOND_TEXT.has(operation) ||
    findProvider(type)?.hasOwnPrompt;
  const answers = Math.max(choices, calls);
  // What is believed of pictures is what is held for them: no tokenizer has a say in it, and a slack for each would add up.
  const seen = TIMES * (text + heard + films) + image + PROMPT_SLACK;
  // Such parts are read within one context with all others.
  const whole = isUnseen
    ? seen + LONGEST_CONTEXT * (prompt.reads ?? 1)
    : Math.max(seen, prompt.sizedByVendor ? LONGEST_CONTEXT : 0);
  // All of it is read once more where it is summed up first, and the summary is written and read.
  const sumsUp = sumsUpFrom !== undefined;
  const summary = sumsUp ? LONGEST_ANSWER : 0;
  const output = TIMES * answers * (outputCap || LONGEST_ANSWER) + foretold + summary + OUTPUT_SLACK;
  const rounds = roundsOf(paid, { ...body, ...paramOverride });
  const reads = paid.reads ?? [];
  const isOpen = rounds > 1 || reads.length > 0;
  return {
    findsUnbilled: reads.length > 0 && readsBilled(paid).length === 0,
    // The whole is read once more after each use, with all that was found, and nobody here sees what that was.
    prompt: isOpen ? limits.maxTokensCap : (sumsUp ? 2 : 1) * whole + summary,
    output: rounds * output,
    thoughts: answers * LONGEST_ANSWER,
    isOpen,
    draws: facts.drawing !== undefined,
    makes: facts.drawing !== undefined || operation === 'speech',
    apart: APART.has(operation) && prompt.images.length + prompt.files + prompt.audioSeconds > 0,
  };
}

/** How often a model reads the whole: once more after each use of a tool that its upstream runs, or by each that works at it. */
function roundsOf({ tools, reads = [], together }: PaidTools, body: JsonObject): number {
  const mayUse = tools.length > 0 || reads.some(({ ahead }) => !ahead);
  if (!mayUse && !runsTools(body)) return 1;
  const uses = tools.reduce((sum, { most }) => sum + (most ?? ROUNDS), 0);
  return 1 + Math.max(together ?? uses, ROUNDS);
}

/**
 * Null for output beyond the bound and for a prompt beyond every context, which are mistakes of the upstream: then it is
 * counted here. `seen` tells the bytes of text that came; an answer that was seen is believed whatever its limit. What an
 * upstream has read nobody here sees: a word of its own may have made it search, and files that are read apart are many
 * contexts. To count such a prompt here would be to give that away, so that as much of it as is believed is charged, and as
 * much of the output where a model has drawn of which nothing is known: no upstream gets more by telling too much than by
 * telling just that.
 */
export function plausible(
  usage: Usage | null,
  bound: MostBelieved,
  seen: () => number = () => 0,
): Usage | null {
  if (!usage) return null;
  const [prompt, output] = [promptTokens(usage), completionTokens(usage)];
  const mostPrompt = bound.apart ? bound.prompt : Math.min(bound.prompt, limits.maxTokensCap);
  if (output > limits.maxTokensCap && !bound.draws) return null;
  if (prompt > Math.max(mostPrompt, LONGEST_CONTEXT) && !bound.isOpen && !bound.apart) return null;
  const most = bound.output + Math.min(bound.makes ? usage.output : usage.reasoning, bound.thoughts);
  const isBeyond = output > most && output > seen() + most;
  if (isBeyond && !bound.draws) return null;
  const told = isBeyond ? withShare(usage, OUTPUT_KINDS, most / output) : usage;
  return prompt > mostPrompt ? withShare(told, PROMPT_KINDS, mostPrompt / prompt) : told;
}

/** What is told, less what its tools have found where its vendor bills nobody for that: there it is no prompt. */
export const billedOf = (told: Usage | null, { findsUnbilled }: MostBelieved): Usage | null =>
  told && findsUnbilled ? withoutFound(told) : told;

/** What is told of an answer, or of a transcript, is held against this, whichever way it came. */
export interface Seen<Weighed> {
  channel: Pick<RoutedChannel, 'type' | 'baseUrl'>;
  bound: MostBelieved;
  /** Names of the model that may have heard a sound, by the first of which it is known what it sells. */
  names: readonly string[];
  /** Something came that is due. */
  isDue(): boolean;
  /** Bytes of text that came. */
  bytes?(): number;
  /** Holds what is likely so far against what was seen. */
  weigh(likely: Usage): Weighed;
}

export interface Judged<Weighed> {
  /** What is likely, as it was weighed; null where nothing is told that can be so. */
  weighed: Weighed | null;
  /** As much was told as says nothing: it is as if nothing had been. */
  isUntold: boolean;
  /** More was told than can be. */
  isDoubted: boolean;
  /** Set where the length of a sound is all that is told, and its model sells tokens: these are to be counted. */
  seconds?: number;
}

/** All that is asked of a usage before it is charged: whether it tells anything, can be so, and fits what was seen. */
export function judged<Weighed>(
  all: Usage | null,
  { channel, bound, names, isDue, bytes, weigh }: Seen<Weighed>,
): Judged<Weighed> {
  const usage = billedOf(all, bound);
  const isUntold = tellsNothing(usage, channel) && isDue();
  const told = isUntold ? null : usage;
  const likely = plausible(told, bound, bytes);
  if (likely?.seconds !== undefined && hearsTokens(names))
    return { weighed: null, isUntold: true, isDoubted: false, seconds: likely.seconds };
  return { weighed: likely && weigh(likely), isUntold, isDoubted: isDoubted(told, likely) };
}

/**
 * Whether nothing is told to have been read and nothing written, which is true of no answer in which something came: who
 * fills in zeros where nobody counts does not tell. But a host that keeps answers tells so of those, and bills none of them.
 * Where a host is known not to count, whatever it fills in says nothing.
 */
export function tellsNothing(
  usage: Usage | null,
  { type, baseUrl }: Pick<RoutedChannel, 'type' | 'baseUrl'>,
): boolean {
  if (!usage) return false;
  const provider = findProvider(type);
  if (provider?.tellsNoUsage) return true;
  if (allTokens(usage) > 0) return false;
  return !provider || !keepsAnswersAt(provider, baseUrl);
}

/**
 * The least that is believed of a chat. Some hosts tell a constant instead of a count, and gateways forget a cache that they
 * leave out of a prompt. Tokenizers differ by a few times at the most, so that who tells less than a tenth of what is counted
 * here does not tell what it was: that half is counted here, and its channel is suspect. Bytes come first, which are known
 * of every call: a usual token has four, and nothing is counted unless twenty come to each that is told. Of a prompt only
 * that is counted which no upstream leaves out, what its system says and the last message, and only where less is told than
 * the smallest window holds: others read less than they are sent, and say so truly.
 */
const TIMES_FEWER = 10;
const BYTES_A_TOKEN_LEAST = 2;
/** Of so few tokens beyond that nothing is said. */
const FEW = 50;
/** Half of 2,048, to which Ollama cuts a prompt that is longer: some cut to half of what they can read. */
export const SMALLEST_CONTEXT = 1_024;

/** Whether it is worth a count. */
export const mayBeTooFew = (told: number, bytes: number): boolean =>
  bytes > BYTES_A_TOKEN_LEAST * (TIMES_FEWER * told + FEW);

export const isTooFew = (told: number, counted: number): boolean => counted > TIMES_FEWER * told + FEW;

/** Whether the told usage is not believed, or less of it than was told. */
export const isDoubted = (told: Usage | null, given: Usage | null): boolean =>
  told !== null &&
  (given === null ||
    completionTokens(given) < completionTokens(told) ||
    promptTokens(given) < promptTokens(told));

const PROMPT_KINDS = [
  'input',
  'cacheRead',
  'cacheReadAudio',
  'cacheWrite',
  'cacheWriteHour',
  'inputAudio',
  'inputImage',
  'inputVideo',
] as const satisfies readonly UsageCount[];

const OUTPUT_KINDS = [
  'output',
  'outputAudio',
  'outputImage',
  'reasoning',
] as const satisfies readonly UsageCount[];

/** The same with this share of each of these kinds. */
function withShare(usage: Usage, kinds: readonly UsageCount[], share: number): Usage {
  const less = { ...usage };
  for (const kind of kinds) less[kind] = Math.floor(usage[kind] * share);
  return less;
}
