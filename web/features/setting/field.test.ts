import { describe, expect, it } from 'bun:test';
import { translatorFor } from '../../lib/translator-for.ts';
import {
  differencesOf,
  fieldError,
  inSavingOrder,
  type OptionField,
  savedTogether,
  sentValue,
} from './field.ts';

const t = translatorFor('en');
const field = (own: Partial<OptionField>): OptionField => ({
  key: 'SystemName',
  panel: 'operation',
  block: 'b',
  kind: 'text',
  label: 'X',
  value: '',
  is_set: false,
  secret: false,
  ...own,
});

describe('a settings field', () => {
  it('takes valid JSON only', () => {
    expect(fieldError(field({ kind: 'json' }), '{"a": 1', t)).toBe('Not a valid JSON string');
    expect(fieldError(field({ kind: 'json' }), '{"a": 1}', t)).toBeUndefined();
  });

  it('keeps numbers within their bounds', () => {
    const share = field({ kind: 'decimal', min: 0.1, max: 1 });
    expect(fieldError(share, '0.05', t)).toBe('Must be at least 0.1');
    expect(fieldError(share, '1.1', t)).toBe('Must be at most 1');
    expect(fieldError(share, '0.8', t)).toBeUndefined();
    expect(fieldError(share, 'lots', t)).toBe('Please enter a number');
    expect(fieldError(field({ kind: 'integer', min: 0 }), '2.5', t)).toBe('Please enter a whole number');
  });

  it('goes back to the default instead of storing its text', () => {
    expect(sentValue(field({ default: '2' }), '2')).toBeNull();
    expect(sentValue(field({ default: '2' }), '3')).toBe('3');
    expect(sentValue(field({ value: '2' }), '3')).toBe('3');
  });

  it('is saved together with the secret that goes to the address which it forms', () => {
    const smtp = { with_secret: 'SMTPToken' } as const;
    const [host, name, port, token] = [
      field({ key: 'SMTPServer', ...smtp }),
      field({ key: 'SystemName' }),
      field({ key: 'SMTPPort', ...smtp }),
      field({ key: 'SMTPToken', ...smtp }),
    ] as const;
    const keys = savedTogether([host, name, port, token].map((one) => [one, 'x'])).map((group) =>
      group.map(([{ key }]) => key),
    );
    expect(keys).toEqual([['SMTPServer', 'SMTPPort', 'SMTPToken'], ['SystemName']]);
  });

  it('switches off before what it needs is emptied, and on after it has been filled', () => {
    const [off, id, on] = [
      field({ key: 'oidc.enabled', kind: 'boolean' }),
      field({ key: 'oidc.client_id' }),
      field({ key: 'LinuxDOOAuthEnabled', kind: 'boolean' }),
    ];
    const sent = inSavingOrder([
      [on, 'true'],
      [id, 'x'],
      [off, 'false'],
    ]);
    expect(sent.map(([one]) => one.key)).toEqual([off.key, id.key, on.key]);
  });

  it('tells what a change changes, entry by entry', () => {
    expect(differencesOf('{"a": 1, "b": 2}', '{"b": 3, "c": 4, "a": 1.0}')).toEqual([
      { name: 'b', before: '2', after: '3' },
      { name: 'c', before: null, after: '4' },
    ]);
    expect(differencesOf('2', '3')).toEqual([{ name: '', before: '2', after: '3' }]);
  });
});
