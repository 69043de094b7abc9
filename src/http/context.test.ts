import { expect, it } from 'bun:test';
import { readEnv } from '../env.ts';
import { clientIpOf, type PeerSource } from './context.ts';

const env = readEnv({ TRUSTED_PROXIES: '127.0.0.0/8,0.0.0.0/0' });
const peer = (address: string | null): PeerSource => ({
  requestIP: () => (address === null ? null : { address }),
});
const forwarded = (by: string) => new Request('http://localhost/', { headers: { 'x-forwarded-for': by } });

it.each<[string, PeerSource | null, ReturnType<typeof clientIpOf>]>([
  ['a proxy of ours is believed', peer('127.0.0.1'), { ip: '203.0.113.9', fromProxy: true }],
  ['a call in process is the machine’s own', null, { ip: '203.0.113.9', fromProxy: true }],
  ['a peer that has gone is no proxy of ours', peer(null), { ip: '0.0.0.0', fromProxy: false }],
])('%s', (_what, server, found) => {
  expect(clientIpOf(forwarded('203.0.113.9'), env, server)).toEqual(found);
});

it.each<[how: string, by: string, ip: string]>([
  ['with the port of a connection', '203.0.113.9:5001', '203.0.113.9'],
  ['of IPv6 with one', '[2001:db8::9]:5001', '2001:db8::9'],
  ['of IPv6 in brackets', '[2001:db8::9]', '2001:db8::9'],
  ['of IPv6 alone', '2001:db8::9', '2001:db8::9'],
  ['of IPv4 as IPv6, with one', '[::ffff:203.0.113.9]:5001', '203.0.113.9'],
  ['of a further proxy with one', '203.0.113.9:5001, 127.0.0.2:80', '203.0.113.9'],
  ['that is none', '203.0.113.9, unknown', '127.0.0.1'],
  ['that is none, behind a further proxy', '203.0.113.9, _hidden:7, 127.0.0.2', '127.0.0.2'],
  ['with more than a port', '203.0.113.9:5001:2', '127.0.0.1'],
])('reads an address %s', (_how, by, ip) => {
  const own = readEnv({ TRUSTED_PROXIES: '127.0.0.0/8' });
  expect(clientIpOf(forwarded(by), own, peer('127.0.0.1')).ip).toBe(ip);
});
