import { describe, expect, it } from 'bun:test';
import { translatorFor } from '../../lib/translator-for.ts';
import {
  deleteErrors,
  emailErrors,
  isEmail,
  type NotifyValues,
  notifyErrors,
  passwordErrors,
} from './rules.ts';

const [zh, en] = [translatorFor('zh'), translatorFor('en')];

describe('a new password', () => {
  it.each(['Abcdefg1', 'a2345678901234567890', 'with 1 space', 'пароль1a'])('may be %s', (password) => {
    expect(passwordErrors({ password, again: password }, zh)).toEqual({});
  });

  it.each(['short1', 'lettersonly', '1234567890', 'a1'.repeat(11), '密码密码密码密码'])(
    'may not be %s, in the specification’s words',
    (password) => {
      const given = { password, again: password };
      expect(passwordErrors(given, zh).password).toBe('密码必须由英文、数字组成，且长度在8-20之间！');
      expect(passwordErrors(given, en).password).toBe(
        'The password must have letters and digits and 8 to 20 characters!',
      );
    },
  );

  it('is needed, twice, and alike', () => {
    expect(passwordErrors({ password: '', again: '' }, zh)).toEqual({
      password: '请输入新密码',
      again: '请再次输入新密码',
    });
    expect(passwordErrors({ password: 'Abcdefg1', again: 'Abcdefg2' }, zh).again).toBe(
      '两次输入的密码不一致！',
    );
    expect(passwordErrors({ password: 'Abcdefg1', again: 'Abcdefg2' }, en).again).toBe(
      'The two passwords do not match!',
    );
  });
});

describe('the account to be deleted', () => {
  it('is typed exactly', () => {
    expect(deleteErrors({ username: 'Alice' }, 'Alice', zh)).toEqual({ username: undefined });
    for (const username of ['alice', 'Alice ', ' Alice', 'bob']) {
      expect(deleteErrors({ username }, 'Alice', zh).username).toBe('账户名不正确！');
      expect(deleteErrors({ username }, 'Alice', en).username).toBe('The account name is not right!');
    }
    expect(deleteErrors({ username: '' }, 'Alice', zh).username).toBe('请输入账户名');
  });
});

describe('a mailbox', () => {
  it('has something on both sides of its @', () => {
    for (const good of ['a@b.cn', ' first.last+tag@mail.example.com ']) expect(isEmail(good)).toBe(true);
    for (const bad of ['', 'a', 'a@b', '@b.cn', 'a b@c.cn', 'a@b@c.cn']) expect(isEmail(bad)).toBe(false);
  });

  it('is bound with the code that went there', () => {
    expect(emailErrors({ email: '', code: '' }, zh)).toEqual({
      email: '请输入邮箱地址',
      code: '请输入验证码',
    });
    expect(emailErrors({ email: 'nobody', code: '1' }, en).email).toBe('The email address is not valid');
  });
});

describe('the settings of warnings', () => {
  const values: NotifyValues = {
    type: 'email',
    threshold: '100000',
    url: '',
    secret: '',
    email: '',
    code: '',
  };
  const wrong = (over: Partial<NotifyValues>, proved: string[] = ['me@example.com']) =>
    notifyErrors({ ...values, ...over }, proved, zh);

  it('are right as they begin', () => {
    expect(wrong({})).toEqual({});
  });

  it('want a whole number of units as threshold', () => {
    for (const threshold of ['0', '1', '9007199254740991']) expect(wrong({ threshold })).toEqual({});
    for (const threshold of ['', '-1', '1.5', '1e5', '9007199254740992']) {
      expect(wrong({ threshold }).threshold).toBe('请填写不小于 0 的整数');
    }
  });

  it('want an https address only where a webhook is chosen', () => {
    expect(wrong({ type: 'webhook' }).url).toBe('请填写 Webhook 地址');
    for (const url of [
      'http://a.example.com',
      'ftp://a.example.com',
      'a.example.com',
      'https://u:p@a.example.com',
    ])
      expect(wrong({ type: 'webhook', url }).url).toBe(
        'Webhook 地址必须以 https:// 开头，且不含用户名和密码',
      );
    expect(wrong({ type: 'webhook', url: ' https://a.example.com/x ' })).toEqual({});
    expect(wrong({ type: 'email', url: 'http://a.example.com' })).toEqual({});
  });

  it('want a code for a mailbox that is not proved', () => {
    expect(wrong({ email: 'Me@Example.com' })).toEqual({});
    expect(wrong({ email: 'other@example.com' })).toEqual({ code: '请输入验证码' });
    expect(wrong({ email: 'other@example.com', code: '123456' })).toEqual({});
    expect(wrong({ email: 'other' }).email).toBe('邮箱格式不正确');
  });
});
