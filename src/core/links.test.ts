import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { fillLink, isWebLink, linkTarget } from './links.ts';

const fillings = { address: 'https://gate.example:8443/x?y', key: 'sk-a+b&c=d#e' };

describe('a link that is filled in', () => {
  it('carries key and address as parts of an address', () => {
    expect(fillLink('https://chat.example/?k={key}&u={address}/v1', fillings)).toBe(
      'https://chat.example/?k=sk-a%2Bb%26c%3Dd%23e&u=https%3A%2F%2Fgate.example%3A8443%2Fx%3Fy/v1',
    );
    expect(fillLink('opencat://team/join?domain={address}&token={key}', fillings)).toStartWith(
      'opencat://team/join?domain=https%3A',
    );
  });

  it('begins with this site’s own address as it is', () => {
    const { key } = fillings;
    expect(fillLink('{address}/chat?k={key}', { address: 'https://gate.example', key })).toStartWith(
      'https://gate.example/chat?k=sk-a%2B',
    );
  });

  it.each([
    '',
    'javascript:alert("{key}")',
    'data:text/html,{key}',
    '//evil.example',
    'file:///{key}',
    'https://',
  ])('is none that may be opened: %s', (link) => {
    expect(fillLink(link, fillings)).toBeNull();
  });

  it('leads where the operator meant, whatever key and address are', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (key, address) => {
        fc.pre(key.isWellFormed() && address.isWellFormed());
        const filled = fillLink('https://chat.example/a?k={key}&u={address}', { key, address });
        const url = new URL(filled ?? '');
        expect([url.host, url.pathname, url.hash]).toEqual(['chat.example', '/a', '']);
        expect([url.searchParams.get('k'), url.searchParams.get('u')]).toEqual([key, address]);
      }),
    );
  });

  it('names the host of a page and the scheme of an app', () => {
    expect([linkTarget('https://chat.example:444/x'), isWebLink('https://chat.example')]).toEqual([
      'chat.example:444',
      true,
    ]);
    expect([linkTarget('cherrystudio://providers'), isWebLink('cherrystudio://x')]).toEqual([
      'cherrystudio',
      false,
    ]);
  });
});
