/**
 * Usage as Anthropic counts it: `input_tokens` without the two cache counts, cache writes split by their life where
 * the split is given. The total of the writes is the truth, but for a zero; the split only says which of them live an hour.
 */
import type { JsonObject } from '../../core/json.ts';
import { cached, noUsage, promptTokens, sumOfUsage, type Usage } from '../../core/usage.ts';
import { countOf, objectOf, objectsOf } from '../fields.ts';

/** What a `usage` object means; null when it is none. Explicit zeros are usage. */
export function readUsage(raw: unknown): Usage | null {
  const usage = objectOf(raw);
  if (!usage || (countOf(usage.input_tokens) === undefined && countOf(usage.output_tokens) === undefined)) {
    return null;
  }
  // A compaction of the context, or the advice of another model, is a call of its own, which the counts above leave out.
  const apart = objectsOf(usage.iterations).filter(
    ({ type }) => typeof type === 'string' && !IN_TOTAL.has(type),
  );
  const answer = counts(usage);
  if (apart.length === 0) return answer;
  const calls = [answer, ...apart.map(counts)];
  return { ...calls.reduce(sumOfUsage), longest: Math.max(...calls.map(promptTokens)) };
}

/** The answer, by the model that was named or by the one that stood in for it. */
const IN_TOTAL: ReadonlySet<string> = new Set(['message', 'fallback_message']);

function counts(usage: JsonObject): Usage {
  const lives = objectOf(usage.cache_creation);
  const hour = countOf(lives?.ephemeral_1h_input_tokens) ?? 0;
  const minutes = countOf(lives?.ephemeral_5m_input_tokens) ?? 0;
  const told = countOf(usage.cache_creation_input_tokens);
  const writes = told || hour + minutes;
  const cacheWriteHour = Math.min(hour, writes);
  const output = countOf(usage.output_tokens) ?? 0;
  const thinking = countOf(objectOf(usage.output_tokens_details)?.thinking_tokens) ?? 0;
  return {
    ...noUsage(),
    input: countOf(usage.input_tokens) ?? 0,
    cacheRead: countOf(usage.cache_read_input_tokens) ?? 0,
    cacheWrite: writes - cacheWriteHour,
    cacheWriteHour,
    output,
    reasoning: Math.min(thinking, output),
    ...((told !== undefined || lives) && { untoldWrites: Math.max(0, writes - hour - minutes) }),
  };
}

const PROMPT_FIELDS = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

/**
 * The usage of a stream so far: `message_delta` carries totals, never increments, and may leave out what
 * `message_start` said. A prompt of nothing but zeros does not replace a real one: some copies of the wire send it so.
 */
export function mergeUsage(before: JsonObject | undefined, later: unknown): JsonObject | undefined {
  const next = objectOf(later);
  if (!next) return before;
  const merged: JsonObject = { ...before };
  const empty = before !== undefined && !PROMPT_FIELDS.some((field) => (countOf(next[field]) ?? 0) > 0);
  for (const [field, value] of Object.entries(next)) {
    if (value !== null && !(empty && PROMPT_FIELDS.includes(field))) merged[field] = value;
  }
  return merged;
}

/**
 * The usage of a stream. Its start tells the prompt and a placeholder for the answer, which a delta tells in the end. Where
 * the start has nothing but zeros, the end tells the prompt, too: a delta of the answer alone must not make them a prompt of
 * nothing. Zeros of a whole answer are judged for all wires by `toldIn`.
 */
export class StreamCounts {
  #counts: JsonObject | undefined;
  #isWhole = false;
  #tellsPrompt = false;

  begin(usage: unknown): void {
    this.#counts = mergeUsage(this.#counts, usage);
    this.#tellsPrompt ||= PROMPT_FIELDS.some((field) => (countOf(this.#counts?.[field]) ?? 0) > 0);
  }

  /** What a `message_delta` says. */
  add(usage: unknown): void {
    this.#counts = mergeUsage(this.#counts, usage);
    const told = objectOf(usage);
    this.#isWhole ||= countOf(told?.output_tokens) !== undefined;
    this.#tellsPrompt ||= PROMPT_FIELDS.some((field) => countOf(told?.[field]) !== undefined);
  }

  /** All of it as it came. */
  get raw(): JsonObject | undefined {
    return this.#counts;
  }

  /** Null until the answer was counted. */
  get usage(): Usage | null {
    return this.#isWhole ? readUsage(this.#counts) : null;
  }

  /** As far as it was told, and true of the prompt alone while `usage` is null; null until the prompt was counted. */
  get latest(): Usage | null {
    return this.#tellsPrompt ? readUsage(this.#counts) : null;
  }
}

export function writeUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.input + usage.inputAudio + usage.inputImage + usage.inputVideo,
    cache_creation_input_tokens: usage.cacheWrite + usage.cacheWriteHour,
    cache_read_input_tokens: cached(usage),
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite,
      ephemeral_1h_input_tokens: usage.cacheWriteHour,
    },
    output_tokens: usage.output + usage.outputAudio + usage.outputImage,
    ...(usage.reasoning > 0 && { output_tokens_details: { thinking_tokens: usage.reasoning } }),
  };
}
