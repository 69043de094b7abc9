import { describe, expect, it } from 'bun:test';
import { translatorFor } from '@/lib/translator-for.ts';
import { phoneErrors } from './phone-rules.ts';

async function errors(phone: string, code: string, lng: 'en' | 'zh' = 'en') {
  return phoneErrors({ phone, code }, translatorFor(lng));
}

describe('the rules of a phone number and its code', () => {
  it('let eleven digits pass that begin with 1 and 3 to 9', async () => {
    for (const phone of ['13000000000', '19999999999', ' 13800138000 ']) {
      expect(await errors(phone, '123456')).toEqual({ phone: undefined, code: undefined });
    }
  });

  it('speak the words of the specification, in both languages', async () => {
    expect(await errors(' ', ' ')).toEqual({
      phone: 'Please enter phone number',
      code: 'Please enter the verification code',
    });
    expect(await errors('', '', 'zh')).toEqual({ phone: '请输入手机号', code: '请输入验证码' });
    for (const phone of ['12000000000', '23800138000', '1380013800', '138001380000', '1380013800x']) {
      expect((await errors(phone, '1')).phone).toBe('Please enter a correct phone number');
      expect((await errors(phone, '1', 'zh')).phone).toBe('请输入正确的手机号');
    }
  });
});
