/**
 * Families of models by their names, each said once, and under a name of its own where one is drawn narrower or wider. What
 * a table tells of single models (contexts, pictures, thinkers) stands in that table, how a name asks a model to think in
 * `model-variant`, and Bedrock's ids with Bedrock.
 */

/** A name without the makers and accounts before it: `openai/gpt-5` is `gpt-5`. */
export const bareName = (model: string): string => model.slice(model.lastIndexOf('/') + 1);

/** The same as those differ who serve it: in small letters, and with dashes where some write dots. */
export const plainName = (model: string): string => bareName(model).toLowerCase().replaceAll('.', '-');

/** OpenAI's reasoning models, as a part of an expression: the o series, and GPT from 5 on. What Azure calls `gpt-35` is 3.5. */
export const OPENAI_REASONERS = '(?:o\\d|gpt-(?:[5-9]|[12]\\d))(?!\\d)';

/** Mistral's that are told whether to think, as a part of an expression for plain names: Small from 4 on, Medium from 3.5 on. */
export const TUNABLE_MISTRALS =
  '(?:mistral-(?:small|medium)-(?:latest|2[6-9]\\d\\d|[4-9](?!\\d))|mistral-medium-3(?:$|-5)|magistral-small-latest)';

const REASONS = new RegExp(`^${OPENAI_REASONERS}`);
const CODEX_OR_PRO = /^(?:o\d+|gpt-[\d.]+)(?:-[a-z]+)?-(?:codex|pro)(?![a-z])/;
const OPENAIS = /^(gpt|chatgpt|o\d|whisper)/;
const CLOSED_GPT = /^(?:chat)?gpt-(?!oss)/;
const CLAUDE = /^(?:(?:[a-z]+-)?anthropic-)?claude/;
const OTHERS =
  /^(?:deepseek|grok|(?:meta-)?llama|(?:mis|mix|minis)tral|codestral|magistral|glm|kimi|moonshot|doubao|dola|ernie|hunyuan|minimax|command|nova|phi|gemma|sonar)/;

// Where nothing else is said they take a bare name.
export const isOpenAiReasoner = (name: string): boolean => REASONS.test(name);
/** But for those that are named for chats, which take no word about reasoning. */
export const isOpenAiThinker = (name: string): boolean => isOpenAiReasoner(name) && !name.includes('chat');
/** OpenAI's models for code, and those that think longest: they are served by Responses alone. */
export const isCodexOrPro = (name: string): boolean => CODEX_OR_PRO.test(name);
export const isOpenAis = (name: string): boolean => OPENAIS.test(name);
/** But for those that OpenAI gave away, which anybody serves. */
export const isClosedGpt = (name: string): boolean => CLOSED_GPT.test(name);
/** As Anthropic and Bedrock name it, of a plain name: what was distilled from it names it further behind. */
export const isClaude = (name: string): boolean => CLAUDE.test(name);
/** Claude by whatever name somebody gave it, and what was distilled from it. Of any name. */
export const namesClaude = (name: string): boolean => /claude/i.test(name);
export const isGemini = (name: string): boolean => name.startsWith('gemini');
/** Those before its third generation. */
export const GEMINI_UP_TO_2 = /^gemini-([12]\b|(pro|exp)(?!.*latest))/;
/** Gemini by whatever name somebody gave it. Of any name. */
export const namesGemini = (name: string): boolean => /gemini/i.test(name);
export const isQwen = (name: string): boolean => /^(qwen|qvq)/i.test(name);
/**
 * Kimi's that think, or can. They sample in a way of their own alone: "invalid temperature: only 1 is allowed for this
 * model". Of a plain name.
 */
export const isKimiThinker = (name: string): boolean => /^kimi-k(?:2-[5-9](?!\d)|[3-9]|\d\d)/.test(name);
/** Those whose answers come in several calls, all of which a limit is for. Of a plain name. */
export const comesInCalls = (name: string): boolean => name.startsWith('gemini-4-');
/** Whether its maker named it, and not its operator, as he does a deployment: as far as makers are known. Of a plain name. */
export const isMakers = (name: string): boolean =>
  isOpenAis(name) || isClaude(name) || isGemini(name) || isQwen(name) || OTHERS.test(name);
