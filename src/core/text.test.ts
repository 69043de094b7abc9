import { describe, expect, it } from 'bun:test';
import { asIs, fill } from './text.ts';

describe('a text with holes', () => {
  const off = { zh: '未开启通过 {provider} 登录', en: 'Signing in with {provider} is off' };
  const wechat = { zh: '微信', en: 'WeChat' };

  it('is filled with numbers, names and words of the reader’s language', () => {
    const text = { zh: '{n} 个 {what}：{name}', en: '{n} {what}: {name}' };
    const values = { n: 3, what: { zh: '渠道', en: 'channels' }, name: asIs('a b' as string) };
    expect(fill(text, values, 'zh')).toBe('3 个渠道：a b');
    expect(fill(text, values, 'en')).toBe('3 channels: a b');
  });

  it('has blanks around names in Latin only, where it is Chinese', () => {
    expect(fill(off, { provider: wechat }, 'zh')).toBe('未开启通过微信登录');
    expect(fill(off, { provider: asIs('GitHub' as string) }, 'zh')).toBe('未开启通过 GitHub 登录');
    expect(fill(off, { provider: wechat }, 'en')).toBe('Signing in with WeChat is off');
    expect(fill({ zh: '绑定 SMTP {what}', en: '' }, { what: wechat }, 'zh')).toBe('绑定 SMTP 微信');
  });

  it('stays empty where nothing is given', () => {
    expect(fill(off, {}, 'en')).toBe('Signing in with  is off');
  });
});
