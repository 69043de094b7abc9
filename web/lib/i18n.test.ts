import { describe, expect, it } from 'bun:test';
import { translatorFor, translatorOf } from './i18n.ts';

const texts = {
  'log.streamed': 'streamed',
  'token.count_one': '{{count}} token',
  'token.count_other': '{{count}} tokens',
  'money.units_other': '{{units}} of {{name}}, {{ name }}',
};

describe('the translator', () => {
  const t = translatorOf('en', texts);

  it('chooses the plural by the number under count, and none by a text', () => {
    expect(t('token.count', { count: 1 })).toBe('1 token');
    expect([0, 2, 1.5, -3].map((count) => t('token.count', { count }))).toEqual([
      '0 tokens',
      '2 tokens',
      '1.5 tokens',
      '-3 tokens',
    ]);
    expect(t('token.count', { count: '1' })).toBe('token.count');
    expect(t('log.streamed', { count: 1 })).toBe('streamed');
    expect(translatorOf('zh', texts)('token.count', { count: 1 })).toBe('1 tokens');
  });

  it('fills the holes as the values are written, and leaves those that nobody gave', () => {
    expect(t('money.units_other', { units: 0, name: '$& $1 {{units}} $t(log.streamed) <b>' })).toBe(
      '0 of $& $1 {{units}} $t(log.streamed) <b>, $& $1 {{units}} $t(log.streamed) <b>',
    );
    expect(t('money.units_other', { units: null, name: undefined })).toBe(' of , ');
    expect(t('money.units_other', { units: 1 })).toBe('1 of {{name}}, {{ name }}');
  });

  it('has for a key without a text the key', () => {
    const without = translatorOf('en', {});
    expect([without('log.streamed'), without('token.count', { count: 1 })]).toEqual([
      'log.streamed',
      'token.count',
    ]);
  });

  it('is made once for a language', () => {
    expect(translatorFor('zh')).toBe(translatorFor('zh'));
    expect(translatorFor('zh')).not.toBe(translatorFor('en'));
  });
});
