/**
 * What of a call nobody here sees: thoughts that are not shown, documents that stand elsewhere, what tools read, what its
 * conversation was summed up to, what was foretold in vain. It is held from the start, and only its upstream tells what it
 * came to, on most wires at the very end. Of an answer that was not read to its end it is charged as it was held; else
 * whoever leaves in time pays for none of it.
 */
import { limits } from '../../core/limits.ts';
import { mediaTokens } from '../../core/media-tokens.ts';
import type { PaidTools } from '../../core/paid-tools.ts';
import { OUTPUT_AT_ONCE, outputCovered } from '../../core/price-bound.ts';
import { NO_READING, readsBilled } from '../../core/tool-reading.ts';
import { completionTokens, promptTokens, type Usage } from '../../core/usage.ts';
import type { Edits } from '../../dialects/edits.ts';
import type { RelayRequest } from '../request.ts';
import type { Call } from './call.ts';
import { boundOfCounted, keptUncounted, promptBoundOf, promptHeld, summaryHeld } from './estimate.ts';
import { mayThinkUnseen, type Thinker } from './thinking.ts';

/** Which parts of a call cannot be counted here. */
export interface Unseen {
  thoughts: boolean;
  documents: boolean;
  reading: boolean;
  /** One reading more, of a prompt that is summed up first, and the summary. */
  summary: boolean;
  /** What was foretold and does not come true. */
  foretold: boolean;
}

/** What an upstream was asked. */
interface Asked {
  thinker: Thinker;
  paid: PaidTools;
  foretells: boolean;
  edits: Edits;
}

export function unseenOf(
  request: Pick<RelayRequest, 'facts' | 'body' | 'dialect'>,
  { thinker, paid, foretells, edits }: Asked,
): Unseen {
  const { unseen, unsized, unseenFilm, thought = 0, foretold } = request.facts.prompt;
  return {
    thoughts: mayThinkUnseen(request, [thinker]),
    documents: unseen === true || unsized === true || unseenFilm === true || thought > 0,
    reading: readsUnseen({ paid }),
    summary: edits.sumsUpFrom !== undefined && summaryHeld(request.facts, NO_READING) > 0,
    // Wires without a word for it leave it out.
    foretold: foretells && foretold !== undefined,
  };
}

/** Whether tools of its upstream read for it, which may tell others what it writes. */
export const readsUnseen = ({ paid }: Pick<Asked, 'paid'>): boolean => readsBilled(paid).length > 0;

export const hasUnseen = (unseen: Unseen): boolean => Object.values(unseen).includes(true);

type HeldCall = Pick<Call, 'quote' | 'held' | 'heldForTools' | 'reading'> & {
  request: Pick<RelayRequest, 'facts'>;
};

/** Tokens of output that a call was limited to, or else those that are held for. */
export function mostOutput({ request: { facts }, quote, held, heldForTools, reading }: HeldCall): number {
  // Nothing is held for output that costs nothing.
  if (held === 0 || quote.price.kind === 'call') return 0;
  const { outputCap, thoughts } = facts;
  const beside = thoughts ? (thoughts.cap ?? limits.maxTokensCap) : 0;
  const asked = facts.choices * ((outputCap ?? limits.maxTokensCap) + beside);
  const covered = outputCovered(quote, promptHeld(facts, reading), held - heldForTools, facts.audioOut);
  return Math.min(asked, covered);
}

/** What was seen of a call all the same. */
interface Seen {
  /** The upstream told its prompt, all of it but what is read of it again. */
  isPromptTold: boolean;
  /** Its prompt as it is counted here. */
  prompt: Usage;
  /** Tokens of a summary that came. */
  summary?: number;
}

/** Whether a conversation may have been summed up, now that its prompt is counted or the summary was shown. */
export function maySumUp(
  { request: { facts }, reading }: HeldCall,
  unseen: Unseen,
  { prompt, summary = 0 }: Omit<Seen, 'isPromptTold'>,
): boolean {
  const read = unseen.reading ? reading : NO_READING;
  const bound = summary > 0 ? undefined : boundOfCounted(facts, promptTokens(prompt));
  return summaryHeld(facts, read, bound) > 0;
}

/** Usage that was counted here with what nobody saw of it, by what is held for that. */
export function withUnseen(
  counted: Usage,
  call: HeldCall,
  unseen: Unseen,
  { isPromptTold, prompt, summary: shown = 0 }: Seen,
): Usage {
  // Nothing is held for a free call; a price a call has no such parts.
  if (call.held === 0 || call.quote.price.kind === 'call') return counted;
  const usage = { ...counted };
  if (unseen.documents && !isPromptTold) addUncounted(usage, call.request);
  const { facts } = call.request;
  const reading = unseen.reading ? call.reading : NO_READING;
  usage.input += Math.min(promptTokens(usage) * reading.rounds + reading.tokens, limits.maxTokensCap);
  if (unseen.thoughts) usage.output += Math.max(mostOutput(call) - completionTokens(usage), 0);
  // Its upstream tells it as more output, beside the answer.
  if (unseen.foretold) usage.output += promptBoundOf(facts).foretold ?? 0;
  if (unseen.summary) {
    // What was told of the prompt may be what was read of the summary alone.
    const again = { ...prompt };
    if (unseen.documents) addUncounted(again, call.request);
    usage.input += promptTokens(again) + OUTPUT_AT_ONCE;
    usage.output += Math.max(OUTPUT_AT_ONCE - shown, 0);
  }
  return usage;
}

/** What documents, films, and what stands elsewhere, are held by beyond what the files in the request are counted as. */
function addUncounted(usage: Usage, { facts: { model, prompt } }: HeldCall['request']): void {
  // What is read apart was counted as it is held.
  if (prompt.reads !== undefined) return;
  const kept = keptUncounted(model, prompt);
  const { fileTokens } = mediaTokens(model, prompt);
  // What may be of any kind is charged as a sound, which costs the most as a rule.
  usage[kept.unsized > 0 ? 'inputAudio' : 'input'] += Math.max(kept.text + kept.unsized - fileTokens, 0);
  // Films were counted by the model that watched them, which may be the dearest.
  usage.inputVideo = Math.max(usage.inputVideo, kept.films);
}
