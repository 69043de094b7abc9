import { OPENAI_REASONERS, plainName } from './model-families.ts';

/**
 * Models that think before they answer and show nothing of it, or a summary: what they think is charged, and nobody sees
 * it grow. OpenAI's o series and GPT from 5 on but for the chat of 5 itself, its Codex and its use of computers; Gemini
 * from 2.5 on, under which its latest stand too; Grok from 4 on and its 3-mini; Perplexity's research. Each maker says so
 * in its guide to reasoning; models of others show their thoughts as they think them. OpenRouter's choice may be any.
 */
const UNSEEN = new RegExp(
  `(?:^|[/.:])(?:${[
    `(?!gpt-5(?!\\.\\d).*chat)${OPENAI_REASONERS}`,
    'codex',
    'computer-use',
    'gemini-(?:2\\.5|[3-9]|[a-z-]+-latest)',
    'grok-(?:[4-9]|3-mini|code)',
    'sonar-deep-research',
    'openrouter/auto',
  ].join('|')})`,
  'i',
);

export const thinksUnseen = (model: string): boolean => UNSEEN.test(model);

/** What a bare name has within it, wherever that stands. */
const within = (words: readonly string[]): RegExp => new RegExp(words.join('|'));
/** What a bare name begins with: what was distilled into a family behaves like its teacher, and names both. */
const families = (names: readonly string[]): RegExp => new RegExp(`^(?:${names.join('|')})`);

/**
 * Models that think whatever a request says of it, by the names that their makers give them. Of the open ones GPT, Ring
 * and Step from 3 on can only be told how much, and Seed by a budget alone (their cards; docs.together.ai, Reasoning);
 * Magistral always does (docs.mistral.ai, Native reasoning).
 */
const ALWAYS = within([
  '-think(?:ing)?(?![a-z])',
  'reasoner',
  '-r\\d(?!\\d)',
  'qwq',
  'qvq',
  'glm-z\\d',
  'ernie-x\\d',
  'hunyuan-t\\d',
  'minimax-m\\d',
  'magistral',
  'gpt-oss',
  'seed-oss',
  '^ring-',
  '^step-?3',
]);

/**
 * Models that think unless they are told not to: open Qwens from 3 and all from 3.5 on, Seed under either of its maker's
 * names, GLM from 4.5 and DeepSeek from 4 on, Kimi from 2.5 on, Hunyuan's A13B, Ling from 3 on and Cogito 2. Ark's
 * endpoints and bots have names that say nothing. What follows a version is no size: GLM 4 has one of 9B.
 */
const UNLESS_TOLD = within([
  'qwen3-\\d(?!.*instruct)',
  'qwen3-[5-9](?![\\db])',
  '(?:^|doubao-)seed-(?!translation)',
  '(?<!chat)glm-?(?:4-[5-9](?![\\db])|[5-9])',
  'deepseek-v[4-9]',
  'kimi-k2-[5-9](?!\\d)',
  'hunyuan-a13b',
  '^ling-[3-9]',
  'cogito-v2',
  '^(?:ep|bot)-',
]);

/**
 * Families that think nothing, or only when they are asked to: those of Ark's list of models that it names for texts and
 * not for thinking (volcengine.com/docs/82379/1330310), Qwens that DashScope sells under names of its own
 * (alibabacloud.com/help/en/model-studio/deep-thinking), ERNIE up to 4.5 (cloud.baidu.com/doc/qianfan-docs, Deep
 * thinking), and those from before there was any thinking. DeepSeek from 3.1 on is not here: what it does unasked differs
 * by who serves it.
 */
const WHEN_ASKED = families([
  'doubao-(?:1-5-)?(?:pro|lite|vision)',
  'doubao-seed-translation',
  'deepseek-(?:chat|coder|vl|v2|v3(?![\\dp]|-\\d(?!\\d)))',
  'moonshot-v1',
  '(?:moonshot-)?kimi-k2(?:$|-instruct|-turbo|-[02]\\d{3})',
  'qwen(?:1-5|2|-(?!3))',
  'qwen3-(?:max|coder|(?:vl|omni)-(?:plus|flash)|.*instruct)',
  'chatglm',
  'glm-?[1-4]',
  'baichuan(?!-m)',
  'ernie-(?:3-5|4-0|4-5-(?!vl)|speed|lite|tiny|char|novel|bot)',
  '(?:meta-)?llama-?[2-4](?!.*nemotron)',
  'yi-(?:\\d|large|lightning|medium|spark|vision)',
  'ling-(?:1t|(?:flash|mini)-2)',
  'hunyuan-mt',
  'internlm2',
  '(?:chat)?gpt-',
]);

export type Thinks = 'always' | 'unless-told' | 'when-asked';

/** When a model thinks, by its name; null for one that no list tells of. */
export function thinkingOf(model: string): Thinks | null {
  const name = plainName(model);
  if (ALWAYS.test(name)) return 'always';
  if (UNLESS_TOLD.test(name)) return 'unless-told';
  return WHEN_ASKED.test(name) ? 'when-asked' : null;
}
