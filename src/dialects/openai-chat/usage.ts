/**
 * Usage as OpenAI's wires count it, chats, Responses and Realtime, and as the vendors that copied them bent it: cached tokens
 * under three names, reasoning inside the completion or beside it, counts and their parts under the names of another of the
 * wires, or of two.
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
import { countOf, largestOf, objectOf } from '../fields.ts';

/** Names of all three wires for the parts of a prompt, and of an answer. */
const OF_PROMPT = ['prompt_tokens_details', 'input_tokens_details', 'input_token_details'];
const OF_ANSWER = ['completion_tokens_details', 'output_tokens_details', 'output_token_details'];

/** What is told of parts, in one place or in several: of each part counts the place that tells the most of it. */
class Parts {
  constructor(readonly places: readonly JsonObject[]) {}

  get(name: string): number | undefined {
    return largestOf(this.places.map((place) => place[name]));
  }

  /** The parts of a part. */
  of(...names: readonly string[]): Parts {
    return new Parts(
      this.places.flatMap((place) => names.flatMap<JsonObject>((name) => objectOf(place[name]) ?? [])),
    );
  }
}

export const promptParts = (usage: JsonObject): Parts => new Parts([usage]).of(...OF_PROMPT);
export const answerParts = (usage: JsonObject): Parts => new Parts([usage]).of(...OF_ANSWER);

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

  const inputs = promptParts(usage);
  const outputs = answerParts(usage);
  // DeepSeek and Moonshot name the cached tokens beside the details, and DeepSeek both ways; Databricks as Anthropic does.
  const beside = [usage.prompt_cache_hit_tokens, usage.cached_tokens, usage.cache_read_input_tokens];
  const read = largestOf([inputs.get('cached_tokens'), ...beside]) ?? 0;
  const writes = readWrites(new Parts([...inputs.places, usage]));
  const written = writes ? writes.cacheWrite + writes.cacheWriteHour : 0;
  const audio = inputs.get('audio_tokens') ?? 0;
  const image = inputs.get('image_tokens') ?? 0;
  const video = inputs.get('video_tokens') ?? 0;
  // As Realtime has it: sounds and pictures are told with what of them came from a cache, which costs what cached text does
  // where it is a picture.
  const again = inputs.of('cached_tokens_details');
  const heardAgain = Math.min(again.get('audio_tokens') ?? 0, audio);
  const seenAgain = Math.min(again.get('image_tokens') ?? 0, image);
  const research = researchOf(usage, prompt + completion);
  const reasoning = outputs.get('reasoning_tokens') ?? research?.reasoning ?? 0;
  const beyond = restOf({
    rest: research ? 0 : Math.max(0, (total ?? 0) - prompt - completion),
    caches: { read, written },
    media: [audio + image + video, audio + image, audio, image, video],
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
    inputImage: image - seenAgain,
    inputVideo: video,
    completion: completion + (research?.reasoning ?? 0) + beyond.completion,
    // What is not told as such is believed as far as an answer is.
    reasoning,
    outputAudio: outputs.get('audio_tokens') ?? 0,
    outputImage: outputs.get('image_tokens') ?? 0,
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

/** `told`: where it may be told. */
function readWrites(
  told: Parts,
): Required<Pick<UsageTotals, 'cacheWrite' | 'cacheWriteHour' | 'untoldWrites'>> | undefined {
  const lives = new Parts([...told.of(...LIVES).places, ...told.places.map(livesAt)]);
  const all = largestOf(WRITES.map((name) => told.get(name)));
  const minutes = largestOf([lives.get('ephemeral_5m_input_tokens'), lives.get('ttl_30m_tokens')]);
  const hour = lives.get('ephemeral_1h_input_tokens');
  // OpenAI keeps some for half a day, which is priced as the longer life.
  const halfDay = lives.get('ttl_12h_tokens');
  if ((all ?? minutes ?? hour ?? halfDay) === undefined) return undefined;
  const cacheWriteHour = Math.max(hour ?? 0, halfDay ?? 0);
  const cacheWrite = Math.max((all ?? 0) - cacheWriteHour, minutes ?? 0);
  // Of OpenAI's the rest is kept for as long as usual.
  const untoldWrites = halfDay === undefined ? cacheWrite - (minutes ?? 0) : 0;
  return { cacheWrite, cacheWriteHour, untoldWrites };
}

/** New API has them beside the details, and writes zeros of whatever it does not know. */
const livesAt = (place: JsonObject): JsonObject => ({
  ephemeral_5m_input_tokens: place.claude_cache_creation_5_m_tokens || null,
  ephemeral_1h_input_tokens: place.claude_cache_creation_1_h_tokens || null,
});

/**
 * What Perplexity's research tells beside prompt and completion, and charges (docs.perplexity.ai, pricing): the pages that
 * it quotes and what it thinks. Nobody else tells citations so, and what their total counts more is this, or was added
 * already.
 */
function researchOf(usage: JsonObject, whole: number): { citations: number; reasoning: number } | undefined {
  const citations = countOf(usage.citation_tokens);
  if (citations === undefined) return undefined;
  // A relay may tell the same once more in OpenAI's place for it, where it is counted by OpenAI's rule.
  const isTold = (answerParts(usage).get('reasoning_tokens') ?? 0) > 0;
  const reasoning = isTold ? 0 : (countOf(usage.reasoning_tokens) ?? 0);
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
    ...(usage.inputVideo > 0 && { video_tokens: usage.inputVideo }),
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
