/** What the relay must know of answers and streams of this wire that it passes on as they came. */
import { bufferOf } from '../../core/bytes.ts';
import { type JsonObject, parseObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import { Continuations } from '../continuations.ts';
import type { FrameFacts, Produced, ReplyFacts, StreamTap, TappedRequest } from '../dialect.ts';
import { type AnswerEnd, endIn, isDue, isOfSeveral, StreamedAnswers } from '../due-answers.ts';
import { hasFields, numberOf, objectOf, objectsOf, textOf } from '../fields.ts';
import { type Frame, parseFrame } from '../frames.ts';
import { secondsIn } from '../media-output.ts';
import type { StopReason } from '../neutral.ts';
import { saysAnything } from '../produced.ts';
import { ReportedUsage } from '../reported-usage.ts';
import { readStop } from '../stop-words.ts';
import { DROP, PASS, tells, wordsOf } from '../tap-frames.ts';
import { CODE, CodeOutputs } from './code-output.ts';
import { readError } from './errors.ts';
import { blockReason } from './reply.ts';
import { geminiStops } from './stops.ts';
import { readUsage, reportUsage } from './usage.ts';

/** A blocked prompt is an answer here: callers of this dialect look for it. */
export function readReplyFacts(body: unknown): ReplyFacts {
  const answer = objectOf(body);
  const candidates = objectsOf(answer?.candidates);
  const block = answer && blockReason(answer);
  const usage = readUsage(answer?.usageMetadata);
  const missing =
    candidates.length === 0 && block === undefined ? { message: 'its answer holds no candidates' } : null;
  return {
    usage,
    error: (answer && readError(answer)) ?? missing,
    produced: () => (usage ? producedBy(candidates) : producedUntold(candidates)),
    due: () => candidates.filter(isDueIn).length,
    isFiltered: candidates.every((candidate) => endOf(candidate) === 'filtered'),
    finishReason: textOf(candidates[0]?.finishReason) ?? block ?? null,
    continuations: noteContinuations(new Continuations(false), candidates),
  };
}

function noteContinuations(known: Continuations, candidates: readonly JsonObject[]): Continuations {
  for (const { continuationToken } of candidates) known.note(continuationToken);
  return known;
}

const endOf = ({ finishReason }: JsonObject): AnswerEnd => endIn(geminiStops, textOf(finishReason));

const hasOutput = (candidate: JsonObject): boolean => saysAnything(producedBy([candidate]));

const isDueIn = (candidate: JsonObject): boolean =>
  isDue({
    end: endOf(candidate),
    says: () => carries([candidate]),
    hasOutput: () => hasOutput(candidate),
  });

/** What a model has written that Google could not read as a call: it is thrown away, and stands beside the end in full. */
const discardedIn = (candidates: readonly JsonObject[]): string =>
  candidates
    .filter(({ finishReason }) => readStop(geminiStops, textOf(finishReason) ?? '', false) === DISCARDED)
    .map(({ finishMessage }) => textOf(finishMessage) ?? '')
    .join('');

const DISCARDED: StopReason = 'malformed-tool-call';

/** Google tells no output of what it has thrown away, and is believed: that counts where nothing is told. */
function producedUntold(candidates: readonly JsonObject[]): Produced {
  const produced = producedBy(candidates);
  return { ...produced, text: produced.text + discardedIn(candidates) };
}

const partsOf = (candidates: readonly JsonObject[]): JsonObject[] =>
  candidates.flatMap((candidate) => objectsOf(objectOf(candidate.content)?.parts));

const indexOf = ({ index }: JsonObject, at: number): number => numberOf(index) ?? at;

/** With the number of the answer that each is a part of. */
const placedParts = (candidates: readonly JsonObject[]) =>
  candidates.flatMap((candidate, at) =>
    partsOf([candidate]).map((part) => ({ part, answer: indexOf(candidate, at) })),
  );

function producedBy(candidates: readonly JsonObject[], code = new CodeOutputs()): Produced {
  let text = '';
  let toolCalls = 0;
  let seconds = 0;
  let pictures = 0;
  let thinks = false;
  for (const { part, answer } of placedParts(candidates)) {
    const isPlot = code.of(answer).plots(part);
    const media = objectOf(part.inlineData) ?? objectOf(part.inline_data);
    const kind = textOf(media?.mimeType) ?? textOf(media?.mime_type) ?? '';
    if (kind.startsWith('audio/')) seconds += secondsIn(textOf(media?.data) ?? '');
    // Sketches that it made while it thought are shown, and sold by nobody.
    if (kind.startsWith('image/') && part.thought !== true && !isPlot) pictures++;
    thinks ||= part.thought === true && Boolean(part.text);
    text += textOf(part.text) ?? textOf(objectOf(part.executableCode)?.code) ?? '';
    const call = objectOf(part.functionCall);
    if (!call) continue;
    if (typeof call.name === 'string') toolCalls++;
    text += textOf(call.name) ?? '';
    if (hasFields(objectOf(call.args) ?? {})) text += JSON.stringify(call.args);
    for (const piece of objectsOf(call.partialArgs)) text += textOf(piece.stringValue) ?? '';
  }
  return { text, toolCalls, seconds, pictures, ...(thinks && { thinks }) };
}

/**
 * Empty text says nothing, unless what it was thought from stands beside it, sealed; anything else in a part does, and so does
 * a token with which the answer goes on, which may have thought all the while.
 */
export const carries = (candidates: readonly JsonObject[]): boolean =>
  candidates.some(({ continuationToken }) => Boolean(continuationToken)) ||
  partsOf(candidates).some((part) =>
    typeof part.text === 'string' ? Boolean(part.text || part.thoughtSignature) : hasFields(part),
  );

const USAGE = Buffer.from('"usageMetadata"');
const TOLD = wordsOf(
  '"finishReason"',
  '"promptFeedback"',
  '"continuationToken"',
  '"error"',
  '"inlineData"',
  '"inline_data"',
  ...CODE.map((name) => `"${name}"`),
);

export class GeminiTap implements StreamTap {
  readonly #reported = new ReportedUsage();
  /** The last frame with usage that nobody had to read: every frame carries the counts so far. */
  #unread: Uint8Array | undefined;
  readonly #open = new Set<number>();
  readonly #answers = new StreamedAnswers();
  readonly #code = new CodeOutputs();
  readonly continuations = new Continuations(false);
  complete = false;
  finishReason: string | null = null;

  constructor(readonly request: TappedRequest) {}

  get usage(): Usage | null {
    this.#readUnread();
    return this.#reported.whole(this.complete);
  }

  get promptUsage(): Usage | null {
    this.#readUnread();
    return this.#reported.latest;
  }

  get isFiltered(): boolean {
    return this.#answers.areAllFiltered;
  }

  get due(): number {
    return this.#answers.due;
  }

  #readUnread(): void {
    const frame = this.#unread && parseFrame(this.#unread);
    this.#unread = undefined;
    if (frame) reportUsage(this.#reported, parseObject(frame.data)?.usageMetadata);
  }

  wants(bytes: Uint8Array): boolean {
    // Of several answers each frame says whose it is.
    if (this.complete || isOfSeveral(this.request)) return true;
    const frame = bufferOf(bytes);
    if (tells(frame, TOLD)) return true;
    const hasUsage = frame.includes(USAGE);
    if (!hasUsage) this.#readUnread();
    this.#reported.content();
    if (hasUsage) this.#unread = bytes;
    return false;
  }

  read(frame: Frame): FrameFacts {
    const body = parseObject(frame.data);
    if (!body) return DROP;
    const error = readError(body);
    if (error) return { ...DROP, error };
    const candidates = objectsOf(body.candidates);
    const content = carries(candidates);
    noteContinuations(this.continuations, candidates);
    this.#readUnread();
    if (content) this.#reported.content();
    reportUsage(this.#reported, body.usageMetadata);
    const block = blockReason(body);
    if (candidates.length === 0 && block !== undefined) this.finishReason = block;
    for (const [n, candidate] of candidates.entries()) {
      const index = indexOf(candidate, n);
      const reason = textOf(candidate.finishReason);
      if (carries([candidate])) this.#answers.came(index, () => hasOutput(candidate));
      this.#answers.ended(index, endOf(candidate));
      if (reason === undefined) this.#open.add(index);
      else this.#open.delete(index);
      this.finishReason = reason ?? this.finishReason;
    }
    // There is no end marker, and some models say their reason in every frame.
    this.complete = this.finishReason !== null && this.#open.size === 0;
    const produced = producedBy(candidates, this.#code);
    const hasCome = content || discardedIn(candidates) !== '';
    const facts = { ...PASS, content: hasCome, mayBeLast: this.complete };
    return produced.seconds || produced.pictures ? { ...facts, produced } : facts;
  }

  produced({ data }: Frame): Produced {
    const candidates = objectsOf(parseObject(data)?.candidates);
    return this.#reported.latest ? producedBy(candidates) : producedUntold(candidates);
  }
}
