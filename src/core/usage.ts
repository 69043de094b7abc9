/**
 * What a call used, in the one shape that prices are applied to. Counts never overlap: `input` is what was neither
 * read from nor written to a prompt cache, so that their sum is the whole prompt whichever way a provider reports it.
 */
export interface Usage {
  /** Plain text input, without cached, audio, image and video parts. */
  input: number;
  /** Text and pictures that came from a cache, and whatever did of which nothing tells what it was. */
  cacheRead: number;
  /** Sound that came from a cache. */
  cacheReadAudio: number;
  /** Cache writes that live about five minutes. */
  cacheWrite: number;
  /** Cache writes that live an hour; they cost more. */
  cacheWriteHour: number;
  inputAudio: number;
  inputImage: number;
  inputVideo: number;
  /** Text output, reasoning included. */
  output: number;
  outputAudio: number;
  outputImage: number;
  /** Part of `output`. The log tells how much, and where any is told some models have another price. */
  reasoning: number;
  /** Part of `cacheWrite`: of how much nothing tells how long it is kept. Absent where nothing at all is told of writes. */
  untoldWrites?: number;
  /** Set where a transcription tells how long its sound is, and no tokens: these are counted as if its model sold seconds. */
  seconds?: number;
  /** Parts of the prompt that tools of the upstream's have found. Absent where it tells of none. */
  found?: Found;
  /** The prompt of the longest call of several that an answer took, which are added up in this; absent where it took one. */
  longest?: number;
  /** Tokens that were told beside all of that, and which their vendor bills nobody for. */
  unbilled?: number;
}

/** What was found, of each kind. */
export type Found = Pick<Usage, (typeof FOUND_KINDS)[number]>;
const FOUND_KINDS = ['input', 'inputAudio', 'inputImage', 'inputVideo'] as const;

/** What every usage counts. */
export type UsageCount = Exclude<keyof Usage, 'untoldWrites' | 'seconds' | 'found' | 'longest' | 'unbilled'>;

export const noUsage = (): Usage => ({
  input: 0,
  cacheRead: 0,
  cacheReadAudio: 0,
  cacheWrite: 0,
  cacheWriteHour: 0,
  inputAudio: 0,
  inputImage: 0,
  inputVideo: 0,
  output: 0,
  outputAudio: 0,
  outputImage: 0,
  reasoning: 0,
});

/** Nothing comes near so many tokens of a kind; sums stay exact numbers whatever is added. */
const SUM_MAX = 1e12;

export function sumOfUsage(a: Usage, b: Usage): Usage {
  const sum = noUsage();
  for (const count of Object.keys(sum) as UsageCount[]) sum[count] = Math.min(SUM_MAX, a[count] + b[count]);
  if (a.untoldWrites === undefined && b.untoldWrites === undefined) return sum;
  return { ...sum, untoldWrites: Math.min(SUM_MAX, (a.untoldWrites ?? 0) + (b.untoldWrites ?? 0)) };
}

/** Everything that went in: the `prompt_tokens` of a log row. */
export const promptTokens = (u: Usage): number =>
  u.input + cached(u) + u.cacheWrite + u.cacheWriteHour + u.inputAudio + u.inputImage + u.inputVideo;

/** By which its tier is chosen: each call that an answer took has a prompt of its own. */
export const longestPrompt = (u: Usage): number => {
  const all = promptTokens(u);
  return Math.min(u.longest ?? all, all);
};

/** All that was read from a cache. */
export const cached = (u: Usage): number => u.cacheRead + u.cacheReadAudio;

/** Everything that came out: the `completion_tokens` of a log row. */
export const completionTokens = (u: Usage): number => u.output + u.outputAudio + u.outputImage;

export const allTokens = (u: Usage): number => promptTokens(u) + completionTokens(u);

/** Some of it is told as what is no text, and may be charged so. */
export const isOfKinds = (u: Usage): boolean =>
  u.cacheReadAudio + u.inputAudio + u.inputImage + u.inputVideo + u.outputAudio + u.outputImage > 0;

/** The same with what was found beside the prompt, as what nobody is billed for. */
export function withoutFound({ found, ...usage }: Usage): Omit<Usage, 'found'> {
  if (!found) return usage;
  const left = { ...usage };
  for (const kind of FOUND_KINDS) left[kind] -= Math.min(found[kind], usage[kind]);
  return { ...left, unbilled: promptTokens(usage) - promptTokens(left) };
}

/** The prompt of the first with the answer of the second. */
export const withOutputOf = (
  prompt: Usage,
  { output, outputAudio, outputImage, reasoning }: Usage,
): Usage => ({
  ...prompt,
  output,
  outputAudio,
  outputImage,
  reasoning,
});

/** A prompt and an answer as most wires count them: totals, of which some kinds are parts. */
export interface UsageTotals {
  /** The whole prompt. */
  prompt: number;
  cacheRead?: number;
  /** Part of `cacheRead`, and not of `inputAudio`. */
  cacheReadAudio?: number;
  cacheWrite?: number;
  cacheWriteHour?: number;
  untoldWrites?: number;
  inputAudio?: number;
  inputImage?: number;
  inputVideo?: number;
  /** The whole answer, reasoning included. */
  completion: number;
  reasoning?: number;
  outputAudio?: number;
  outputImage?: number;
}

/**
 * The usage that totals with overlapping details mean. The counts add up to the totals exactly, whatever the details
 * claim: a token that is counted as cached and as audio is charged once, as the cheaper cached one.
 */
export function usageOf(totals: UsageTotals): Usage {
  let left = totals.prompt;
  const take = (part = 0): number => {
    const taken = Math.min(part, left);
    left -= taken;
    return taken;
  };
  const read = take(totals.cacheRead);
  const cacheReadAudio = Math.min(totals.cacheReadAudio ?? 0, read);
  const cacheWriteHour = take(totals.cacheWriteHour);
  const cacheWrite = take(totals.cacheWrite);
  const inputAudio = take(totals.inputAudio);
  const inputImage = take(totals.inputImage);
  const inputVideo = take(totals.inputVideo);
  const input = left;
  left = totals.completion;
  const outputAudio = take(totals.outputAudio);
  const outputImage = take(totals.outputImage);
  return {
    input,
    cacheRead: read - cacheReadAudio,
    cacheReadAudio,
    cacheWrite,
    cacheWriteHour,
    inputAudio,
    inputImage,
    inputVideo,
    output: left,
    outputAudio,
    outputImage,
    reasoning: Math.min(totals.reasoning ?? 0, left),
    ...(totals.untoldWrites !== undefined && { untoldWrites: Math.min(totals.untoldWrites, cacheWrite) }),
  };
}
