/** Why a provider gave no answer, and why what it said was not believed, in words for administrators. */
import { asIs, type Fillings, filled, type Text } from '../../core/text.ts';
import type { PaymentRefused, RefusalReason } from './provider.ts';

const STRANGER: Text = { zh: '该地址由别的服务应答', en: 'Something else answers at this address' };
const UNREACHABLE: Text = { zh: '无法连接', en: 'It cannot be reached' };
const STATUS: Text = { zh: '返回状态 {status}', en: 'It answers with status {status}' };

/** As far as the dialer and Stripe's package tell it. */
const FAULTS: Readonly<Record<string, Text>> = {
  stranger: STRANGER,
  'too-large': STRANGER,
  'no JSON': STRANGER,
  unresolvable: { zh: '域名无法解析', en: 'The name does not resolve' },
  timeout: { zh: '连接超时', en: 'It did not answer in time' },
  'bad-address': { zh: '地址无效', en: 'The address is not valid' },
  StripeAuthenticationError: { zh: 'Stripe 不接受该密钥', en: 'Stripe does not take the secret key' },
  unreachable: UNREACHABLE,
};

/** One that has no words is something about the connection. */
export function faultText(fault: string): Text {
  const [, status] = /^status (\d+)$/.exec(fault) ?? [];
  return status ? filled(STATUS, { status: asIs(status) }) : (FAULTS[fault] ?? UNREACHABLE);
}

const REFUSALS: Readonly<Record<RefusalReason, Text>> = {
  signature: { zh: '签名不正确', en: 'its signature is wrong' },
  merchant: { zh: '商户 ID 不符', en: 'it is about another merchant id' },
  order: { zh: '订单号不符', en: 'it is about another order' },
  provider: { zh: '订单属于另一支付渠道', en: 'the order is of another provider' },
  amount: {
    zh: '金额不符，已付 {paid}，应付 {asked}',
    en: 'the amount differs: {paid} paid, {asked} asked for',
  },
  currency: {
    zh: '币种不符，已付 {paid}，应付 {asked}',
    en: 'the currency differs: {paid} paid, {asked} asked for',
  },
  method: { zh: '支付方式“{method}”未启用', en: 'the payment method “{method}” is not open' },
  off: { zh: '该支付渠道未启用', en: 'the provider is not set up' },
  malformed: { zh: '内容无法识别', en: 'it cannot be read' },
};

export const refusalText = ({ reason, facts }: PaymentRefused, order: { money: string }): Text => {
  const told = { asked: order.money, ...facts };
  const fillings: Fillings = Object.fromEntries(
    Object.entries(told).map(([name, value]) => [name, asIs(String(value).slice(0, WORD_MAX))]),
  );
  return filled(REFUSALS[reason], fillings);
};

const UNKNOWN: Text = { zh: '它没有这个订单', en: 'it does not know this order' };
const UNKNOWN_SAID: Text = { zh: '它没有这个订单（“{said}”）', en: 'it does not know this order (“{said}”)' };

/** `said`: the provider's own words. */
export const unknownText = (said: string): Text =>
  said === '' ? UNKNOWN : filled(UNKNOWN_SAID, { said: asIs(said.slice(0, WORD_MAX)) });

/** Characters of what somebody else wrote. */
const WORD_MAX = 100;
