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

const SELLERS: Readonly<Record<string, Vendor>> = {
  'api.groq.com': 'groq',
  'api.perplexity.ai': 'perplexity',
};

/** Null for a host that is none of theirs. */
export function vendorOf(address: string): Vendor | null {
  const host = urlOf(address)?.hostname.replace(/\.$/, '').replace(REGION, '');
  if (host === undefined) return null;
  const isAt = (name: string) => host === name || host.endsWith(`.${name}`);
  const seller = Object.keys(SELLERS).find(isAt);
  if (seller !== undefined) return SELLERS[seller] ?? null;
  return HOSTS.some(isAt) ? 'another' : null;
}
