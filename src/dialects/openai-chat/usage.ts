/**
 * Usage as OpenAI's chat wire counts it, and as the vendors that copied the wire bent it: cached tokens under three
 * names, reasoning inside the completion or beside it, counts under the names of the Responses wire.
 */
import type { JsonObject } from '../../core/json.ts';
import {
  cached,
  completionTokens,
  promptTokens,
  type Usage,
  type UsageTotals,
  usageOf,
} from '../../core/usage.ts';
import { countOf, objectOf } from '../fields.ts';

/** What a `usage` object means; null when it is none. Explicit zeros are usage. `ofSound`: a sound was all that went in. */
export function readUsage(raw: unknown, ofSound = false): Usage | null {
  const usage = objectOf(raw);
  if (!usage) return null;
  // Mistral tells how long it was.
  const isHeard = ofSound || (countOf(usage.prompt_audio_seconds) ?? 0) > 0;
  const total = countOf(usage.total_tokens);
  let prompt = eitherOf(usage.prompt_tokens, usage.input_tokens);
  let completion = eitherOf(usage.completion_tokens, usage.output_tokens);
  if (prompt === undefined && completion === undefined && total === undefined) return null;
  prompt ??= Math.max(0, (total ?? 0) - (completion ?? 0));
  completion ??= Math.max(0, (total ?? 0) - prompt);

  const inputs = objectOf(usage.prompt_tokens_details) ?? objectOf(usage.input_tokens_details) ?? {};
  const outputs = objectOf(usage.completion_tokens_details) ?? objectOf(usage.output_tokens_details) ?? {};
  // DeepSeek and Moonshot name the cached tokens beside the details, and DeepSeek both ways; Databricks as Anthropic does.
  const read =
    (countOf(inputs.cached_tokens) ||
      countOf(usage.prompt_cache_hit_tokens) ||
      countOf(usage.cached_tokens) ||
      countOf(usage.cache_read_input_tokens)) ??
    0;
  const writes = readWrites([inputs, usage]);
  const written = writes ? writes.cacheWrite + writes.cacheWriteHour : 0;
  const audio = countOf(inputs.audio_tokens) ?? 0;
  // As Realtime has it, whose sounds are told with what of them came from a cache.
  const heardAgain = Math.min(countOf(objectOf(inputs.cached_tokens_details)?.audio_tokens) ?? 0, audio);
  const image = countOf(inputs.image_tokens) ?? 0;
  const research = researchOf(usage, prompt + completion);
  const reasoning = countOf(outputs.reasoning_tokens) ?? research?.reasoning ?? 0;
  const beyond = restOf({
    rest: research ? 0 : Math.max(0, (total ?? 0) - prompt - completion),
    caches: { read, written },
    media: [audio + image, audio, image],
    reasoning: research?.reasoning ? 0 : reasoning,
    prompt,
    completion,
    isHeard,
  });
  return usageOf({
    prompt: prompt + (research?.citations ?? 0) + beyond.prompt,
    cacheRead: read,
    cacheReadAudio: heardAgain,
    ...writes,
    inputAudio: audio - heardAgain || (isHeard ? Math.max(0, beyond.prompt - read) : 0),
    inputImage: image,
    completion: completion + (research?.reasoning ?? 0) + beyond.completion,
    // What is not told as such is believed as far as an answer is.
    reasoning,
    outputAudio: countOf(outputs.audio_tokens),
    outputImage: countOf(outputs.image_tokens),
  });
}

interface Counted {
  /** What the total counts beyond prompt and completion. */
  rest: number;
  caches: { read: number; written: number };
  /** Sounds and pictures of the prompt, which may stand beside it, in each way in which that adds up. */
  media: readonly number[];
  reasoning: number;
  prompt: number;
  completion: number;
  isHeard: boolean;
}

/**
 * Of what the rest is. Nobody counts what was neither read nor written. Caches, sounds and pictures may stand beside the
 * prompt as Anthropic has them, and reasoning beside the answer, as xAI does: the sum betrays it. What nothing explains are
 * thoughts, which Google at OpenAI's wire and some gateways tell in the total alone, or a sound, as at Mistral.
 */
function restOf({ rest, caches, media, reasoning, prompt, completion, isHeard }: Counted) {
  if (isHeard) return { prompt: rest, completion: 0 };
  const isOf = (part: number) => part > 0 && (rest === part || rest === part + reasoning);
  const { least, ways } = besidePrompt(caches, prompt);
  // Nobody reads nothing: a prompt of nothing is one that is not told.
  if (prompt === 0) return { prompt: Math.max(rest, least), completion: 0 };
  const ofPrompt = rest === reasoning ? least : (ways.find(isOf) ?? Math.max(media.find(isOf) ?? 0, least));
  // Reasoning is no more than its whole.
  const thoughts = reasoning > completion ? reasoning : 0;
  return { prompt: ofPrompt, completion: Math.max(rest - ofPrompt, thoughts) };
}

/**
 * How much of a Claude's caches may stand beside the prompt, and the least that must: what is part of it is no more than it.
 * CLIProxyAPI puts there what was read, and older New API both, and their totals say nothing of it.
 */
function besidePrompt({ read, written }: Counted['caches'], prompt: number) {
  const ways = [0, read, written, read + written].filter((beside) => read + written - beside <= prompt);
  return { least: ways[0] ?? 0, ways: ways.reverse() };
}

/** A count by one of two names: some gateways write both, and nothing under one of them. */
const eitherOf = (name: unknown, other: unknown): number | undefined =>
  countOf(name) || (countOf(other) ?? countOf(name));

/** Names for all that was written to a cache. OpenAI and vendors tell it among the details, gateways beside them. */
const WRITES = [
  'cache_write_tokens',
  'cache_creation_input_tokens',
  'cache_creation_tokens',
  'cached_creation_tokens',
];
/** Names for how long it is kept: Anthropic's, OpenAI's and LiteLLM's. */
const LIVES = ['cache_creation', 'cache_write_tokens_details', 'cache_creation_token_details'];

/** `told`: where it may be told; what comes first counts. */
function readWrites(
  told: readonly JsonObject[],
): Required<Pick<UsageTotals, 'cacheWrite' | 'cacheWriteHour' | 'untoldWrites'>> | undefined {
  const lives = told.flatMap((place) => [
    ...LIVES.map((name) => objectOf(place[name]) ?? {}),
    livesAt(place),
  ]);
  const all = firstCount(told, WRITES);
  const minutes = firstCount(lives, ['ephemeral_5m_input_tokens', 'ttl_30m_tokens']);
  const hour = firstCount(lives, ['ephemeral_1h_input_tokens']);
  // OpenAI keeps some for half a day, at a price that it does not tell: that of the longest life that is known.
  const halfDay = firstCount(lives, ['ttl_12h_tokens']);
  if ((all ?? minutes ?? hour ?? halfDay) === undefined) return undefined;
  const cacheWriteHour = Math.max(hour ?? 0, halfDay ?? 0);
  const cacheWrite = all === undefined ? (minutes ?? 0) : Math.max(0, all - cacheWriteHour);
  // Of OpenAI's the rest is kept for as long as usual.
  const untoldWrites = halfDay === undefined ? Math.max(0, cacheWrite - (minutes ?? 0)) : 0;
  return { cacheWrite, cacheWriteHour, untoldWrites };
}

/** New API has them beside the details, and writes zeros of whatever it does not know. */
const livesAt = (place: JsonObject): JsonObject => ({
  ephemeral_5m_input_tokens: place.claude_cache_creation_5_m_tokens || null,
  ephemeral_1h_input_tokens: place.claude_cache_creation_1_h_tokens || null,
});

const firstCount = (places: readonly JsonObject[], names: readonly string[]): number | undefined =>
  places.flatMap((place) => names.map((name) => countOf(place[name]))).find((count) => count !== undefined);

/**
 * What Perplexity's research tells beside prompt and completion, and charges (docs.perplexity.ai, pricing): the pages that
 * it quotes and what it thinks. Nobody else tells citations so, and what their total counts more is this, or was added
 * already.
 */
function researchOf(usage: JsonObject, whole: number): { citations: number; reasoning: number } | undefined {
  const citations = countOf(usage.citation_tokens);
  if (citations === undefined) return undefined;
  const details = objectOf(usage.completion_tokens_details);
  // A relay may tell the same once more in OpenAI's place for it, where it is counted by OpenAI's rule.
  const reasoning = details?.reasoning_tokens === undefined ? (countOf(usage.reasoning_tokens) ?? 0) : 0;
  const rest = (countOf(usage.total_tokens) ?? 0) - whole;
  return rest <= 0 || rest === citations + reasoning
    ? { citations, reasoning }
    : { citations: 0, reasoning: 0 };
}

/** The details that a wire of OpenAI's can say of a prompt; what is rare appears only when it is there. */
export function promptDetails(usage: Usage): JsonObject {
  const writes = usage.cacheWrite + usage.cacheWriteHour;
  const sound = usage.inputAudio + usage.cacheReadAudio;
  return {
    cached_tokens: cached(usage),
    ...(usage.cacheReadAudio > 0 && { cached_tokens_details: { audio_tokens: usage.cacheReadAudio } }),
    ...(writes > 0 && { cache_write_tokens: writes }),
    ...(usage.cacheWriteHour > 0 && {
      cache_creation: {
        ephemeral_5m_input_tokens: usage.cacheWrite,
        ephemeral_1h_input_tokens: usage.cacheWriteHour,
      },
    }),
    ...(sound > 0 && { audio_tokens: sound }),
    ...(usage.inputImage > 0 && { image_tokens: usage.inputImage }),
  };
}

export function completionDetails(usage: Usage): JsonObject {
  return {
    reasoning_tokens: usage.reasoning,
    ...(usage.outputAudio > 0 && { audio_tokens: usage.outputAudio }),
    ...(usage.outputImage > 0 && { image_tokens: usage.outputImage }),
  };
}

export function writeUsage(usage: Usage): JsonObject {
  const prompt = promptTokens(usage);
  const completion = completionTokens(usage);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: promptDetails(usage),
    completion_tokens_details: completionDetails(usage),
  };
}
