/** What models and groups cost. The tables here always win; what they do not name comes from `default-ratios.ts`. */

import { z } from 'zod';
import { PRICED_NAME_MAX } from '../core/bounds.ts';
import { decimalOf } from '../core/decimal.ts';
import { limits } from '../core/limits.ts';
import { LIST_TOKENS } from '../core/tool-reading.ts';
import { checkGroupName, checkGroupNames, DEFAULT_GROUP } from './checks.ts';
import { defaultCallMap, defaultMap, PRICES_AS_OF } from './default-ratios.ts';
import { option, refusal } from './define.ts';
import { tieredPrices } from './tiered-price.ts';
import { videoPrices } from './video-price.ts';

const models = { panel: 'operation', block: 'pricing' } as const;
const groups = { panel: 'operation', block: 'groups' } as const;

const ratioHelp = (zh: string, en: string) => ({
  zh: `JSON，模型名 → 倍率。${zh}。默认值取自 ${PRICES_AS_OF} 的公开价格`,
  en: `JSON: model → ratio. ${en} Starts with the list prices of ${PRICES_AS_OF}.`,
});

const groupMap = <V extends z.ZodType>(value: V) =>
  z.record(z.string(), value).superRefine((map, ctx) => {
    const reason = checkGroupNames(Object.keys(map));
    if (reason) ctx.addIssue(refusal(reason.zh, reason.en));
  });

/** The ratio that a group of users pays for calls in a group of channels, instead of that group's own. */
const ratioOfGroup = z
  .number()
  .min(0)
  .max(1_000_000)
  .superRefine((ratio, ctx) => {
    if (decimalOf(ratio) === null) ctx.addIssue(refusal('最多 12 位小数', 'at most 12 decimal places'));
  });

export const pricing = {
  ModelRatio: option.ratios({
    default: defaultMap('model'),
    place: models,
    label: { zh: '模型倍率', en: 'Model ratio' },
    help: ratioHelp(
      '1 表示每百万输入词元 2 美元，语音合成则是每百万字符（gpt-*-tts 和 Gemini 仍按词元）。另设倍率的模型不分阶梯，长短输入同价',
      '1 is 2 US dollars per million input tokens, or of speech per million characters (gpt-*-tts and Gemini count tokens). A model with a ratio of your own costs the same however long its input is.',
    ),
  }),
  CompletionRatio: option.ratios({
    default: defaultMap('completion'),
    place: models,
    label: { zh: '补全倍率', en: 'Completion ratio' },
    help: ratioHelp('输出价格与输入价格之比', 'Price of output over price of input.'),
  }),
  ThinkingCompletionRatio: option.ratios({
    default: defaultMap('thinkingCompletion'),
    place: models,
    label: { zh: '思考输出倍率', en: 'Thinking output ratio' },
    help: ratioHelp(
      '发生思考的调用的全部输出与输入的价格之比；未设置的模型，思考时的输出按普通输出计价',
      'Price of all output of a call that thinks over price of input. Where a model has none, its output costs the same whether it thinks or not.',
    ),
  }),
  CacheRatio: option.ratios({
    default: defaultMap('cacheRead'),
    place: models,
    label: { zh: '缓存读取倍率', en: 'Cache read ratio' },
    help: ratioHelp('命中缓存的输入与普通输入的价格之比', 'Price of cached input over price of input.'),
  }),
  CreateCacheRatio: option.ratios({
    default: defaultMap('cacheWrite'),
    place: models,
    label: { zh: '缓存写入倍率', en: 'Cache write ratio' },
    help: ratioHelp(
      '写入缓存的输入与普通输入的价格之比',
      'Price of input that is written to a cache over price of input.',
    ),
  }),
  AudioRatio: option.ratios({
    default: defaultMap('audio'),
    place: models,
    label: { zh: '音频输入倍率', en: 'Audio input ratio' },
    help: ratioHelp(
      '音频输入与文本输入的价格之比，未设置的模型按 1 计',
      'Price of audio input over price of text input; 1 where a model has none.',
    ),
  }),
  AudioCompletionRatio: option.ratios({
    default: defaultMap('audioCompletion'),
    place: models,
    label: { zh: '音频输出倍率', en: 'Audio output ratio' },
    help: ratioHelp(
      '音频输出与音频输入的价格之比；两个音频倍率都未设置的模型，音频输出按文本输出计价',
      'Price of audio output over price of audio input. Where a model has neither audio ratio, what it speaks costs what its output of text does.',
    ),
  }),
  ImageRatio: option.ratios({
    default: defaultMap('image'),
    place: models,
    label: { zh: '图片输入倍率', en: 'Image input ratio' },
    help: ratioHelp('图片输入与文本输入的价格之比', 'Price of image input over price of text input.'),
  }),
  ImageCompletionRatio: option.ratios({
    default: defaultMap('imageCompletion'),
    place: models,
    label: { zh: '图片输出倍率', en: 'Image output ratio' },
    help: ratioHelp(
      '图片输出与文本输入的价格之比；未设置的模型，图片输出按文本输出计价',
      'Price of image output over price of text input. Where a model has none, what it draws costs what its output of text does.',
    ),
  }),
  VideoRatio: option.ratios({
    default: defaultMap('video'),
    place: models,
    label: { zh: '视频输入倍率', en: 'Video input ratio' },
    help: ratioHelp(
      '视频输入与文本输入的价格之比，未设置的模型按 1 计',
      'Price of video input over price of text input; 1 where a model has none.',
    ),
  }),
  ModelPrice: option.ratios({
    default: defaultCallMap(),
    place: models,
    label: { zh: '模型固定价格', en: 'Fixed price of models' },
    help: {
      zh: `JSON，模型名 → 每次调用的美元价格（一次要多个回答或图片时按个计），优先于倍率。默认值取自 ${PRICES_AS_OF} 的公开价格`,
      en: `JSON: model → US dollars a call, of several answers or pictures for each; wins over the ratios. Starts with the list prices of ${PRICES_AS_OF}.`,
    },
  }),
  ModelTieredPrice: option.json({
    default: {},
    shape: tieredPrices,
    place: models,
    label: { zh: '模型阶梯价格', en: 'Tiered price of models' },
    help: {
      zh: 'JSON，模型名 → 各档价格 [{up_to, input, output, output_thinking, cache_read, cache_write}]，每百万词元的美元价格，output_thinking 是发生思考的调用的全部输出的价格；按一次请求的输入长度选档，{"by": "month", "tiers": […]} 按用户当月累计用量选档。优先于倍率；未列出的模型按默认价格表的阶梯',
      en: 'JSON: model → tiers [{up_to, input, output, output_thinking, cache_read, cache_write}] in US dollars per million tokens; output_thinking is for all output of a call that thinks. The length of the input chooses the tier; {"by": "month", "tiers": […]} goes by what the user has used this month. Wins over the ratios; models that are not named have the tiers of the default table.',
    },
  }),
  VideoPrice: option.json({
    default: {},
    shape: videoPrices,
    place: models,
    label: { zh: '视频价格', en: 'Prices of videos' },
    help: {
      zh: 'JSON，模型名 → {per_second, sizes, seconds}：每秒视频的美元价格，sizes 按“宽x高”给出不同尺寸的每秒价格，未列出的尺寸按短边不超过它的已列尺寸中最贵的计价。seconds 列出可售的时长（秒），未列出时按已知模型的时长。提交时按所请求的秒数扣费，失败退回；未定价的模型不提供视频',
      en: 'JSON: model → {per_second, sizes, seconds}: US dollars for a second of film; sizes names other prices a second by WIDTHxHEIGHT; a size that is not named pays as the dearest named one whose shorter side is no longer. seconds names the lengths that are sold; without it they are those that the model is known for. Charged by the seconds that are asked for when it is submitted, and given back on failure. A model without a price makes no videos.',
    },
  }),
  UnsoldModels: option.json({
    default: {},
    shape: z.record(z.string().min(1).max(PRICED_NAME_MAX), z.literal(true)),
    place: models,
    label: { zh: '停售的模型', en: 'Models out of sale' },
    help: {
      zh: 'JSON，模型 → true；默认价格表不再为这些模型定价，与其数值相同的倍率或价格也不算另行定价；价格编辑器中设为“无”即停售',
      en: 'JSON: model → true. The default table prices these models no more, nor does a ratio or price that only repeats it; the price editor writes them when a model is set to “none”.',
    },
  }),
  ToolPrices: option.ratios({
    default: {
      // OpenAI's and Anthropic's; xAI's costs 5.
      web_search: 10,
      // OpenAI's of before, at models that do not think.
      web_search_preview: 25,
      // Perplexity's with as much context as can be asked for (docs.perplexity.ai, Request Pricing); a usual one has up to 10.
      web_search_high: 14,
      // Its of several steps, with as much (Pro Search).
      web_search_pro: 22,
      search_source: 25,
      // xAI's own (docs.x.ai/developers/pricing, Tool Invocation Costs).
      x_search: 5,
      code_execution: 5,
      attachment_search: 10,
      // Groq's (its price list, Built-in Tools): a search, and a page.
      browser_search: 5,
      visit_website: 1,
      // Perplexity's own beside its search (docs.perplexity.ai/docs/getting-started/pricing, Tool Pricing).
      fetch_url: 0.5,
      people_search: 5,
      finance_search: 5,
      google_search: 14,
      // Of Gemini up to 2.5, by the prompt (ai.google.dev/gemini-api/docs/pricing).
      google_search_prompt: 35,
      google_maps_prompt: 25,
      file_search: 2.5,
      // OpenAI's containers by their memory, for a session of up to 20 minutes (its price list, "Containers").
      code_interpreter: 30,
      code_interpreter_4g: 120,
      code_interpreter_16g: 480,
      code_interpreter_64g: 1920,
      shell: 30,
      shell_4g: 120,
      shell_16g: 480,
      shell_64g: 1920,
      image_generation_low: 16,
      image_generation_medium: 63,
      image_generation_high: 250,
      // xAI's fee for what its guidelines forbid (docs.x.ai/developers/pricing, Usage Guidelines Violation Fee).
      refused_content: 50,
    },
    place: models,
    label: { zh: '上游工具价格', en: 'Prices of upstream tools' },
    help: {
      zh: 'JSON，工具名 → 每千次调用的美元价格，次数取自上游的应答，乘以分组倍率；refused_content 是上游拒绝违规内容时收取的费用，目前仅 xAI 收取。OpenAI 画图工具的应答若报告了图片的词元数，则改按绘图模型的词元价格计费（该模型须已按词元定价）。在 /v1/responses 和 /v1/messages 中，在此定价的未知工具也会发送给上游；上游是其他网关时，仅限 OpenAI、xAI 与 Claude 的模型，因为只有它们会按名称报告次数',
      en: 'JSON: tool → US dollars per thousand uses, as the answers of upstreams count them; times the ratio of the group. refused_content is what an upstream takes for refusing forbidden content; xAI alone does so. Pictures of OpenAI’s image_generation cost their tokens where an answer tells these and the model that drew has a price by the token. At /v1/responses and /v1/messages a tool that is not known otherwise goes up once it has a price here; to another gateway for models of OpenAI, xAI and Anthropic alone, whose answers tell uses there by the name of a tool.',
    },
  }),
  ToolMaxUses: option.json({
    default: { default: 5, deep_research: 40, image_generation: 2, google_search: 10, web_fetch: 3 },
    shape: z.record(z.string().min(1).max(200), z.number().int().min(1).max(limits.toolUsesMax)),
    place: models,
    label: { zh: '上游工具次数上限', en: 'Most uses of upstream tools' },
    help: {
      zh: 'JSON，工具名 → 一次请求最多使用的次数，用于预扣请求本身没有限定次数的工具；非流式请求会把该次数作为上限发给上游（OpenAI 的 max_tool_calls、Anthropic 的 max_uses），没有此类参数的上游（Gemini、Perplexity 的研究模型）可能超出，超出的次数从余额中扣除，超过该次数十倍的部分视为异常、不计费。default 用于其余工具，deep_research 用于自行检索的研究模型',
      en: 'JSON: tool → uses of one call that are held in advance where the request itself sets no limit. Calls without a stream send it upstream as their limit (max_tool_calls of OpenAI, max_uses of Anthropic); an upstream that has no such field (Gemini, Perplexity’s research) may go beyond it, which is taken from the balance; what is more than ten times as many is taken for a mistake and not charged. default is for all others, deep_research for models that search on their own.',
    },
  }),
  ToolReadTokens: option.json({
    default: {
      // Five searches, each read again by all that follow, come to 9,000 each; OpenAI charges some of its models 8,000.
      default: 3_000,
      // A long page of documentation; most have some 2,500 (Anthropic's guide to it).
      web_fetch: 20_000,
      url_context: 20_000,
      mcp: 6_000,
      // By each server, before anything is used.
      mcp_list_tools: LIST_TOKENS,
      // Ten chunks of 800; OpenAI brings up to 20 where a request does not say.
      file_search: 8_000,
      // Charged by the search, its pages not (price lists of OpenAI, Perplexity and Google).
      web_search_options: 1_000,
      google_search: 1_000,
      search_source: 500,
      deep_research: 1_000,
      image_generation: 0,
    },
    shape: z.record(z.string().min(1).max(200), z.number().int().min(0).max(limits.maxTokensCap)),
    place: models,
    label: { zh: '上游工具读取的词元', en: 'Tokens that upstream tools read' },
    help: {
      zh: 'JSON，工具名 → 每次使用最多读入提示的词元数（网页、搜索结果、文件、MCP 应答），用于预扣请求本身没有限定的工具；每次使用后模型会重新读取整个提示。web_fetch 会作为 max_content_tokens 发给上游；其余工具可能超出，超出部分从余额中扣除。default 用于其余工具，web_search_options 用于聊天接口的联网搜索；mcp_list_tools 是每个 MCP 服务器列出的全部工具，在使用任何工具之前读入，长度由服务器决定，不填则为 50000，不随 default 变化',
      en: 'JSON: tool → most tokens that one use reads into the prompt (pages, results of searches, files, answers of MCP servers), held in advance where the request itself sets no limit; after each use a model reads its whole prompt again. web_fetch goes upstream as max_content_tokens; the others may go beyond it, which is taken from the balance. default is for all others, web_search_options for searches of chat completions. mcp_list_tools is what each MCP server lists as its tools: it is read before any of them is used and is as long as the server likes; 50000 where it is not named, whatever default is.',
    },
  }),
  GroupRatio: option.ratios({
    default: { default: 1, vip: 1, svip: 1 },
    check: (ratios) =>
      Object.hasOwn(ratios, DEFAULT_GROUP)
        ? checkGroupNames(Object.keys(ratios))
        : { zh: '必须包含分组 default', en: 'must contain the group default' },
    place: groups,
    label: { zh: '分组倍率', en: 'Group ratio' },
    help: {
      zh: 'JSON，分组名 → 倍率；这里的名字就是全部分组，必须包含 default',
      en: 'JSON: group → ratio. These names are all groups; default must be one.',
    },
  }),
  GroupGroupRatio: option.json({
    default: {},
    shape: groupMap(groupMap(ratioOfGroup)),
    place: groups,
    label: { zh: '用户分组专属倍率', en: 'Ratios for groups of users' },
    help: {
      zh: 'JSON，用户分组 → 使用的分组 → 倍率，代替该分组的倍率',
      en: 'JSON: group of the user → group used → ratio, instead of that group’s own.',
    },
  }),
  UserUsableGroups: option.json({
    default: { default: '默认分组', vip: 'VIP 分组' },
    shape: groupMap(z.string().max(200)),
    place: groups,
    label: { zh: '用户可选分组', en: 'Groups that users may choose' },
    help: {
      zh: 'JSON，分组名 → 说明；用户自己的分组总是可用',
      en: 'JSON: group → description. A user’s own group is always usable.',
    },
  }),
  AutoGroups: option.lines({
    check: checkGroupName,
    maxLines: 100,
    label: { zh: '自动分组顺序', en: 'Order of the auto group' },
  }),
  ExposeRatioEnabled: option.boolean({
    default: false,
    label: { zh: '公开倍率接口', en: 'Public ratio call' },
  }),
};
