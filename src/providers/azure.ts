import { limits } from '../core/limits.ts';
import { adjustForReasoning, OPENAI_MODELS, withoutSampling } from './openai.ts';
import { openaiCompatible } from './openai-compatible.ts';
import type { UpstreamCall } from './provider.ts';
import { isOlderAzure, vendorOf } from './vendor-hosts.ts';

const DEFAULT_VERSION = '2024-12-01-preview';
/** Before it a host answers that the call is not enabled. */
const FIRST_WITH_RESPONSES = '2025-04-01-preview';

/** Deployments of the 3.5 family are named without the dot; all others as the model. */
const deploymentOf = (model: string): string =>
  encodeURIComponent(model.startsWith('gpt-3.5') ? model.replaceAll('.', '') : model);

type Asked = Pick<UpstreamCall, 'query' | 'channel'>;

const saidVersion = ({ query, channel }: Asked): string =>
  query.get('api-version') || channel.other || DEFAULT_VERSION;

const versionOf = (asked: Asked): string => encodeURIComponent(saidVersion(asked));

/** Dates are compared as texts; a word stands behind them all, and is for the newest. */
const versionWithResponses = (asked: Asked): string =>
  saidVersion(asked) < FIRST_WITH_RESPONSES ? FIRST_WITH_RESPONSES : versionOf(asked);

const RESPONSES = '/v1/responses';

/** The model stands in the body here; older hosts have the call where they have all others. */
const responsesUrl = (call: UpstreamCall): string =>
  isOlderAzure(call.channel.baseUrl)
    ? `${call.channel.baseUrl}/openai/responses?api-version=${versionWithResponses(call)}`
    : `${call.channel.baseUrl}/openai/v1/responses?api-version=preview`;

function url(call: UpstreamCall, path: string): string {
  if (call.operation === 'realtime') {
    const deployment = `deployment=${deploymentOf(call.model)}`;
    return `${call.channel.baseUrl}/openai/realtime?api-version=${versionOf(call)}&${deployment}`;
  }
  if (path === RESPONSES) return responsesUrl(call);
  const task = path.replace(/^\/v1/, '');
  return `${call.channel.baseUrl}/openai/deployments/${deploymentOf(call.model)}${task}?api-version=${versionOf(call)}`;
}

const compatible = openaiCompatible({
  type: 3,
  homeOf: ['openai'],
  slug: 'azure',
  label: 'Azure OpenAI',
  baseUrl: null,
  models: OPENAI_MODELS.filter((model) => !/moderation|realtime|audio|latest$/.test(model)),
  operations: [
    'chat',
    'completions',
    'embeddings',
    'images',
    'image-edits',
    'speech',
    'transcriptions',
    'translations',
    'realtime',
  ],
  form: {
    keyHint: '32 or 84 characters',
    baseUrl: 'required',
    baseUrlHint: 'https://docs-test-001.openai.azure.com',
    other: { label: { zh: '默认 API 版本', en: 'Default API version' }, hint: DEFAULT_VERSION },
    notice: {
      zh: '部署名称必须与模型名称一致，否则请使用模型映射。',
      en: 'The name of a deployment must equal the name of its model; use the model mapping where it does not.',
    },
  },
  responsesPath: RESPONSES,
  url,
  authorise: (key) => ({ 'api-key': key }),
  extensions: ['custom_tools', 'verbosity', 'openai_fields'],
  toolLimit: () => limits.toolUsesMax,
  tellsSummaries: () => true,
  servesOpenAis: (baseUrl) => vendorOf(baseUrl) === 'azure',
  adjustBody: adjustForReasoning,
  adjustResponses: withoutSampling,
});

/** Lists the base models of the resource's region; deployments can be listed only by the management plane. */
export const azure: typeof compatible = {
  ...compatible,
  listModels: (channel) => ({
    request: {
      method: 'GET',
      url: `${channel.baseUrl}/openai/models?api-version=${versionOf({ channel, query: new URLSearchParams() })}`,
      headers: { 'api-key': channel.key },
    },
    read: (body) => compatible.listModels?.(channel).read(body) ?? [],
  }),
};
