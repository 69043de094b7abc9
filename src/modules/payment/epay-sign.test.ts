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

describe('the signature of epay', () => {
  it('is MD5 over the ordered, unencoded, non-empty fields and the key', () => {
    // printf '%s' 'money=7.30&name=充值 $1&notify_url=https://a.example/api/user/epay/notify?x=1&y=2&out_trade_no=T1&pid=1001&type=alipaymerchant-key' | md5sum
    expect(signatureOf(fields, KEY)).toBe('0b6ab4245e661d172dcf0e95e59bcfa8');
  });

  it('holds for what it signed, in whatever order and case it comes', () => {
    const signed = withSignature(fields, KEY);
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
    expect(isSigned({ ...withSignature(fields, KEY), ...over }, KEY)).toBe(false);
  });

  it('never holds without a key', () => {
    expect(isSigned(withSignature(fields, ''), '')).toBe(false);
  });
});
