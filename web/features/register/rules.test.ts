import { describe, expect, it } from 'bun:test';
import { translatorFor } from '@/lib/translator-for.ts';
import { type RegisterValues, registerErrors } from './rules.ts';

const sound: RegisterValues = {
  username: 'ann',
  password: 'Passw0rd1',
  password2: 'Passw0rd1',
  email: '',
  code: '',
};

async function errors(fields: Partial<RegisterValues>, lng: 'en' | 'zh' = 'en', isEmailNeeded = false) {
  const t = translatorFor(lng);
  const all = registerErrors({ ...sound, ...fields }, { isEmailNeeded, t });
  return Object.fromEntries(Object.entries(all).filter(([, text]) => text !== undefined));
}

describe('the rules of registration', () => {
  it('let a sound form pass', async () => {
    expect(await errors({})).toEqual({});
    expect(
      await errors({ username: 'x'.repeat(12), password: 'x'.repeat(20), password2: 'x'.repeat(20) }),
    ).toEqual({});
  });

  it('speak the words of the specification, in both languages', async () => {
    expect(await errors({ username: ' ' })).toEqual({ username: 'Please enter username and password' });
    expect(await errors({ password: '', password2: '' }, 'zh')).toEqual({ password: '请输入用户名和密码' });
    expect(await errors({ password: 'short12', password2: 'short12' })).toEqual({
      password: 'Password length must not be less than 8',
    });
    expect(await errors({ password2: 'Passw0rd2' })).toEqual({ password2: 'The two passwords do not match' });
    expect(await errors({ password2: 'Passw0rd2' }, 'zh')).toEqual({ password2: '两次输入的密码不一致' });
    expect(await errors({ username: 'x'.repeat(13) })).toEqual({
      username: 'The username may have at most 12 characters',
    });
  });

  it('ask for a code with every mailbox, and for both where the site wants them', async () => {
    expect(Object.keys(await errors({ email: 'a@example.com' }))).toEqual(['code']);
    expect(Object.keys(await errors({}, 'en', true))).toEqual(['email', 'code']);
    expect(await errors({ email: 'a@example.com', code: '123456' }, 'en', true)).toEqual({});
  });
});
