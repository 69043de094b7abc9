import { dashboardBalance } from './balance.ts';
import { OPENAI_OPERATIONS } from './openai.ts';
import { bearer, modelIds, openaiCompatible } from './openai-compatible.ts';
import type { Provider } from './provider.ts';
import { thoughtLimitOfAnyone } from './thought-limits.ts';
import { wantsThoughtsBack } from './thoughts-back.ts';

const compatible = openaiCompatible({
  type: 8,
  slug: 'custom',
  label: 'Custom (full URL)',
  zhLabel: '自定义（完整地址）',
  baseUrl: null,
  models: [],
  operations: OPENAI_OPERATIONS.filter(
    (operation) =>
      operation !== 'image-edits' && operation !== 'image-variations' && operation !== 'realtime',
  ),
  opensToAnyone: true,
  thoughtLimit: thoughtLimitOfAnyone,
  wantsThoughtsBack,
  balance: dashboardBalance,
  form: {
    baseUrl: 'required',
    baseUrlHint: 'https://api.openai.com/v1/chat/completions',
    wholeAddress: true,
    notice: {
      zh: '填写完整的接口地址，可以用 {model} 代表模型名称。如果对方是同类中转站，请使用 OpenAI 类型。如果对方拒绝 stream_options，请在参数覆盖中填写 {"stream_options": null}，此时流式用量由本地计数。',
      en: 'Give the complete address of the call; {model} stands for the name of the model. For another gateway of this kind use the type OpenAI. Where the server refuses stream_options, put {"stream_options": null} into the parameter override: the usage of streams is then counted here.',
    },
  },
  url: ({ channel, model }) => channel.baseUrl.replaceAll('{model}', encodeURIComponent(model)),
});

export const custom: Provider = {
  ...compatible,
  listModels: (channel) => ({
    request: {
      method: 'GET',
      url: `${channel.baseUrl.replace(/\/v1\/.*$/, '')}/v1/models`,
      headers: bearer(channel.key),
    },
    read: modelIds,
  }),
};
