/** What the kinds of lines are called outside of the console's pages. */
import type { Text } from '../../core/errors.ts';
import { lineName, type MovementName } from './facts.ts';

export const LINE_TITLES: Readonly<Record<MovementName, Text>> = {
  charge: { zh: '调用', en: 'Calls' },
  topUp: { zh: '充值', en: 'Top-up' },
  redemption: { zh: '兑换码', en: 'Redemption code' },
  gift: { zh: '赠送', en: 'Gift' },
  invitation: { zh: '邀请', en: 'Invitation' },
  fuelPack: { zh: '加油包', en: 'Fuel pack' },
  transfer: { zh: '奖励划转', en: 'Transferred rewards' },
  adminEdit: { zh: '管理员', en: 'Administrator' },
  writeOff: { zh: '核销', en: 'Written off' },
  refund: { zh: '退款', en: 'Refund' },
  takenBack: { zh: '付款撤回', en: 'Payment taken back' },
  reinstated: { zh: '付款恢复', en: 'Payment reinstated' },
};

/** Undefined for a kind that is not known here. */
export function lineTitle(kind: number): Text | undefined {
  const name = lineName(kind);
  return name && LINE_TITLES[name];
}
