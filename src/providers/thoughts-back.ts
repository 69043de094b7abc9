/** Whether a model is given back what it thought, in assistant messages, where nobody knows who stands behind an address. */
import { plainName } from '../core/model-families.ts';
import { urlOf } from '../core/url.ts';

/**
 * Makers that want it with the results of the tools which were called by it. DeepSeek and MiMo refuse a request without it
 * and pass over what was thought beside no tool ("The `reasoning_content` in the thinking mode must be passed back to the
 * API", api-docs.deepseek.com/guides/thinking_mode); so does Kimi ("reasoning_content is missing in assistant tool call
 * message"). GLM and MiniMax think worse without it (docs.z.ai, Thinking mode; novita.ai/docs, Interleaved thinking).
 */
const WANTED = /^(?:deepseek|(?:moonshot-)?kimi|glm|mimo|minimax-m)/;

/** They serve such models, too, and refuse the field whoever made one: "property 'reasoning_content' is unsupported". */
const REFUSED_AT: ReadonlySet<string> = new Set(['api.cerebras.ai', 'api.groq.com']);

export const wantsThoughtsBack = ({ model, baseUrl }: { model: string; baseUrl: string }): boolean =>
  WANTED.test(plainName(model)) && !REFUSED_AT.has(urlOf(baseUrl)?.hostname ?? '');
