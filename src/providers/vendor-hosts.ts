/** Addresses of vendors, by their hosts: whatever type a channel has, they tell uses of their tools as they document it. */
import { urlOf } from '../core/url.ts';
import type { Vendor } from '../dialects/told-tools.ts';

/** Each with the hosts below it; none below which customers of a cloud have their own, where a gateway may be. */
const HOSTS: readonly string[] = [
  'aip.baidubce.com',
  'aiplatform.googleapis.com',
  'api.anthropic.com',
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
  ['api.groq.com', 'groq'],
  ['api.perplexity.ai', 'perplexity'],
]);

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
