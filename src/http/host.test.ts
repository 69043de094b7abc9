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
    `${'a'.repeat(300)}`,
  ])('is not %j', (host) => expect(isHost(host)).toBe(false));
});
