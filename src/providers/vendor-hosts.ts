/**
 * Addresses of vendors, by their hosts: whatever type a channel has, they tell uses of their tools, and bill what they refuse, as
 * they document it.
 */
import { urlOf } from '../core/url.ts';
import type { Vendor } from '../dialects/told-tools.ts';

/** Each with the hosts below it; none below which customers of a cloud have their own, where a gateway may be. */
const HOSTS: readonly string[] = [
  'aip.baidubce.com',
  'aiplatform.googleapis.com',
  'api.cohere.ai',
  'api.cohere.com',
  'api.deepseek.com',
  'api.minimax.chat',
  'api.minimax.io',
  'api.minimaxi.com',
  'api.mistral.ai',
  'api.moonshot.ai',
  'api.moonshot.cn',
  'api.openai.com',
  'api.z.ai',
  'ark.ap-southeast.bytepluses.com',
  'ark.cn-beijing.volces.com',
  'cognitiveservices.azure.com',
  'dashscope-intl.aliyuncs.com',
  'dashscope-us.aliyuncs.com',
  'dashscope.aliyuncs.com',
  'generativelanguage.googleapis.com',
  'hunyuan.cloud.tencent.com',
  'hunyuan.tencentcloudapi.com',
  'open.bigmodel.cn',
  'openai.azure.com',
  'openrouter.ai',
  'qianfan.baidubce.com',
  'services.ai.azure.com',
  'x.ai',
];

/** Google's service has its regions before its name: `us-central1-aiplatform`. */
const REGION = /^[a-z\d-]+-(?=aiplatform\.)/;

const VENDORS: ReadonlyMap<string, Vendor> = new Map<string, Vendor>([
  ...HOSTS.map((host) => [host, 'another'] as const),
  ['api.anthropic.com', 'anthropic'],
  ['api.groq.com', 'groq'],
  ['api.perplexity.ai', 'perplexity'],
]);

/**
 * Refusals that a vendor bills nobody for where they came before any output, by the category that he names: null is that of
 * none. Others are billed as answers are, and so may be those that are yet to come.
 */
const UNBILLED: ReadonlyMap<Vendor, ReadonlySet<string | null>> = new Map([
  // Since 2026-09-24 (platform.claude.com/docs/en/build-with-claude/refusals-and-fallback, "How refusals are billed").
  ['anthropic', new Set(['cyber', 'general_harms', null])],
]);

export const isUnbilled = (vendor: Vendor | null, refusedFor: string | null): boolean =>
  vendor !== null && UNBILLED.get(vendor)?.has(refusedFor) === true;

/** Null for a host that is none of theirs. It is asked some times a call. */
export function vendorOf(address: string): Vendor | null {
  const host = urlOf(address)?.hostname.replace(/\.$/, '').replace(REGION, '') ?? '';
  // The host itself, then each that it is below.
  for (let at = 0; ; ) {
    const vendor = VENDORS.get(host.slice(at));
    if (vendor !== undefined) return vendor;
    at = host.indexOf('.', at) + 1;
    if (at === 0) return null;
  }
}
