/** What a call may cost at most, as far as anybody can tell before it is made. */

import { contextOf } from '../../core/contexts.ts';
import { mostDrawingTokens } from '../../core/drawing-tokens.ts';
import { type FileTokens, fileTokensMost, heardTokens, mostImageTokens } from '../../core/media-tokens.ts';
import { comesInCalls, plainName } from '../../core/model-families.ts';
import { onceOf } from '../../core/once-of.ts';
import { type CallBound, OUTPUT_AT_ONCE, type PromptBound, tokensOfBound } from '../../core/price-bound.ts';
import { promptBound } from '../../core/prompt-bound.ts';
import { readAlike } from '../../core/read-alike.ts';
import { signedTokens } from '../../core/signed-thoughts.ts';
import { mostTokens } from '../../core/text-tokens.ts';
import { NO_READING, type Reading, withReading } from '../../core/tool-reading.ts';
import type { AnswerSize, Earlier, Holds, RequestFacts } from '../../dialects/dialect.ts';
import type { Tier } from '../../modules/channel/model.ts';
import { findProvider, vendorBehind } from '../../providers/registry.ts';
import type { RelayRequest } from '../request.ts';
import { mayThinkUnseen } from './thinking.ts';
import { thoughtsBeside } from './thoughts-beside.ts';
import { type Upstream, type UpstreamOf, type Upstreams, upstreamsOf } from './upstreams.ts';

/**
 * A conservative count of the prompt, in tokens of text, audio, images and films, and of what it foretells. `systemBytes`:
 * of what a channel says before it.
 */
export function promptBoundOf(
  { model, prompt, choices }: RequestFacts,
  systemBytes = prompt.systemBytes ?? 0,
): PromptBound {
  const bound = promptBound({
    ...prompt,
    textBytes: prompt.textBytes + systemBytes,
    audioTokens: dearest(model, prompt, (reader) => heardTokens(reader, prompt)),
    imageTokens: dearest(model, prompt, (reader) => mostImageTokens(reader, prompt)),
  });
  const kept = keptTokens(model, prompt);
  return {
    ...bound,
    text: bound.text + kept.text,
    ...(kept.films + kept.unsized > 0 && { films: kept.films + kept.unsized }),
    ...(prompt.foretold && { foretold: choices * mostTokens(prompt.foretold) }),
    ...(prompt.cacheMarks && { written: prompt.cacheMarks }),
  };
}

/** What stands in files, or elsewhere: of each kind as much as the dearest of its readers makes of it. */
export function keptTokens(model: string, prompt: RequestFacts['prompt']): FileTokens {
  if (isAllText(prompt)) return NO_FILES;
  const { earlier, context = contextOf(model) } = prompt;
  const isUnseen = isUnknown(prompt);
  const files = readersOf(model, prompt).map((reader) => fileTokensMost(reader, prompt, isUnseen, context));
  const most = (kind: keyof FileTokens) => Math.max(...files.map((each) => each[kind]));
  return {
    text:
      most('text') + (earlier?.holds === 'any' ? 0 : (earlier?.tokens ?? 0)) + thoughtTokens(model, prompt),
    films: most('films'),
    unsized: most('unsized') + (earlier?.holds === 'any' ? (earlier.tokens ?? 0) : 0),
  };
}

/** Of what earlier answers thought, and the prompt does not say. */
const thoughtTokens = (model: string, prompt: RequestFacts['prompt']): number =>
  (prompt.thought ?? 0) + mostSigned(model, prompt);

const mostSigned = (model: string, prompt: RequestFacts['prompt']): number =>
  dearest(model, prompt, (reader) => signedTokens(reader, prompt.signedBytes));

/** The same without signatures, which are counted with the texts. */
export function keptUncounted(model: string, prompt: RequestFacts['prompt']): FileTokens {
  const kept = keptTokens(model, prompt);
  return { ...kept, text: kept.text - mostSigned(model, prompt) };
}

/** Beside an earlier answer that is remembered nothing is unseen. */
export const isUnknown = ({ unseen = false, earlier }: RequestFacts['prompt']): boolean =>
  unseen && typeof earlier?.tokens !== 'number';

const NO_FILES: FileTokens = { text: 0, films: 0, unsized: 0 };

const dearest = (model: string, prompt: RequestFacts['prompt'], tokens: (reader: string) => number): number =>
  Math.max(...readersOf(model, prompt).map(tokens));

/**
 * The models that may read a prompt, by all names that its channels give them. A picture costs thirty times as much by one
 * as by another, a sound or a film three times, and callers' names for models say nothing of it.
 */
const readersOf = (model: string, { readers = [model] }: RequestFacts['prompt']): readonly string[] =>
  readers;

/** Nothing is kept anywhere else, as in most prompts: no rule for files needs to be looked up. */
export const isAllText = (prompt: RequestFacts['prompt']): boolean =>
  prompt.files === 0 &&
  prompt.fileBytes === 0 &&
  !prompt.unseen &&
  !prompt.unsized &&
  !prompt.unseenFilm &&
  !prompt.videoSeconds &&
  !prompt.videoFrames &&
  !prompt.pages &&
  !prompt.shownBytes &&
  !prompt.thought &&
  !prompt.signedBytes;

/**
 * The request with what earlier answers thought of which it has the ids alone: so many tokens; where nobody remembers them
 * (null) it is unseen, as a context.
 */
export function withThoughts<R extends Pick<RelayRequest, 'facts'>>(asked: R, thought: number | null): R {
  const { earlier, ...prompt } = asked.facts.prompt;
  if (thought === null) return { ...asked, facts: { ...asked.facts, prompt: { ...prompt, unseen: true } } };
  return { ...asked, facts: { ...asked.facts, prompt: { ...asked.facts.prompt, thought } } };
}

type Asked = Pick<RelayRequest, 'operation' | 'dialect' | 'body' | 'facts'>;

/**
 * The request with what is known of its size from here on: which models of its channels read it and how much at once, how
 * long the answers were upon which it builds and how many pictures they have, how many tokens those models draw a picture of,
 * what its channels say before it, what is thought beside its limit, how much one call writes of an answer that comes in
 * several, which alone lowers a hold (decision 004), and whether all of it is seen to grow. All of it goes by what the
 * channels are asked for.
 */
export function withSizes<R extends Asked>(
  asked: R,
  tiers: readonly Tier[],
  answer: AnswerSize | null,
  upstreamOf: UpstreamOf,
): R {
  const upstreams = upstreamsOf(asked.facts.model, tiers, upstreamOf);
  const { names } = upstreams;
  const named = asOneCall(underNames(asked, names), upstreams);
  const thoughts = thoughtsBeside(named, upstreams);
  const grows = isSeenToGrow(named, tiers, upstreams);
  const { prompt, model, drawing, namedAnswers = [] } = named.facts;
  const answers = answer ? [answer, ...namedAnswers] : namedAnswers;
  const holdsMedia = prompt.files > 0 || prompt.images.length > 0 || prompt.audioSeconds > 0;
  const isRead = prompt.unseen || prompt.unsized || prompt.signedBytes || holdsMedia;
  const systemBytes = systemBytesOf(tiers);
  if (!thoughts && !grows && !isRead && !drawing && !systemBytes) return named;
  return {
    ...named,
    facts: {
      ...named.facts,
      ...(thoughts && { thoughts }),
      ...(grows && { grows }),
      ...drawnFrom(named, answers),
      prompt: {
        ...(isRead ? promptRead(named, names, answers) : prompt),
        ...(systemBytes > 0 && { systemBytes }),
      },
      ...(drawing && {
        outputCap: Math.max(...[model, ...names].map((name) => mostDrawingTokens(name, drawing))),
      }),
    },
  };
}

function promptRead(
  { facts: { model, prompt } }: Asked,
  names: readonly string[],
  answers: readonly AnswerSize[],
): RequestFacts['prompt'] {
  const context = Math.max(...names.map(contextOf));
  return {
    ...prompt,
    context,
    readers: [...new Set([model, ...names])],
    ...(prompt.earlier !== undefined && {
      earlier: answers.length > 0 ? readBy(names, answers, context) : null,
    }),
  };
}

/**
 * How much a model reads of it that makes other tokens of that than the one which was told it, nobody knows. Who searched has
 * read its prompt many times, and was told the sum; nobody reads more than a context at once.
 */
function readBy(names: readonly string[], answers: readonly AnswerSize[], context: number): Earlier {
  const known = answers.filter(({ holds, reader }) =>
    names.every((name) => readAlike(name, reader, holds === 'text')),
  );
  const tokens = known.length < answers.length ? [null] : known.map((answer) => answer.tokens);
  return {
    tokens: tokens.reduce(
      (sum, each) => (sum === null || each === null ? null : Math.min(sum + each, context)),
      0,
    ),
    least: Math.max(0, ...known.map(({ least = 0 }) => least)),
    thought: answers.reduce<number | undefined>(
      (sum, { thought }) => (sum === undefined || thought === undefined ? undefined : sum + thought),
      0,
    ),
    holds: DEAREST_FIRST.find((kind) => answers.some(({ holds }) => holds === kind)) ?? 'text',
  };
}

const DEAREST_FIRST: readonly Holds[] = ['any', 'media'];

/** With the pictures of the answers upon which it builds. */
function drawnFrom({ facts }: Asked, answers: readonly AnswerSize[]): Pick<RequestFacts, 'drawnFrom'> {
  const pictures = answers.reduce((sum, answer) => sum + answer.pictures, 0);
  return pictures > 0 ? { drawnFrom: (facts.drawnFrom ?? 0) + pictures } : {};
}

const underNames = <R extends Asked>(request: R, names: readonly string[]): R =>
  request.dialect.factsUnder ? { ...request, facts: request.dialect.factsUnder(request, names) } : request;

/** The most that one call writes of an answer that comes in several (decision 004). */
const ONE_CALL = 65_536;

/** The request with no higher limit than one call comes to, where its own is for all calls of an answer. */
function asOneCall<R extends Asked>(request: R, { all }: Upstreams): R {
  const { facts } = request;
  const { outputCap } = facts;
  if (outputCap === null || outputCap <= ONE_CALL || !all.every(isOfSeveralCalls)) return request;
  return { ...request, facts: { ...facts, outputCap: ONE_CALL } };
}

/** As its vendor serves it: at an operator's address somebody may make one answer of them. */
const isOfSeveralCalls = ({ model, channel }: Upstream): boolean =>
  comesInCalls(plainName(model)) && Boolean(vendorBehind(channel));

/** Whether more can be held while the answer comes: it comes bit by bit, and what is charged of it is seen. */
const isSeenToGrow = (request: Asked, tiers: readonly Tier[], { thinkers }: Upstreams): boolean =>
  request.facts.stream && canStream(tiers) && !mayThinkUnseen(request, thinkers);

/** Bytes of the longest system prompt that one of the channels puts before a request. */
const systemBytesOf = onceOf((tiers: readonly Tier[]): number => {
  const prompts = tiers.flatMap(({ channels }) => channels.map(({ setting }) => setting.systemPrompt));
  return prompts.reduce((longest, prompt) => Math.max(longest, Buffer.byteLength(prompt)), 0);
});

/** Whether each of the channels answers a stream as it comes; some vendors have whole answers only. */
const canStream = onceOf((tiers: readonly Tier[]): boolean =>
  tiers.every(({ channels }) => channels.every(({ type }) => !findProvider(type)?.plainOnly)),
);

/**
 * Tokens of a summary that are held for: none, unless a prompt of which tools read so much may be so long that its upstream
 * sums it up first. How long one gets no service says: as long as an answer whose length nobody knows.
 */
export const summaryHeld = (facts: RequestFacts, reading: Reading, prompt = promptBoundOf(facts)): number =>
  facts.sumsUpFrom !== undefined && tokensOfBound(withReading(prompt, reading)) >= facts.sumsUpFrom
    ? OUTPUT_AT_ONCE
    : 0;

/** What an upstream's own tokenizer may make of a text that was counted here. Of prose its bytes allow more than twice. */
export const COUNT_SLACK = 1.5;

/** The bound of a prompt that has been counted since: of its texts that is nearer than their bytes are. */
export function boundOfCounted(facts: RequestFacts, counted: number): PromptBound {
  const bound = promptBoundOf(facts);
  const { model, prompt } = facts;
  // What is counted is what the caller has sent.
  const uncounted = keptUncounted(model, prompt).text + (prompt.systemBytes ?? 0);
  return { ...bound, text: Math.min(bound.text, Math.ceil(COUNT_SLACK * counted) + uncounted) };
}

/**
 * What is held for a prompt, of which tools read so much. Where it is summed up first it is read once more, and the summary
 * is output, and prompt of what follows.
 */
export function promptHeld(facts: RequestFacts, reading: Reading): PromptBound {
  const prompt = promptBoundOf(facts);
  const summary = summaryHeld(facts, reading);
  if (summary === 0) return withReading(prompt, reading);
  const { rounds, tokens } = reading;
  const more = withReading(prompt, { rounds: rounds + 1, tokens: tokens + summary });
  return { ...more, foretold: (more.foretold ?? 0) + summary };
}

/** What a price a call counts of a request: each answer that it asks for, unless its dialect counts otherwise. */
export const callsAsked = ({ calls, shown, choices }: RequestFacts): number => calls ?? shown ?? choices;

/** The dearest call that the request can come to, whose tools read so much. */
export const callBound = (
  { facts, dialect }: Pick<RelayRequest, 'facts' | 'dialect'>,
  reading: Reading = NO_READING,
): CallBound => ({
  prompt: promptHeld(facts, reading),
  choices: facts.choices,
  outputCap: facts.outputCap,
  thoughts: facts.thoughts,
  // Where no limit can be sent either, more is held as it comes, whatever is seen of it.
  extends: facts.grows === true || (!dialect.withOutputCap && facts.outputCap === null),
  audioOut: facts.audioOut,
  calls: callsAsked(facts),
});
