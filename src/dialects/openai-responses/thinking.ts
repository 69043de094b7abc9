/** How much the model may think, and whether a summary of it is shown. */
import type { JsonObject } from '../../core/json.ts';
import type { ThinkingWish } from '../../core/model-variant.ts';
import { EFFORTS, effortFor } from '../../core/openai-thinkers.ts';
import type { WishPlace } from '../dialect.ts';
import { compact, hasFields, objectOf, oneOf } from '../fields.ts';
import type { ChatRequest, Reasoning } from '../neutral.ts';
import { saidEffort, wishedEffort } from '../openai-chat/thinking.ts';

const SUMMARIES = ['auto', 'concise', 'detailed'] as const;

export function readReasoning(body: JsonObject): Reasoning | undefined {
  const said = objectOf(body.reasoning);
  const reasoning: Reasoning = compact({
    effort: oneOf(said?.effort, EFFORTS),
    summary: oneOf(said?.summary, SUMMARIES) ?? oneOf(said?.generate_summary, SUMMARIES),
  });
  if (reasoning.summary) reasoning.show = true;
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

/** The same for an upstream of this dialect whose caller speaks another. */
export function writeReasoning(request: ChatRequest, model: string): JsonObject | undefined {
  const { reasoning } = request;
  if (!reasoning) return undefined;
  const effort = saidEffort(reasoning);
  const isSeen = effort !== 'none' && asksToSee(reasoning, request.dialect);
  const written = compact<JsonObject>({
    effort: effort && effortFor(effort, model),
    summary: isSeen ? (reasoning.summary ?? 'auto') : undefined,
  });
  return hasFields(written) ? written : undefined;
}

/**
 * OpenAI gives summaries to organisations alone that have proved who they are, and refuses a call that wants one of any
 * other. Who switches thoughts on by his wire's own word sees them there, but on Google's, which has another word for that;
 * an effort shows nothing.
 */
const asksToSee = ({ show, mode }: Reasoning, dialect: ChatRequest['dialect']): boolean =>
  show ?? (dialect !== 'gemini' && (mode === 'on' || mode === 'adaptive'));

export function writeWish(body: JsonObject, wish: ThinkingWish, { model }: WishPlace): void {
  body.reasoning = { ...objectOf(body.reasoning), effort: effortFor(wishedEffort(wish), model) };
}
