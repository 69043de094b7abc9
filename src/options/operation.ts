/** Options of the operation panel: quota, retries, channel health, logs. */
import { option } from './define.ts';

export const operation = {
  RetryTimes: option.integer({
    default: 2,
    max: 10,
    place: { panel: 'operation', block: 'general' },
    label: { zh: '失败重试次数', en: 'Retries after a failed attempt' },
    help: {
      zh: '换一个渠道再试的次数，0 表示不重试',
      en: 'How many other channels to try. 0 turns retries off.',
    },
  }),
  PreConsumedQuota: option.integer({
    default: 500,
    place: { panel: 'operation', block: 'quota' },
    label: { zh: '请求预扣额度', en: 'Quota reserved for a request' },
    help: {
      zh: '请求没有给出输出上限时至少预留的额度',
      en: 'The least quota reserved for a request that gives no output limit.',
    },
  }),
};
