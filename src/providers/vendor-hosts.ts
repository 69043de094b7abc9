/**
 * Addresses of vendors, by their hosts: whatever type a channel has, they tell uses of their tools, and bill them, as they
 * document it.
 */
import { HOUR_SEC, MINUTE_SEC } from '../core/time.ts';
import { urlOf } from '../core/url.ts';
import { AS_SHOWN, type Vendor, type VendorBill } from '../core/vendor-bill.ts';

/** Each with the hosts below it; none below which customers of a cloud run what they like, where a gateway may be. */
const HOSTS: readonly string[] = [
  'aip.baidubce.com',
  'api.cohere.ai',
  'api.cohere.com',
  'api.deepseek.com',
  'api.minimax.chat',
  'api.minimax.io',
  'api.minimaxi.com',
  'api.mistral.ai',
  'api.moonshot.ai',
  'api.moonshot.cn',
  'api.z.ai',
  'ark.ap-southeast.bytepluses.com',
  'ark.cn-beijing.volces.com',
  'dashscope-intl.aliyuncs.com',
  'dashscope-us.aliyuncs.com',
  'dashscope.aliyuncs.com',
  'hunyuan.cloud.tencent.com',
  'hunyuan.tencentcloudapi.com',
  'open.bigmodel.cn',
  'openrouter.ai',
  'qianfan.baidubce.com',
  'x.ai',
];

/** Azure's clouds: its own, that of governments and China's. Each has hosts of the same services. */
const AZURES = ['com', 'us', 'cn'].map((cloud) => `azure.${cloud}`);
/** Its older hosts, which were there before it served OpenAI's models. */
const OLDER_AZURES = AZURES.map((cloud) => `cognitiveservices.${cloud}`);

/** Below Azure's own its customers have hosts of these services, at which nobody answers but Azure. */
const VENDORS: ReadonlyMap<string, Vendor> = new Map<string, Vendor>([
  ...HOSTS.map((host) => [host, 'another'] as const),
  ['api.anthropic.com', 'anthropic'],
  ['api.groq.com', 'groq'],
  ['api.openai.com', 'openai'],
  ['api.perplexity.ai', 'perplexity'],
  // Both its services, of which one has its regions before its name.
  ['googleapis.com', 'google'],
  ['services.ai.azure.com', 'azure'],
  ...[...OLDER_AZURES, ...AZURES.map((cloud) => `openai.${cloud}`)].map((host) => [host, 'azure'] as const),
]);

/** OpenAI's guides to web search and to image generation. */
const OF_OPENAIS_TOOLS: VendorBill = { freePages: true, tellsSearches: true, picturesByToken: true };

/** Each as he documents it. */
const BILLS: ReadonlyMap<Vendor | 'unknown' | null, VendorBill> = new Map([
  /*
   * Since 2026-09-24 (platform.claude.com/docs/en/build-with-claude/refusals-and-fallback, "How refusals are billed"). Others
   * are billed as answers are, and so may be those that are yet to come.
   */
  ['anthropic', { freeRefusals: new Set(['cyber', 'general_harms', null]) }],
  // Its price list and Vertex's ("Grounding with Google Search", Pricing).
  ['google', { freeFinds: true, freeRepeats: true }],
  // It bills the tokens of its models (console.groq.com, Systems).
  ['groq', { freeFinds: true }],
  // It bills OpenAI's tools as OpenAI does, but for a session, which a call begins (its page on Responses, "Containers").
  ['azure', { ...OF_OPENAIS_TOOLS, containers: { sessionSec: HOUR_SEC } }],
  // Its price list, "Containers".
  ['openai', { ...OF_OPENAIS_TOOLS, containers: { sessionSec: 20 * MINUTE_SEC, whenMade: true } }],
]);

/** At a vendor's own address as he bills; at any other, and before it is known which, as it is shown. */
export const billOf = (vendor: Vendor | 'unknown' | null): VendorBill => BILLS.get(vendor) ?? AS_SHOWN;

/** Null for a host that is none of theirs. It is asked some times a call. */
export function vendorOf(address: string): Vendor | null {
  const host = hostOf(address);
  // The host itself, then each that it is below.
  for (let at = 0; ; ) {
    const vendor = VENDORS.get(host.slice(at));
    if (vendor !== undefined) return vendor;
    at = host.indexOf('.', at) + 1;
    if (at === 0) return null;
  }
}

const hostOf = (address: string): string => urlOf(address)?.hostname.replace(/\.$/, '') ?? '';

/** One of Azure's that has Responses where it has all other calls. */
export function isOlderAzure(address: string): boolean {
  const host = hostOf(address);
  return OLDER_AZURES.some((older) => host.endsWith(`.${older}`));
}
