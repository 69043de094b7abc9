/** Top-up, payment and the weekly fuel pack. */
import type { Text } from '../core/errors.ts';
import { checkGroupNames, checkUrl } from './checks.ts';
import { aboveZero, option } from './define.ts';

function checkPositive(ratios: Record<string, number>): Text | null {
  const free = Object.entries(ratios).find(([, ratio]) => ratio === 0);
  return free ? { zh: `${free[0]}：${aboveZero.zh}`, en: `${free[0]}: ${aboveZero.en}` } : null;
}

const fuelPack = { panel: 'operation', block: 'fuel-pack' } as const;

export const wallet = {
  MinTopUp: option.integer({
    default: 1,
    min: 1,
    max: 1_000_000,
    status: 'min_topup',
    label: { zh: '最低充值数量', en: 'Smallest top-up' },
    help: { zh: '以美元计', en: 'In US dollars.' },
  }),
  TopupGroupRatio: option.ratios({
    default: { default: 1, vip: 1, svip: 1 },
    check: (ratios) => checkGroupNames(Object.keys(ratios)) ?? checkPositive(ratios),
    label: { zh: '充值分组倍率', en: 'Top-up ratio of groups' },
    help: { zh: 'JSON，分组名 → 倍率', en: 'JSON: group → ratio.' },
  }),
  TopUpLink: option.text({
    status: 'top_up_link',
    place: { panel: 'operation', block: 'general' },
    check: checkUrl,
    label: { zh: '充值链接', en: 'Top-up link' },
    help: { zh: '购买兑换码的地址', en: 'Where redemption codes are sold.' },
  }),
  PayAddress: option.text({ check: checkUrl, label: { zh: '支付地址', en: 'Payment address' } }),
  EpayId: option.text({ max: 200, label: { zh: '易支付商户 ID', en: 'Payment merchant id' } }),
  EpayKey: option.text({
    secret: true,
    max: 500,
    label: { zh: '易支付商户密钥', en: 'Payment merchant key' },
  }),
  CustomCallbackAddress: option.text({
    check: checkUrl,
    label: { zh: '回调地址', en: 'Callback address' },
    help: { zh: '留空使用服务器地址', en: 'Empty uses the server address.' },
  }),
  FuelPackEnabled: option.boolean({
    default: false,
    place: fuelPack,
    label: { zh: '启用加油包', en: 'Fuel pack' },
    help: { zh: '用户可在活动中心定期免费领取额度', en: 'Users claim free quota in the activity center.' },
  }),
  FuelPackLimit: option.integer({
    default: 7,
    min: 1,
    max: 3_650,
    place: fuelPack,
    label: { zh: '加油包领取间隔（天）', en: 'Days between fuel packs' },
    help: { zh: '从用户上次领取时起算', en: 'Counted from a user’s last claim.' },
  }),
  FuelPackQuota: option.integer({
    unit: 'quota',
    default: 0,
    status: 'fuel_pack_quota',
    place: fuelPack,
    label: { zh: '加油包额度', en: 'Quota of a fuel pack' },
    help: { zh: '0 表示不发放', en: '0 gives none.' },
  }),
  'fuel_pack.verified_only': option.boolean({
    default: false,
    place: fuelPack,
    label: { zh: '仅限已绑定邮箱或手机的用户领取', en: 'Only for users with an email address or phone' },
  }),
  'fuel_pack.accounts_per_network': option.integer({
    default: 3,
    max: 1_000_000,
    place: fuelPack,
    label: { zh: '同一网络可领取的账户数', en: 'Accounts that may claim from one network' },
    help: {
      zh: '在一个领取间隔内，0 表示不限',
      en: 'Within the days between fuel packs; 0 sets no limit.',
    },
  }),
};
