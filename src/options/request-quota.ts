/** What a call of the companion client's tools will cost. No page draws these until there are such tools. */
import { option } from './define.ts';

const help = { zh: '每次调用的额度，0 表示免费', en: 'Quota units a call; 0 is free.' };

export const requestQuota = {
  'request_quota.search': option.integer({
    default: 0,
    unit: 'quota',
    label: { zh: '联网搜索', en: 'Web search' },
    help,
  }),
  'request_quota.map': option.integer({
    default: 0,
    unit: 'quota',
    label: { zh: '地图', en: 'Map' },
    help,
  }),
  'request_quota.default': option.integer({
    default: 0,
    unit: 'quota',
    label: { zh: '其他工具', en: 'Other tools' },
    help,
  }),
};
