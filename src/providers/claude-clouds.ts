/**
 * What clouds of others take of Anthropic's wire. They refuse a whole call for a beta that they do not know, and what
 * Anthropic makes next they know later or never: each has a list of those that it takes, and all others stay behind.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { joinBetas } from '../dialects/anthropic-messages/betas.ts';
import { withMarks } from '../dialects/cache-life.ts';

/** Betas, each with the name under which a cloud takes it. */
export type TakenBetas = ReadonlyMap<string, string>;

const SEARCHES_TOOLS = 'tool-search-tool-2025-10-19';

const takes = (...betas: readonly string[]): TakenBetas =>
  new Map([...betas.map((beta) => [beta, beta] as const), ['advanced-tool-use-2025-11-20', SEARCHES_TOOLS]]);

const ON_BOTH = [
  'compact-2026-01-12',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-management-2025-06-27',
  'effort-2025-11-24',
  'interleaved-thinking-2025-05-14',
  SEARCHES_TOOLS,
] as const;

/** Amazon's guide to Claude's requests ("anthropic_beta"), and what LiteLLM has found to be taken since. */
export const BETAS_OF_BEDROCK = takes(
  ...ON_BOTH,
  'computer-use-2024-10-22',
  'dev-full-thinking-2025-05-14',
  'fine-grained-tool-streaming-2025-05-14',
  'output-128k-2025-02-19',
  'token-efficient-tools-2025-02-19',
  'tool-examples-2025-10-29',
);

/** Where Vertex counts a prompt it does not search, and refuses that word as well (anthropics/claude-code#12429). */
export const BETAS_OF_VERTEX_COUNTS = takes(...ON_BOTH);
/** Google's guides to Claude, and LiteLLM's list; with streamed tools its calls are no JSON (vercel/ai#13514). */
export const BETAS_OF_VERTEX = takes(...ON_BOTH, 'web-search-2025-03-05');

/** Those of a comma list that a cloud takes, by its names. */
export const takenOf = (betas: string, taken: TakenBetas): string =>
  joinBetas(...betas.split(',').map((beta) => taken.get(beta)));

/** The body as a cloud takes it: with those of its betas, and without how far a cache reaches, of which none knows. */
export function asTaken({ anthropic_beta: given, ...body }: JsonObject, taken: TakenBetas): JsonObject {
  const betas = Array.isArray(given) ? takenOf(given.map(String).join(), taken) : '';
  const own = withMarks(body, withoutScope);
  return betas ? { ...own, anthropic_beta: betas.split(',') } : own;
}

function withoutScope(mark: Json): Json {
  if (!isObject(mark) || mark.scope === undefined) return mark;
  const { scope: _, ...rest } = mark as JsonObject;
  return rest;
}
