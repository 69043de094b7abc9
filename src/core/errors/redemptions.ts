/** Codes that turn into quota, made by administrators and redeemed by users. */
import { type Row, row } from './row.ts';

export const redemptions = {
  REDEMPTION_NAME: row(200, 400, '兑换码名称长度必须在1-20之间', 'The name needs 1 to 20 characters'),
  REDEMPTION_QUOTA: row(200, 400, '额度必须是正整数', 'The quota must be a positive whole number'),
  REDEMPTION_COUNT: row(200, 400, '生成数量必须在 1 到 100 之间', 'From 1 to 100 codes can be made at once'),
  REDEMPTION_EXPIRY: row(200, 400, '过期时间必须晚于现在', 'The expiry must be later than now'),
  REDEMPTION_STATUS: row(200, 400, '状态只能是启用（1）或禁用（2）', 'The status can only be enabled (1) or disabled (2)'),
  REDEMPTION_USED: row(200, 400, '兑换码已被使用，不能再修改', 'The code was used and cannot be changed'),
  REDEMPTION_DISABLED: row(200, 400, '兑换码已禁用，请先启用再修改', 'The code is disabled: enable it before you change it'),
  REDEMPTION_NEEDED: row(200, 400, '请输入兑换码！', 'Please enter redemption code'),
  REDEMPTION_INVALID: row(200, 400, '无效的兑换码', 'This code is not valid'),
} satisfies Record<string, Row>;
