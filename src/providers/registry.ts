/** One line a provider: the only file that imports them. In the order in which the form offers them. */
import type { Vendor, VendorBill } from '../core/vendor-bill.ts';
import { aiProxy } from './aiproxy/provider.ts';
import { alibaba } from './alibaba/provider.ts';
import { anthropic } from './anthropic.ts';
import { azure } from './azure.ts';
import { baidu } from './baidu/provider.ts';
import { bedrock } from './bedrock/provider.ts';
import { cloudflare } from './cloudflare/provider.ts';
import { cohere } from './cohere.ts';
import { custom } from './custom.ts';
import { deepseek } from './deepseek.ts';
import { dify } from './dify/provider.ts';
import { fastgpt } from './fastgpt.ts';
import { gemini } from './gemini.ts';
import { jina } from './jina.ts';
import { lingyi } from './lingyi.ts';
import { m3e } from './m3e.ts';
import { midjourney, midjourneyPlus } from './midjourney.ts';
import { minimax } from './minimax/provider.ts';
import { mistral } from './mistral.ts';
import { moonshot } from './moonshot.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import { openrouter } from './openrouter.ts';
import { palm } from './palm/provider.ts';
import type { Provider } from './provider.ts';
import { qianfan } from './qianfan.ts';
import { siliconcloud } from './siliconcloud.ts';
import { suno } from './suno.ts';
import { tencent } from './tencent/provider.ts';
import { billOf, vendorOf } from './vendor-hosts.ts';
import { vertex } from './vertex/provider.ts';
import { volcano } from './volcano/provider.ts';
import { xinference } from './xinference.ts';
import { xunfei } from './xunfei/provider.ts';
import { zhinao } from './zhinao.ts';
import { zhipu } from './zhipu/provider.ts';
import { zhipuV4 } from './zhipu-v4.ts';

export const providers: readonly Provider[] = [
  openai,
  azure,
  anthropic,
  gemini,
  vertex,
  bedrock,
  openrouter,
  deepseek,
  moonshot,
  alibaba,
  zhipuV4,
  volcano,
  qianfan,
  minimax,
  mistral,
  cohere,
  siliconcloud,
  tencent,
  xunfei,
  cloudflare,
  ollama,
  xinference,
  jina,
  m3e,
  lingyi,
  zhinao,
  dify,
  fastgpt,
  aiProxy,
  zhipu,
  baidu,
  palm,
  midjourney,
  midjourneyPlus,
  suno,
  custom,
];

const byType = new Map(providers.map((provider) => [provider.type, provider]));

/** Whose a model is: the first provider that names it. */
export const modelOwners: ReadonlyMap<string, Provider> = new Map(
  [...providers].reverse().flatMap((provider) => provider.models.map((model) => [model, provider] as const)),
);

/** Unix seconds that stand in lists of models: nobody tells when one was made, and clients only want a time. */
export const MODELS_MADE_SEC = 1_700_000_000;

/** The provider of a channel type, or undefined for a type that is not built. */
export const findProvider = (type: number): Provider | undefined => byType.get(type);

/** The address that is called: the provider's own where its channel has none. */
export const addressAt = ({ baseUrl }: Pick<Provider, 'baseUrl'>, given: string): string =>
  given || (baseUrl ?? '');

/** What a host does of its own, where a provider's channel leads, by its type or by its address. */
const ofHost =
  <K extends 'unasked' | 'hostTools' | 'keepsAnswers'>(what: K) =>
  (provider: Provider, baseUrl: string): Provider[K] =>
    provider[what] ?? providers.find((other) => other[what]?.host.test(baseUrl))?.[what];

/** What it bills unasked. */
export const unaskedAt = ofHost('unasked');
/** The tools that it runs. */
export const hostToolsAt = ofHost('hostTools');
/** Whether it keeps answers for whoever asks the same again. */
export const keepsAnswersAt = ofHost('keepsAnswers');

/** Who is asked there, as far as it tells uses of its tools; null for an operator's own address, behind which anybody may be. */
export const vendorAt = (provider: Provider, baseUrl: string): Vendor | null => {
  // A provider's own host may follow from a key.
  const address = addressAt(provider, baseUrl) || `https://${provider.domains?.[0] ?? ''}`;
  return vendorOf(address) ?? (provider.opensToAnyone ? null : 'another');
};

/** The same of a channel; undefined for one of a type that is not built. */
export function vendorBehind({ type, baseUrl }: ChannelAddress): Vendor | null | undefined {
  const provider = findProvider(type);
  return provider && vendorAt(provider, baseUrl);
}

interface ChannelAddress {
  type: number;
  baseUrl: string;
}

/**
 * How what comes of a channel is billed: by its vendor at his own address. At any other one, of whatever type, somebody may
 * sell on what he bought, so that it is billed as it is shown.
 */
export const billAt = (channel: ChannelAddress): VendorBill => billOf(vendorBehind(channel) ?? null);

/** The same by who is asked, where that is known. */
export { billOf };
