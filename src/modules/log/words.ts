/** What the types of rows are called outside of the console's pages. */
import type { Text } from '../../core/errors.ts';

export const TYPE_NAMES: Readonly<Record<number, Text>> = {
  1: { zh: '充值', en: 'top-up' },
  2: { zh: '消费', en: 'consumption' },
  3: { zh: '管理', en: 'management' },
  4: { zh: '系统', en: 'system' },
  5: { zh: '活动', en: 'activity' },
  6: { zh: '失败', en: 'refused' },
  7: { zh: '渠道测试', en: 'channel test' },
};
