import { describe, expect, it } from 'bun:test';
import compile from 'icu-minify/compile';
import { translatorOf } from './i18n.ts';
import { translatorFor } from './translator-for.ts';

const texts: Record<string, string> = {
  'log.streamed': 'streamed',
  'token.count': '{count, plural, one {{count} token} other {{count} tokens}}',
  'money.units': "{units} of {name}, {name}, '{name}'",
};

const compiledTexts = (key: string) => {
  const text = texts[key];
  return text === undefined ? undefined : compile(text);
};

describe('the translator', () => {
  const t = translatorOf('en', compiledTexts);

  it('chooses the plural by the number', () => {
    expect(t('token.count', { count: 1 })).toBe('1 token');
    expect([0, 2, 1.5, -3, 12_345].map((count) => t('token.count', { count }))).toEqual([
      '0 tokens',
      '2 tokens',
      '1.5 tokens',
      '-3 tokens',
      '12345 tokens',
    ]);
    expect(t('log.streamed', { count: 1 })).toBe('streamed');
    expect(translatorOf('zh', compiledTexts)('token.count', { count: 1 })).toBe('1 tokens');
  });

  it('fills the holes as the values are written', () => {
    expect(t('money.units', { units: 0, name: '$& {units} <b>' })).toBe(
      '0 of $& {units} <b>, $& {units} <b>, {name}',
    );
    expect(t('money.units', { units: null, name: undefined })).toBe(' of , , {name}');
  });

  it('has for a key without a text the key', () => {
    const without = translatorOf('en', () => undefined);
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
