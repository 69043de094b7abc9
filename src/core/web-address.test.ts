import { expect, it } from 'bun:test';
import { policyOrigin } from './web-address.ts';

it.each([
  ['https://a.example/x?y', 'https://a.example'],
  ['http://[::1]:8080/', 'http://[::1]:8080'],
  ['HTTPS://A.example:443', 'https://a.example'],
])('of %s a policy names %s', (address, origin) => {
  expect(policyOrigin(address)).toBe(origin);
});

it.each([
  'https://a.example;sandbox',
  'https://a%3Bsandbox/',
  'https://a.example,b',
  "https://'self'",
  'https://*.example',
  'ftp://a.example',
  'nothing',
  '',
])('nothing of %s stands in a policy', (address) => {
  expect(policyOrigin(address)).toBe('');
});
