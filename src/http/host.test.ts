import { describe, expect, it } from 'bun:test';
import { isHost } from './host.ts';

describe('a host', () => {
  it.each([
    'x',
    'localhost:3000',
    'gateway.example',
    'gateway.example.',
    'a_b.example',
    '127.0.0.1',
    '[::1]:80',
  ])('may be %s', (host) => expect(isHost(host)).toBe(true));

  it.each([
    '',
    ' ',
    'a b',
    'u@h',
    'u:p@h',
    'a/b',
    'a?b',
    'a#b',
    'a\\b',
    'a, b',
    'a:b',
    'a:',
    'a:123456',
    '[::1',
    '%41',
    'é',
    'a..b',
    'a:65536',
    'a:99999',
    'xn--',
    'a.xn--.b',
    '1.2.3.999',
    '1.2.3.4.5',
    '[:::]',
    `${'a'.repeat(300)}`,
  ])('is not %j', (host) => expect(isHost(host)).toBe(false));
});
