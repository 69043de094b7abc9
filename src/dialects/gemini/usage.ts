/**
 * Usage as Gemini counts it: the prompt includes what came from a cache but not what tools put in, the candidates
 * exclude the thoughts, and lists by modality say which part of a count was sound or image.
 */
import type { JsonObject } from '../../core/json.ts';
import { cached, completionTokens, type Found, promptTokens, type Usage, usageOf } from '../../core/usage.ts';
import { countOf, objectOf, objectsOf } from '../fields.ts';
import type { ReportedUsage } from '../reported-usage.ts';

/** What a `usageMetadata` object means; null when it counts nothing. */
export function readUsage(raw: unknown): Usage | null {
  const usage = objectOf(raw);
  if (!usage) return null;
  const given = countOf(usage.promptTokenCount);
  const said = countOf(usage.candidatesTokenCount);
  const total = countOf(usage.totalTokenCount);
  if (given === undefined && said === undefined && total === undefined) return null;
  const found = foundIn(usage);
  const told = (given ?? 0) + (countOf(usage.toolUsePromptTokenCount) ?? 0);
  const thoughts = countOf(usage.thoughtsTokenCount) ?? 0;
  const candidates = said ?? Math.max(0, (total ?? 0) - told - thoughts);
  const cacheRead = countOf(usage.cachedContentTokenCount) ?? 0;
  // What the total counts more and nothing explains are thoughts.
  const rest = Math.max(0, (total ?? 0) - told - thoughts - candidates);
  const isOfPrompt = !given || rest === cacheRead;
  const prompt = isOfPrompt ? told + rest : told;
  const unnamed = isOfPrompt ? 0 : rest;
  // Of what is embedded they stand under the second name.
  const kinds = usage.promptTokensDetails ?? usage.promptTokenDetails;
  const inputs = modalities(kinds, usage.toolUsePromptTokensDetails);
  const fromCache = modalities(usage.cacheTokensDetails);
  const outputs = modalities(usage.candidatesTokensDetails);
  const counts = usageOf({
    prompt,
    cacheRead,
    cacheReadAudio: fromCache.AUDIO,
    inputAudio: Math.max(0, inputs.AUDIO - fromCache.AUDIO),
    inputImage: Math.max(0, inputs.IMAGE - fromCache.IMAGE),
    inputVideo: Math.max(0, inputs.VIDEO - fromCache.VIDEO),
    completion: candidates + thoughts + unnamed,
    reasoning: thoughts,
    outputAudio: Math.min(outputs.AUDIO, candidates),
    outputImage: Math.min(outputs.IMAGE, candidates),
  });
  return found ? { ...counts, found } : counts;
}

/** What tools put in. */
function foundIn({ toolUsePromptTokenCount, toolUsePromptTokensDetails }: JsonObject): Found | null {
  const prompt = countOf(toolUsePromptTokenCount);
  if (!prompt) return null;
  const { AUDIO: inputAudio, IMAGE: inputImage, VIDEO: inputVideo } = modalities(toolUsePromptTokensDetails);
  const found = usageOf({ prompt, inputAudio, inputImage, inputVideo, completion: 0 });
  return {
    input: found.input,
    inputAudio: found.inputAudio,
    inputImage: found.inputImage,
    inputVideo: found.inputVideo,
  };
}

/** Whether counts speak of the answer: the first frames of a stream count the prompt alone. */
function tellsOutput(raw: unknown): boolean {
  const usage = objectOf(raw) ?? {};
  if (countOf(usage.candidatesTokenCount) !== undefined || countOf(usage.thoughtsTokenCount) !== undefined) {
    return true;
  }
  const prompt = (countOf(usage.promptTokenCount) ?? 0) + (countOf(usage.toolUsePromptTokenCount) ?? 0);
  return (countOf(usage.totalTokenCount) ?? 0) > prompt;
}

/** Takes the counts of a frame whose content has been told of. */
export function reportUsage(reported: ReportedUsage, raw: unknown): void {
  const usage = readUsage(raw);
  if (!usage) return;
  if (tellsOutput(raw)) reported.report(usage);
  else reported.reportPrompt(usage);
}

/** Tokens of sound, images and video in lists of counts; documents are priced as text. */
function modalities(...lists: unknown[]): { AUDIO: number; IMAGE: number; VIDEO: number } {
  const sums = { AUDIO: 0, IMAGE: 0, VIDEO: 0 };
  for (const { modality, tokenCount } of lists.flatMap(objectsOf)) {
    if (modality === 'AUDIO' || modality === 'IMAGE' || modality === 'VIDEO')
      sums[modality] += countOf(tokenCount) ?? 0;
  }
  return sums;
}

export function writeUsage(usage: Usage): JsonObject {
  const prompt = promptTokens(usage);
  const completion = completionTokens(usage);
  const candidates = completion - usage.reasoning;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: candidates,
    totalTokenCount: prompt + completion,
    ...(cached(usage) > 0 && { cachedContentTokenCount: cached(usage) }),
    ...(usage.cacheReadAudio > 0 && {
      cacheTokensDetails: details(cached(usage), usage.cacheReadAudio, 0),
    }),
    promptTokensDetails: details(
      prompt,
      usage.inputAudio + usage.cacheReadAudio,
      usage.inputImage,
      usage.inputVideo,
    ),
    ...(usage.outputAudio + usage.outputImage > 0 && {
      candidatesTokensDetails: details(candidates, usage.outputAudio, usage.outputImage),
    }),
    ...(usage.reasoning > 0 && { thoughtsTokenCount: usage.reasoning }),
  };
}

const details = (total: number, audio: number, image: number, video = 0): JsonObject[] =>
  [
    { modality: 'TEXT', tokenCount: total - audio - image - video },
    { modality: 'AUDIO', tokenCount: audio },
    { modality: 'IMAGE', tokenCount: image },
    { modality: 'VIDEO', tokenCount: video },
  ].filter(({ modality, tokenCount }) => tokenCount > 0 || modality === 'TEXT');
