/** Whether a limit counts thoughts: at vendors whose does not, and where nobody knows who stands behind an address. */
import { isClaude, isClosedGpt, OPENAI_REASONERS, plainName } from '../core/model-families.ts';
import { own } from '../core/own.ts';
import type { Provider } from './provider.ts';

type LimitOf = NonNullable<Provider['thoughtLimit']>;

/**
 * On either of DashScope's wires `max_tokens` does not count thoughts; `thinking_budget` limits those of its Qwens
 * (alibabacloud.com/help/en/model-studio, Deep thinking).
 */
export const dashscopeThoughts: LimitOf = ({ model }) =>
  /^qwen[\d-]/.test(plainName(model)) ? 'apart' : 'none';

/**
 * SiliconFlow's `max_tokens` is the answer without its thoughts, which only Qwen 3 surely ends at `thinking_budget`
 * (docs.siliconflow.com, Reasoning models).
 */
export const siliconThoughts: LimitOf = ({ model }) => (/^qwen3/.test(plainName(model)) ? 'apart' : 'none');

/**
 * Of a chat at Ark `max_tokens` is the answer without its thoughts, `max_completion_tokens` both, and only one of them may
 * be given (docs.byteplus.com, Chat API); `max_output_tokens` of its Responses is both. What a caller says as the former
 * stays that as long as he pays for what is thought beside it: as the latter it would leave no answer after the thoughts.
 */
export const arkThoughts: LimitOf = ({ dialect }) =>
  dialect === 'openai-chat' ? 'max_completion_tokens' : null;

/** Qianfan's reference says of neither name of the limit that it counts thoughts. */
export const qianfanThoughts: LimitOf = ({ dialect }) => (dialect === 'openai-chat' ? 'none' : null);

/** Its documents know this name of the limit, and nothing says that the newer one is taken for it. */
const inMaxTokens: LimitOf = () => 'max_tokens';
const inEither: LimitOf = () => null;

/**
 * Hosts whose documents tell that their limit counts thoughts. Whoever does not speak of them there is not here: to be
 * taken for one that counts them would be credit for every caller of a thinker.
 */
const HOSTS: Readonly<Record<string, LimitOf>> = {
  // platform.openai.com, Chat: `max_completion_tokens` includes "visible output tokens and reasoning tokens".
  'api.openai.com': inEither,
  // api-docs.deepseek.com/guides/thinking_mode: "The maximum output length (including the COT part)".
  'api.deepseek.com': inMaxTokens,
  // platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model: "the sum of tokens in reasoning_content and content must
  // be less than or equal to max_tokens".
  'api.moonshot.ai': inMaxTokens,
  'api.moonshot.cn': inMaxTokens,
  // docs.together.ai/docs/deepseek-v4-quickstart: to be set "generously", since efforts "produce very long chains of thought".
  'api.together.ai': inMaxTokens,
  'api.together.xyz': inMaxTokens,
  // console.groq.com/docs/reasoning: the default of its `max_completion_tokens`, whose older name is `max_tokens`, "may be
  // too low for complex reasoning".
  'api.groq.com': inEither,
};

/** Vendors whose limit does not count thoughts, by the hosts of all their regions. */
const REGIONS: readonly (readonly [RegExp, LimitOf])[] = [
  [/^dashscope(?:-[a-z]+)?\.aliyuncs\.com$/, dashscopeThoughts],
  [/^api(?:-[a-z]+)?\.siliconflow\.(?:cn|com)$/, siliconThoughts],
  [/^ark\.[a-z0-9-]+\.(?:volces|bytepluses)\.com$/, arkThoughts],
  [/^qianfan(?:\.[a-z0-9-]+)?\.baidubce\.com$/, qianfanThoughts],
];

const limitAt = (host: string): LimitOf | undefined =>
  own(HOSTS, host) ?? REGIONS.find(([hosts]) => hosts.test(host))?.[1];

/**
 * Models beside Claude whose makers count thoughts within the one limit. Only those that are theirs beyond doubt: what was
 * distilled from them names them further behind, and a version that nobody knows may be anybody's.
 */
const COUNTED = new RegExp(
  `(?:^|[/.:])(?:${[
    `(?!gpt-5(?!\\.\\d).*chat)${OPENAI_REASONERS}`,
    'codex',
    'computer-use',
    'gemini-(?:2\\.5|[3-9]|[a-z-]+-latest)',
    'grok-(?:[4-9]|3-mini|code)',
    'muse-spark-\\d',
    'sonar-deep-research',
    'openrouter/auto',
  ].join('|')})`,
  'i',
);

/**
 * An address that nobody knows may be one of the vendors whose `max_tokens` does not, and nobody knows whose words it has
 * for a limit that does: one that it passes over leaves the call without any. The makers of models that hide their
 * thoughts, and of Claude, count all within one limit, and so does whoever takes OpenAI's Responses or Anthropic's Messages
 * as they are.
 */
export const thoughtLimitOfAnyone: LimitOf = (on) => {
  const { dialect, model, baseUrl } = on;
  const name = plainName(model);
  if (dialect !== 'openai-chat' || COUNTED.test(model) || isClaude(name)) return null;
  const known = limitAt(URL.parse(baseUrl)?.host ?? '');
  if (known) return known(on);
  return isClosedGpt(name) ? 'max_completion_tokens' : 'unknown';
};
