/** The signature of epay gateways, written a second time from its description, so that both sides are not wrong alike. */

export const EPAY = { pid: '1001', key: 'a-merchant-key-of-tests' };

type Fields = Record<string, string>;

export function epaySignature(fields: Fields, key: string): string {
  const names = Object.keys(fields).filter((name) => !['sign', 'sign_type'].includes(name));
  let text = '';
  for (const name of names.sort()) {
    if (!fields[name]) continue;
    text += `${text ? '&' : ''}${name}=${fields[name]}`;
  }
  return new Bun.CryptoHasher('md5').update(text).update(key).digest('hex');
}

export const epaySigned = (fields: Fields, key = EPAY.key): Fields => ({
  ...fields,
  sign: epaySignature(fields, key),
  sign_type: 'MD5',
});

/** The callback of a paid order. */
export const epayPaid = (order: { tradeNo: string; money: string }, over: Fields = {}): Fields => ({
  pid: EPAY.pid,
  trade_no: `E${order.tradeNo.slice(0, 20)}`,
  out_trade_no: order.tradeNo,
  type: 'alipay',
  name: 'TOPUP1USD',
  money: order.money,
  trade_status: 'TRADE_SUCCESS',
  ...over,
});
