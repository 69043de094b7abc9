import { describe, expect, it } from 'bun:test';
import { isSigned, signatureOf, withSignature } from './epay-sign.ts';

const KEY = 'merchant-key';
const fields = {
  pid: '1001',
  type: 'alipay',
  out_trade_no: 'T1',
  notify_url: 'https://a.example/api/user/epay/notify?x=1&y=2',
  name: '充值 $1',
  money: '7.30',
  param: '',
};

/** Those of an order, which are signed for its payer. */
const ordered = { ...fields, notify_url: 'https://a.example/api/user/epay/notify' };

describe('the signature of epay', () => {
  it('is MD5 over the ordered, unencoded, non-empty fields and the key', () => {
    // printf '%s' 'money=7.30&name=充值 $1&notify_url=https://a.example/api/user/epay/notify?x=1&y=2&out_trade_no=T1&pid=1001&type=alipaymerchant-key' | md5sum
    expect(signatureOf(fields, KEY)).toBe('0b6ab4245e661d172dcf0e95e59bcfa8');
  });

  it('holds for what it signed, in whatever order and case it comes', () => {
    const signed = withSignature(ordered, KEY);
    expect(isSigned(signed, KEY)).toBe(true);
    expect(isSigned(Object.fromEntries(Object.entries(signed).reverse()), KEY)).toBe(true);
    expect(isSigned({ ...signed, sign: signed.sign?.toUpperCase() ?? '' }, KEY)).toBe(true);
  });

  it.each([
    ['another amount', { money: '0.01' }],
    ['another order', { out_trade_no: 'T2' }],
    ['a further field', { param: 'x' }],
    ['no signature', { sign: '' }],
  ])('does not hold with %s', (_, over) => {
    expect(isSigned({ ...withSignature(ordered, KEY), ...over }, KEY)).toBe(false);
  });

  it('is given to no field that could be read as two', () => {
    const twofold = { ...ordered, return_url: 'https://a.example&trade_status=TRADE_SUCCESS' };
    expect(() => withSignature(twofold, KEY)).toThrow('return_url');
  });

  it('is neither given nor found to hold without a key', () => {
    expect(() => withSignature(ordered, '')).toThrow('key');
    expect(isSigned({ ...fields, sign: signatureOf(fields, '') }, '')).toBe(false);
  });
});
