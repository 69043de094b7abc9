import { expect, it } from 'bun:test';
import { readEnv } from '../env.ts';
import { clientIpOf, type PeerSource } from './context.ts';

const env = readEnv({ TRUSTED_PROXIES: '127.0.0.0/8,0.0.0.0/0' });
const peer = (address: string | null): PeerSource => ({
  requestIP: () => (address === null ? null : { address }),
});
const request = new Request('http://localhost/', { headers: { 'x-forwarded-for': '203.0.113.9' } });

it.each<[string, PeerSource | null, ReturnType<typeof clientIpOf>]>([
  ['a proxy of ours is believed', peer('127.0.0.1'), { ip: '203.0.113.9', fromProxy: true }],
  ['a call in process is the machine’s own', null, { ip: '203.0.113.9', fromProxy: true }],
  ['a peer that has gone is no proxy of ours', peer(null), { ip: '0.0.0.0', fromProxy: false }],
])('%s', (_what, server, found) => {
  expect(clientIpOf(request, env, server)).toEqual(found);
});
