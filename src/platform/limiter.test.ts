import { describe, expect, it } from 'bun:test';
import { networkRules, providerSubject } from './limiter.ts';

describe('what is counted by where it comes from', () => {
  it('counts one address of IPv4 as one subscriber', () => {
    expect(networkRules('tries', 5, 60, '203.0.113.7')).toEqual([
      { key: 'tries:203.0.113.7', limit: 5, windowSec: 60 },
    ]);
  });

  it('counts one of IPv6 with all around it, of which the larger may do more', () => {
    expect(networkRules('tries', 5, 60, '2001:db8:7:9::1')).toEqual([
      { key: 'tries:2001:db8:7:9::/64', limit: 5, windowSec: 60 },
      { key: 'tries:2001:db8:7::/48', limit: 40, windowSec: 60 },
      { key: 'tries:2001:db8::/32', limit: 320, windowSec: 60 },
    ]);
  });

  it.each([
    ['203.0.113.7', '203.0.0.0/16'],
    ['::ffff:203.0.113.7', '203.0.0.0/16'],
    ['2001:db8:7:9::1', '2001:db8::/32'],
    ['no address', 'no address'],
  ])('knows the network of a provider around %s', (ip, network) => {
    expect(providerSubject(ip)).toBe(network);
  });
});
