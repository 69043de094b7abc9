/** Top-up, payment and the weekly fuel pack. */
import { z } from 'zod';
import { SECONDS_MAX } from '../core/bounds.ts';
import { decimalOf } from '../core/decimal.ts';
import type { Text } from '../core/errors.ts';
import { checkGroupNames, checkUrl } from './checks.ts';
import { aboveZero, option, refusal } from './define.ts';
import { addressIn, FIXED } from './destination.ts';
import { giftHelp } from './gift-help.ts';

function checkPositive(ratios: Record<string, number>): Text | null {
  const free = Object.entries(ratios).find(([, ratio]) => ratio === 0);
  return free ? { zh: `${free[0]}：${aboveZero.zh}`, en: `${free[0]}: ${aboveZero.en}` } : null;
}

const fuelPack = { panel: 'operation', block: 'fuel-pack' } as const;
const payment = { panel: 'operation', block: 'payment' } as const;

/** Stripe counts these in thousandths or by rules of their own (docs.stripe.com/currencies, "Special cases"). */
const ODD_CURRENCIES = ['BHD', 'JOD', 'KWD', 'OMR', 'TND', 'ISK', 'UGX'];

/** What Stripe has to tell of: `stripe.ts` reads these, and no other. */
export const STRIPE_EVENTS = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'charge.refunded',
  'refund.failed',
  'refund.updated',
  'charge.refund.updated',
  'charge.dispute.created',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.closed',
  'charge.dispute.funds_reinstated',
] as const;

const checkCurrency = (text: string): Text | null =>
  /^[A-Za-z]{3}$/.test(text) && !ODD_CURRENCIES.includes(text.toUpperCase())
    ? null
    : {
        zh: `“${text}”不是支持的货币`,
        en: `"${text}" is no currency that is supported`,
      };

const CODE_MAX = 64;
/** A discount, exactly as it was typed: above nothing, and never a surcharge. */
const discount = z.number().superRefine((ratio, ctx) => {
  if (ratio <= 0 || ratio > 1 || decimalOf(ratio) === null)
    ctx.addIssue(
      refusal(
        '必须大于 0 且不大于 1，最多 12 位小数',
        'must be above 0 and at most 1, with at most 12 decimal places',
      ),
    );
});
/** Code → what it takes off: until when, and how often at all. */
const discounts: z.ZodType<
  Record<string, { ratio: number; expires?: number | undefined; limit?: number | undefined }>
> = z.record(
  z.string().min(1).max(CODE_MAX),
  z.strictObject({
    ratio: discount,
    expires: z.number().int().min(1).max(SECONDS_MAX).optional(),
    limit: z.number().int().min(1).optional(),
  }),
);

export const wallet = {
  MinTopUp: option.integer({
    default: 1,
    min: 1,
    max: 1_000_000,
    status: 'min_topup',
    place: payment,
    label: { zh: '最低充值数量', en: 'Smallest top-up' },
    help: { zh: '以美元计', en: 'In US dollars.' },
  }),
  TopupGroupRatio: option.ratios({
    default: { default: 1, vip: 1, svip: 1 },
    place: payment,
    check: (ratios) => checkGroupNames(Object.keys(ratios)) ?? checkPositive(ratios),
    label: { zh: '充值分组倍率', en: 'Top-up ratio of groups' },
    help: { zh: 'JSON，分组名 → 倍率', en: 'JSON: group → ratio.' },
  }),
  TopupCodes: option.json({
    default: {},
    shape: discounts,
    place: payment,
    label: { zh: '充值优惠码', en: 'Discount codes of top-ups' },
    help: {
      zh: 'JSON，优惠码 → {"ratio": 0.9, "expires": Unix 秒, "limit": 次数}；后两项可省略',
      en: 'JSON: code → {"ratio": 0.9, "expires": unix seconds, "limit": times}; the last two may be absent.',
    },
  }),
  TopUpLink: option.text({
    status: 'top_up_link',
    place: { panel: 'operation', block: 'general' },
    check: checkUrl,
    label: { zh: '充值链接', en: 'Top-up link' },
    help: { zh: '购买兑换码的地址', en: 'Where redemption codes are sold.' },
  }),
  PayAddress: option.text({
    max: 2_000,
    place: payment,
    check: checkUrl,
    label: { zh: '易支付地址', en: 'Epay address' },
    help: {
      zh: '网关地址，不含 submit.php；地址、商户 ID 和密钥都填写后启用。换成另一个网关时需同时重新填写密钥',
      en: 'Of the gateway, without submit.php. It is on once address, merchant id and key are all set. Another gateway needs its key given again with it.',
    },
  }),
  EpayId: option.text({ max: 200, place: payment, label: { zh: '易支付商户 ID', en: 'Epay merchant id' } }),
  EpayKey: option.text({
    secret: addressIn('PayAddress'),
    max: 500,
    place: payment,
    label: { zh: '易支付商户密钥', en: 'Epay merchant key' },
  }),
  EpayMethods: option.lines({
    default: ['alipay', 'wxpay'],
    maxLines: 20,
    place: payment,
    check: (line) =>
      /^[a-z0-9_]{1,30}$/.test(line)
        ? null
        : {
            zh: `“${line}”只能包含小写字母、数字和下划线`,
            en: `"${line}" may only have lower-case letters, digits and underscores`,
          },
    label: { zh: '易支付支付方式', en: 'Epay methods' },
    help: { zh: '每行一个，如 alipay、wxpay', en: 'One a line, such as alipay or wxpay.' },
  }),
  StripeSecretKey: option.text({
    secret: FIXED,
    max: 500,
    place: payment,
    label: { zh: 'Stripe 密钥', en: 'Stripe secret key' },
    help: {
      zh: '与 Stripe Webhook 密钥都填写后启用',
      en: 'Stripe is on once this and the secret of its webhook are both set.',
    },
  }),
  StripeWebhookSecret: option.text({
    secret: FIXED,
    max: 500,
    place: payment,
    label: { zh: 'Stripe Webhook 密钥', en: 'Stripe webhook secret' },
    help: {
      zh: `在 Stripe 中把 Webhook 指向 /api/user/stripe/notify，并订阅这些事件：${STRIPE_EVENTS.join('、')}`,
      en: `Have Stripe’s webhook call /api/user/stripe/notify, and subscribe it to these events: ${STRIPE_EVENTS.join(', ')}.`,
    },
  }),
  StripeCurrency: option.text({
    default: 'USD',
    max: 3,
    place: payment,
    check: checkCurrency,
    label: { zh: 'Stripe 货币', en: 'Stripe currency' },
    help: { zh: '三个字母，如 USD', en: 'Three letters such as USD.' },
  }),
  StripePrice: option.decimal({
    default: 1,
    positive: true,
    place: payment,
    label: { zh: 'Stripe 充值价格（每美金）', en: 'Price of one US dollar at Stripe' },
    help: { zh: '以 Stripe 货币计', en: 'In the currency of Stripe.' },
  }),
  CustomCallbackAddress: option.text({
    max: 2_000,
    place: payment,
    check: checkUrl,
    label: { zh: '回调地址', en: 'Callback address' },
    help: {
      zh: '支付渠道回调本站的地址，留空使用服务器地址',
      en: 'Where payment providers call this site back. Empty uses the server address.',
    },
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
    help: giftHelp({ zh: '0 表示不发放', en: '0 gives none.' }),
  }),
  // Sites that are older than this default keep the one before it: a migration has written it down.
  'fuel_pack.verified_only': option.boolean({
    default: true,
    place: fuelPack,
    label: { zh: '仅限已绑定邮箱或手机的用户领取', en: 'Only for users with an email address or phone' },
  }),
  'fuel_pack.accounts_per_network': option.integer({
    default: 3,
    max: 1_000_000,
    place: fuelPack,
    label: { zh: '同一网络可领取的账户数', en: 'Accounts that may claim from one network' },
    help: {
      zh: '在一个领取间隔内，0 表示不限。网络为一个 IPv4 地址或 IPv6 的 /48；IPv6 的 /32 为其 64 倍',
      en: 'Within the days between fuel packs; 0 sets no limit. A network is an IPv4 address or a /48 of IPv6; a /32 may have 64 times as many.',
    },
  }),
};
