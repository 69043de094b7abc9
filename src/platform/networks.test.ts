import { describe, expect, test } from 'bun:test';
import { inRanges, isPublicAddress, parseAddress, parseNetwork } from './networks.ts';

const address = (text: string) => {
  const parsed = parseAddress(text);
  if (!parsed) throw new Error(`${text} is no address`);
  return parsed;
};

describe('public addresses', () => {
  test.each(['8.8.8.8', '1.1.1.1', '2606:4700::1111'])('%s is one', (text) => {
    expect(isPublicAddress(address(text))).toBe(true);
  });

  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '168.63.129.16',
    '172.16.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::a00:1',
    '64:ff9b:1::a00:1',
    '200::1',
    '4000::1',
    'fe00::1',
    'fec0::1',
    '::7f00:1',
    '::a9fe:a9fe',
    '::808:808',
    'fc00::1',
    'fe80::1',
  ])('%s is none', (text) => {
    expect(isPublicAddress(address(text))).toBe(false);
  });
});

test('shorthand, octal and decimal forms are no addresses', () => {
  for (const text of ['127.1', '0177.0.0.1', '2130706433', '010.0.0.1', '1.2.3.256', 'fe80::1%eth0', '']) {
    expect(parseAddress(text)).toBeNull();
  }
});

test('a bare address is a network of one, and a mapped address matches its IPv4 network', () => {
  const networks = ['10.0.0.0/8', '2001:db8::1'].map(parseNetwork).filter((network) => network !== null);
  expect(inRanges(address('10.9.9.9'), networks)).toBe(true);
  expect(inRanges(address('::ffff:10.9.9.9'), networks)).toBe(true);
  expect(inRanges(address('11.0.0.1'), networks)).toBe(false);
  expect(inRanges(address('2001:db8::1'), networks)).toBe(true);
  expect(inRanges(address('2001:db8::2'), networks)).toBe(false);
});

test('what is not a network is refused', () => {
  for (const text of ['10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/8/9', '10.0.0.0/', 'example.com', '1.2.3']) {
    expect(parseNetwork(text)).toBeNull();
  }
});
