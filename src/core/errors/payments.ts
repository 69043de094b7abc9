/** Online payment: orders, and what is asked for them. */
import { type Row, row } from './row.ts';

export const payments = {
  TOPUP_OFF: row(200, 400, '管理员未开启在线充值！', 'Admin has not enabled online top-up'),
  TOPUP_AMOUNT: row(200, 400, '充值数量不能小于 {min}', 'Top-up amount cannot be less than {min}'),
  TOPUP_AMOUNT_WHOLE: row(200, 400, '充值数量必须是不小于 1 的整数', 'The top-up amount must be a whole number of at least 1'),
  TOPUP_AMOUNT_MAX: row(200, 400, '充值数量不能大于 {max}', 'Top-up amount cannot be more than {max}'),
  TOPUP_CODE: row(200, 400, '优惠码无效', 'This discount code is not valid'),
  TOPUP_MANY: row(200, 400, '未支付的订单过多，请先支付或稍后再试', 'There are too many unpaid orders: pay one, or try again later'),
  TOPUP_REASON: row(200, 400, '原因长度必须在 1 到 300 之间', 'The reason needs 1 to 300 characters'),
  TOPUP_DONE: row(200, 400, '订单已完成', 'The order is completed already'),
  TOPUP_VOIDED: row(200, 400, '订单已作废', 'The order is voided already'),
  TOPUP_NOT_PAID: row(200, 400, '只有已支付的订单可以退款', 'Only a paid order can be refunded'),
  TOPUP_REFUNDED: row(200, 400, '该订单的付款已全部退回', 'All of this payment has been taken back already'),
  TOPUP_PROVIDER_OFF: row(200, 400, '该支付渠道未启用', 'This payment provider is not set up'),
  TOPUP_UNANSWERED: row(200, 502, '支付渠道没有应答：{reason}', 'The payment provider gave no answer: {reason}'),
  TOPUP_UNFIT: row(200, 400, '支付渠道的应答未被采纳：{reason}', 'The payment provider’s answer does not fit: {reason}'),
  PAY_METHOD: row(200, 400, '不支持的支付方式', 'This payment method is not supported'),
  PAY_FAILED: row(200, 502, '请求失败', 'Request failed'),
} satisfies Record<string, Row>;
