/** Names, looked up by c-ares at a name server of the test's own. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { getServers, setServers } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { type DnsServer, startDnsServer } from '../../tests/support/dns-server.ts';
import { limits } from '../core/limits.ts';
import { type Asker, createNames, type Resolve } from './names.ts';
import { createOutgoing } from './outgoing.ts';

const V4 = '93.184.216.34';
const V6 = '2606:2800:220:1:248:1893:25c8:1946';

let server: DnsServer;
const usual = getServers();
beforeAll(async () => {
  server = await startDnsServer((name) => {
    const [kind = ''] = name.split(/[.-]/);
    if (kind === 'silent') return 'silent';
    if (kind === 'four' || kind === 'redis') return { v4: [V4] };
    if (kind === 'six') return { v6: [V6] };
    if (kind === 'both') return { v4: [V4], v6: [V6] };
    if (kind === 'alias') return { v4: [V4], alias: 'far.test' };
    if (kind === 'crowd')
      return { v4: Array.from({ length: limits.addressesOfName + 1 }, (_, n) => `93.184.0.${n}`) };
    return kind === 'empty' ? {} : null;
  });
  setServers([server.address]);
});
beforeEach(() => {
  server.asked.length = 0;
});
afterAll(() => {
  setServers(usual);
  server.close();
});

const names = (lookUpMs?: number) => createNames(() => [server.address], lookUpMs);
const found = async (resolve: Resolve, name: string, asker?: Asker) =>
  resolve(name, asker).catch((error: unknown) => (error instanceof Error ? error.name : 'none'));
const user = (n: number, network = 'one'): Asker => ({ who: `user:${n}`, network });

describe('a name', () => {
  it.each([
    ['four.test', [V4]],
    ['six.test', [V6]],
    ['alias.test', [V4]],
    // A container's, without a dot.
    ['redis', [V4]],
  ])('%s leads to %p', async (name, addresses) => {
    expect(await names()(name)).toEqual(addresses);
  });

  it('is read from /etc/hosts, of which no server is asked', async () => {
    expect(await names()('localhost')).toContain('127.0.0.1');
  });

  it('with addresses of both kinds has both', async () => {
    expect((await names()('both.test')).toSorted()).toEqual([V6, V4].toSorted());
  });

  it.each(['nowhere.test', 'empty.test', 'a..b', `${'x'.repeat(64)}.test`])(
    '%p is found nowhere',
    async (name) => {
      expect(await found(names(), name)).toBe('DNSException');
    },
  );

  it('that was not found is not asked for again at once', async () => {
    const resolve = names();
    for (let n = 0; n < 3; n++) expect(await found(resolve, 'nowhere-again.test')).not.toBe('none');
    expect(new Set(server.asked)).toEqual(new Set(['nowhere-again.test']));
    expect(server.asked).toHaveLength(2);
  });

  it('for which many ask at once is asked for once', async () => {
    const resolve = names();
    await Promise.all(Array.from({ length: limits.nameLooksAtOnce + 1 }, () => resolve('four-many.test')));
    expect(server.asked).toHaveLength(2);
  });

  it('with more addresses than services have counts as none, and counts as one of its asker’s', async () => {
    const resolve = names(500);
    const crowds = Array.from({ length: limits.nameLooksOfOneAtOnce }, (_, n) =>
      found(resolve, `crowd-${n}.test`, user(1)),
    );
    expect(new Set(await Promise.all(crowds))).toEqual(new Set(['CrowdedName']));
    expect(await found(resolve, 'four-behind.test', user(1))).not.toEqual([V4]);
    expect(await found(resolve, 'four-behind.test', user(2))).toEqual([V4]);
  });

  it('that is found stays with c-ares for as long as it says, and no more of them than may be', async () => {
    const resolve = names();
    const look = async (name: string) => {
      server.asked.length = 0;
      await resolve(name);
      return server.asked.length;
    };
    expect([await look('four-kept.test'), await look('four-kept.test')]).toEqual([2, 0]);
    for (let n = 0; n < limits.nameAnswersKept / 2; n++) await resolve(`four-${n}.kept.test`);
    expect(await look('four-kept.test')).toBe(2);
  });
});

describe('names of which nobody answers, or too much', () => {
  it('keep no thread and nobody else’s name', async () => {
    const resolve = names(300);
    const silent = Array.from({ length: 20 }, (_, n) => found(resolve, `silent-${n}.test`, user(1)));
    await readFile('/etc/hosts');
    expect(await found(resolve, 'four-beside.test', user(2))).toEqual([V4]);
    expect(await found(resolve, 'four-operator.test')).toEqual([V4]);
    expect((await Promise.all(silent)).filter(Array.isArray)).toEqual([]);
    // It is known of those that were asked for.
    server.asked.length = 0;
    expect(await found(resolve, 'silent-0.test', user(2))).toBe('Error');
    expect(server.asked).not.toContain('silent-0.test');
  });

  it('leave one who asks for more than may wait without any', async () => {
    const resolve = names(300);
    const most = limits.nameLooksOfOneAtOnce + limits.nameLooksOfOneWaiting;
    const many = Array.from({ length: most }, (_, n) => found(resolve, `silent-${n}.busy.test`, user(1)));
    const outgoing = createOutgoing([], resolve);
    const one = outgoing.target('https://four-more.test/', { asker: user(1) });
    expect(await one.catch((error: { fault: string }) => error.fault)).toBe('busy');
    expect((await Promise.all(many)).filter(Array.isArray)).toEqual([]);
  });

  it.each(['silent', 'crowd'])(
    'as %s names of many users and networks, are in the way of no other’s, neighbour’s, nor of the operator’s',
    async (kind) => {
      const resolve = names(1_000);
      const { nameLooksAtOnce, nameLooksOfOneAtOnce: each } = limits;
      const bad: Promise<unknown>[] = [];
      for (let n = 0; n < nameLooksAtOnce; n++) {
        const asker = user(Math.floor(n / each), `network-${Math.floor(n / each) % 2}`);
        bad.push(found(resolve, `${kind}-${n}.all.test`, asker));
        // The server's socket has no room for so many questions at once.
        if (n % each === 0) await Bun.sleep(0);
      }
      expect(await found(resolve, `four-operator.${kind}.test`)).toEqual([V4]);
      expect(await found(resolve, `four-beside.${kind}.test`, user(99))).toEqual([V4]);
      expect(await found(resolve, `four-behind.${kind}.test`, user(98, 'network-0'))).toEqual([V4]);
      expect((await Promise.all(bad)).filter(Array.isArray)).toEqual([]);
    },
  );
});
