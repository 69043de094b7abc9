import {
  bareName,
  isClosedGpt,
  isOpenAiThinker,
  namesClaude,
  plainName,
  TUNABLE_MISTRALS,
} from './model-families.ts';

/** OpenAI's Realtime up to 1.5, by its bare name, its dates, and what else was made of it. */
const FIRST_REALTIME = 'realtime(?:(?!-)|-(?:1|20\\d\\d)(?!\\d)|-(?:mini|preview|translate|whisper))';

/**
 * Families whose models think before they answer and show nothing of it, or a summary: what they think is charged, and
 * nobody sees it grow. Models of others show their thoughts as they think them. A family is said with those of it that are
 * known to think nothing unasked, so that a version which nobody knows yet is taken to think. Each maker tells it in its
 * guide to reasoning: OpenAI of GPT from 5 on but for the chat of 5 itself, of its o series, its Codex, its use of
 * computers and its Realtime from 2 on, Google of Gemini from 2.5 on, xAI of Grok from 4 on and its 3-mini, Anthropic of
 * Claude from 5 on and of all that has another name than Opus, Sonnet and Haiku, Meta of Muse, Inception of Mercury from
 * 2 on, Perplexity of its research. What OpenRouter names itself may be any of them, and so may what Azure's router
 * chooses.
 */
const UNSEEN = new RegExp(
  `(?<![a-z\\d])(?:${[
    `gpt-(?!(?:35|[34])(?!\\d)|5-chat|oss|audio|image|${FIRST_REALTIME}|(?:live-)?transcribe|neo|jt?-|sw3)`,
    '(?<!-)o\\d(?!\\d)',
    '(?<!-)chat-latest',
    'codex',
    'computer-use',
    'gemini-(?!1(?!\\d)|2[.-]0(?!.*thinking)|(?:pro|ultra)(?:-vision)?$|(?:pro|flash)-1[.-]|exp-1|embedding)',
    'grok-(?!.*non-reasoning)(?!(?:1|2|3(?!-mini))(?!\\d)|beta|vision)',
    'claude(?!-(?:instant|v\\d|(?:(?:opus|sonnet|haiku)-)?[1-4](?!\\d)))',
    'muse-(?!.*open)',
    'mercury-(?:[2-9]|\\d\\d)',
    'sonar-deep-research',
    'openrouter/[^/]+$',
    'model-router',
  ].join('|')})`,
  'i',
);

export const thinksUnseen = (model: string): boolean => UNSEEN.test(model);

/**
 * Those that think where they are asked to, and show it shortened (Claude) or blotted out: Amazon's Nova from 2 on charges
 * what it has `[REDACTED]` (docs.aws.amazon.com/nova, Extended thinking).
 */
export const hidesAskedThoughts = (model: string): boolean => namesClaude(model) || NOVA.test(model);
const NOVA = /(?<![a-z\d])nova-(?:[2-9]|\d\d)(?!\d)/i;

/**
 * Of those that think unseen the ones that take Anthropic's word not to: Opus 5 and Sonnet 5 (it is an error from 5.5 on),
 * and Haiku 5.5 (platform.claude.com, migration guides).
 */
const TAKES_DISABLED = /claude-(?:(?:opus|sonnet)-5|haiku-5-5)(?!-?\d{1,2}(?!\d))/;
export const canBeToldNot = (model: string): boolean => TAKES_DISABLED.test(plainName(model));

/** What a bare name has within it, wherever that stands. */
const within = (words: readonly string[]): RegExp => new RegExp(words.join('|'));
/** What a bare name begins with: what was distilled into a family behaves like its teacher, and names both. */
const families = (names: readonly string[]): RegExp => new RegExp(`^(?:${names.join('|')})`);

/**
 * Models that think whatever a request says of it, by the names that their makers give them. Of the open ones GPT, Ring
 * and Step from 3 on can only be told how much, and Seed by a budget alone (their cards; docs.together.ai, Reasoning);
 * Magistral always does (docs.mistral.ai, Native reasoning), and Kimi from 2.7 on (platform.kimi.ai, Thinking effort).
 */
const ALWAYS = within([
  '-think(?:ing)?(?![a-z])',
  'reasoner',
  '(?<!non-)reasoning',
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
  'kimi-k(?:2-[7-9](?!\\d)|[3-9]|\\d\\d)',
]);

/**
 * Models that think unless they are told not to: open Qwens from 3 and all from 3.5 on, Seed under each of its maker's
 * names, GLM from 4.5, DeepSeek from 4 on and its Flash, which has no version any more, ERNIE from 5 on, Kimi from 2.5 on,
 * Hunyuan's A13B, Ling from 3 on and Cogito 2. A later version does as those before it. Ark's endpoints and bots have names
 * that say nothing. What follows a version is no size: GLM 4 has one of 9B.
 */
const UNLESS_TOLD = within([
  'qwen3-\\d(?!.*instruct)',
  'qwen(?:3-[5-9]|[4-9])(?![\\db])',
  '(?:^|doubao-|dola-)seed-(?!translation)',
  '(?<!chat)glm-?(?:4-[5-9](?![\\db])|[5-9])',
  'deepseek-(?:flash$|v(?:[4-9]|\\d\\d))',
  'kimi-k2-[56](?!\\d)',
  'ernie-[5-9]',
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

/** Of those that think only when they are asked to the ones that do, and are known to. */
const ASKED = families([
  'deepseek-(?:chat|v3-[1-9](?!\\d))',
  'qwen-(?:plus|turbo|flash)',
  'qwen3-(?:max|(?:vl|omni)-(?:plus|flash))',
  'qwen3(?:-vl)?(?:$|:(?!.*instruct))',
  '(?:anthropic-)?claude-(?:3-7|[4-9]|(?:opus|sonnet|haiku)-)',
  TUNABLE_MISTRALS,
]);

/** Families that think nothing beside those, but where they are named for it. */
const NEVER = families([
  '(?:open-)?(?:mi[sx]|pix|minis|codes|devs|maths)tral',
  'qwen3(?:-vl)?:.*instruct',
  'gemma-?[1-3](?!\\d)',
  'phi-?[1-4](?!\\d)',
  'command(?:$|-(?:r|light|nightly|a-(?:\\d|vision|translate)))',
  'grok-(?:beta|vision|[12](?!\\d)|3(?!\\d|-mini)|.*non-reasoning)',
  'gemini-(?:1|2-0)(?!\\d)',
  '(?:anthropic-)?claude-(?:instant|v?[12](?!\\d)|3(?!-7))',
  'sonar(?:$|-pro)',
  'nova-(?:micro|lite|pro|premier)',
]);

/** Whether it can think at all, by its name; undefined for one that no list tells of, as of an operator's own. */
export function canThink(model: string): boolean | undefined {
  const bare = bareName(model);
  if (isOpenAiThinker(bare)) return true;
  if (isClosedGpt(bare)) return false;
  const thinks = thinkingOf(model);
  const name = plainName(model);
  if ((thinks !== null && thinks !== 'when-asked') || ASKED.test(name)) return true;
  if (thinks === 'when-asked' || NEVER.test(name)) return false;
  return thinksUnseen(model) ? true : undefined;
}
