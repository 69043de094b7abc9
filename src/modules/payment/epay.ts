/**
 * Gateways of the epay kind: the payer's browser posts a signed form, the gateway calls back with signed fields until it
 * hears `success`, and answers what became of an order. The wire knows one currency, the yuan, and never names it.
 */
import { isObject, parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { Options } from '../../options/store.ts';
import { type Outgoing, OutgoingError } from '../../platform/outgoing.ts';
import { moneyOf, moneyText } from './amount.ts';
import { isSigned, signatureOf, withSignature } from './epay-sign.ts';
import { EPAY_CURRENCY, priceOf } from './price.ts';
import {
  type Callback,
  type Notice,
  PaymentFault,
  type PaymentProvider,
  PaymentRefused,
} from './provider.ts';

const PLACES = 2;
const PAID = 'TRADE_SUCCESS';
/** Never a state of an order: only who knows the key can have signed it. */
const TEST = 'SELF_TEST';

interface EpayDeps {
  options: Options;
  outgoing: Outgoing;
}

interface Account {
  address: string;
  pid: string;
  key: string;
}

/** Null unless address, merchant and key are all set, and a method. */
export function createEpay({ options, outgoing }: EpayDeps): PaymentProvider | null {
  const account: Account = {
    address: options.get('PayAddress').replace(/\/+$/, ''),
    pid: options.get('EpayId').trim(),
    key: options.get('EpayKey'),
  };
  if (account.address === '' || account.pid === '' || account.key === '') return null;
  const methods = options.get('EpayMethods');
  if (methods.length === 0) return null;
  return {
    name: 'epay',
    methods,
    ...priceOf.epay(options),
    places: PLACES,
    create: async (order) => ({
      url: `${account.address}/submit.php`,
      method: 'POST',
      fields: withSignature(
        {
          pid: account.pid,
          type: order.method,
          out_trade_no: order.tradeNo,
          notify_url: order.notifyUrl,
          return_url: order.returnUrl,
          // Plain letters: gateways strip signs from it and then find another signature.
          name: `TOPUP${order.dollars}USD`,
          money: moneyText(order.money, order.places),
          device: 'pc',
        },
        account.key,
      ),
    }),
    verify: async (callback) => readCallback(account, fieldsOf(callback)),
    query: ({ tradeNo }) => ask(outgoing, account, tradeNo),
    // It goes by our number always.
    tradeNoOf: async () => '',
  };
}

/** By GET they stand in the address, by POST in a form. Throws PaymentRefused for more of them than any form has. */
function fieldsOf({ query, headers, body }: Callback): Record<string, string> {
  const isForm = headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') ?? false;
  const fields = isForm ? new URLSearchParams(new TextDecoder().decode(body)) : query;
  if (fields.size > limits.formNames) {
    throw new PaymentRefused('malformed', { trade_no: fields.get('out_trade_no') ?? '' });
  }
  return Object.fromEntries(fields);
}

function readCallback({ pid, key }: Account, fields: Record<string, string>): Notice {
  const tradeNo = fields.out_trade_no ?? '';
  if (!isSigned(fields, key)) throw new PaymentRefused('signature', { trade_no: tradeNo });
  if (fields.pid !== pid) throw new PaymentRefused('merchant', { trade_no: tradeNo });
  if (fields.trade_status === TEST) return { kind: 'test', proof: proofOf(tradeNo, key) };
  if (fields.trade_status !== PAID) return { kind: 'unpaid', tradeNo };
  return {
    kind: 'paid',
    tradeNo,
    money: amountOf(tradeNo, fields.money ?? ''),
    currency: EPAY_CURRENCY,
    ref: fields.trade_no ?? '',
    method: fields.type ?? '',
  };
}

function amountOf(tradeNo: string, text: string): bigint {
  const money = moneyOf(text, PLACES);
  if (money === null) throw new PaymentRefused('amount', { trade_no: tradeNo, paid: text });
  return money;
}

/** What only this server can answer to a test of that name. */
const proofOf = (name: string, key: string): string => signatureOf({ tested: name }, key);

/** The call by which the site calls itself as its gateway would, and the answer that proves that it came here. */
export function callbackTest(options: Options, notifyUrl: string): { url: string; proof: string } {
  const [pid, key] = [options.get('EpayId').trim(), options.get('EpayKey')];
  const name = crypto.randomUUID();
  const fields = withSignature({ pid, out_trade_no: name, trade_status: TEST }, key);
  return { url: `${notifyUrl}?${new URLSearchParams(fields)}`, proof: proofOf(name, key) };
}

/** `{code: 1, status: 1, money: "7.30", trade_no, type, …}`; numbers come as texts too. `code` is not 1 of an unknown order. */
async function ask(outgoing: Outgoing, { address, pid, key }: Account, tradeNo: string): Promise<Notice> {
  // The wire wants the key in the address: it must not reach a log, and follows no redirect.
  const asked = new URLSearchParams({ act: 'order', pid, key, out_trade_no: tradeNo });
  const reply = await outgoing
    .call(`${address}/api.php?${asked}`, {
      allowPrivate: true,
      redirectsMax: 0,
      maxBytes: limits.paymentAnswerBytes,
    })
    .catch((error: unknown) => {
      throw new PaymentFault(error instanceof OutgoingError ? error.fault : 'unreachable');
    });
  if (reply.status !== 200) throw new PaymentFault(`status ${reply.status}`);
  const answer = parseJson(reply.text());
  if (!isObject(answer)) throw new PaymentFault('no JSON');
  const told = (name: string): string => String(answer[name] ?? '');
  // A gateway that echoes what it was asked must not show the key.
  if (told('code') !== '1') return { kind: 'unknown', tradeNo, said: told('msg').replaceAll(key, '***') };
  if (told('status') !== '1') return { kind: 'unpaid', tradeNo };
  if (told('out_trade_no') !== tradeNo) throw new PaymentRefused('order', { trade_no: tradeNo });
  if (told('pid') !== '' && told('pid') !== pid) throw new PaymentRefused('merchant', { trade_no: tradeNo });
  return {
    kind: 'paid',
    tradeNo,
    money: amountOf(tradeNo, told('money')),
    currency: EPAY_CURRENCY,
    ref: told('trade_no'),
    method: told('type'),
  };
}
