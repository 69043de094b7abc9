/**
 * Models that think before they answer and show nothing of it, or a summary: what they think is charged, and nobody sees
 * it grow. OpenAI's o series and GPT from 5 on but for the chat of 5 itself, its Codex and its use of computers; Gemini
 * from 2.5 on, under which its latest stand too; Grok from 4 on and its 3-mini; Perplexity's research. Each maker says so
 * in its guide to reasoning; models of others show their thoughts as they think them. OpenRouter's choice may be any.
 */
const UNSEEN = new RegExp(
  `(?:^|[/.:])(?:${[
    'o\\d(?!\\d)',
    'gpt-(?:5(?!.*chat)|5\\.\\d|[6-9]|\\d\\d)',
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

const familyOf = (names: readonly string[]): RegExp => new RegExp(names.join('|'), 'i');

/**
 * Models that think whatever a request says of it, by the names that their makers give them. Of the open ones GPT, Ring
 * and Step from 3 on can only be told how much, and Seed by a budget alone (their cards; docs.together.ai, Reasoning);
 * Magistral always does (docs.mistral.ai, Native reasoning).
 */
const ALWAYS = familyOf([
  '-thinking',
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
  '(?:^|/)ring-',
  '(?:^|/)step-?3',
]);

/**
 * Models that think unless they are told not to: open Qwens from 3 and all from 3.5 on, Doubao from Seed on, GLM from 4.5
 * and DeepSeek from 4 on, Kimi from 2.5 on, Hunyuan's A13B, Ling from 3 on and Cogito 2. Ark's endpoints and bots have
 * names that say nothing.
 */
const UNLESS_TOLD = familyOf([
  'qwen3-\\d(?!.*instruct)',
  'qwen3\\.[5-9]',
  'doubao-seed-\\d',
  'glm-(?:4\\.[5-9]|[5-9])',
  'deepseek-v[4-9]',
  'kimi-k2\\.[5-9]',
  'hunyuan-a13b',
  '(?:^|/)ling-[3-9]',
  'cogito-v2',
  '^(?:ep|bot)-',
]);

export const alwaysThinks = (model: string): boolean => ALWAYS.test(model);
export const thinksUnlessTold = (model: string): boolean => UNLESS_TOLD.test(model);
