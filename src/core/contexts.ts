/** How much models read at once: what a prompt whose size nobody knows can come to at the most. */

import { bareName } from './model-families.ts';

/** The longest that is usual, for models of which nothing is known. */
const USUAL = 1_048_576;

/**
 * Of families whose makers tell another (their pages of models; platform.openai.com, docs.claude.com, ai.google.dev,
 * docs.x.ai). The first that fits holds. What reads a million or more by choice of its operator stands with that.
 */
const FAMILIES: readonly [name: RegExp, tokens: number][] = [
  [/^gpt-3\.5-turbo/, 16_385],
  [/^gpt-4(-0314|-0613)?$/, 8_192],
  [/^gpt-4-32k/, 32_768],
  [/^(gpt-4-|gpt-4o|chatgpt-4o|gpt-4\.5|gpt-audio|o1-mini|o1-preview)/, 128_000],
  [/^gpt-realtime(-mini)?(-1\.\d|-20\d\d|$)/, 32_768],
  // Microsoft tells twice as much of it as OpenAI does.
  [/^gpt-realtime-\d/, 262_144],
  [/^(o1|o3|o4-mini|codex-mini)(-|$)/, 200_000],
  [/^gpt-5(\.[123])?(-|$)/, 400_000],
  [/^claude-(instant|v1|2|3)/, 200_000],
  [/^claude-(haiku-4|opus-4-[015]|opus-4$|opus-4-2025)/, 200_000],
  [/^gemini-1\.5-pro/, 2_097_152],
  [/^gemini-(1\.0|pro$)/, 32_768],
  [/^grok-[23](-|$)/, 131_072],
  [/^grok-4(-0709|-latest)?$/, 262_144],
  [/^grok-4/, 2_097_152],
  [/^qwen-long/, 10_000_000],
  // What embeds or ranks files reads each of them alone (jina.ai/models, docs.voyageai.com).
  [/^jina-embeddings-v4/, 32_768],
  [/^jina-(embeddings-v[23]|clip)/, 8_192],
  [/^jina-reranker-m0/, 10_240],
  [/^voyage-multimodal/, 32_768],
  [/^gemini-embedding-(001|exp)/, 2_048],
  [/^gemini-embedding-2/, 8_192],
];

/** Names that tell it themselves: `moonshot-v1-128k`, `ERNIE-Speed-8K`. */
const TOLD = /-(\d{1,4})k(-|$)/i;

/** Tokens. */
export function contextOf(model: string): number {
  const name = bareName(model);
  const known = FAMILIES.find(([family]) => family.test(name))?.[1];
  const told = TOLD.exec(name)?.[1];
  return known ?? (told === undefined ? USUAL : Number(told) * 1_024);
}
