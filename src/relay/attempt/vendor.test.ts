import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { channel } from '../../../tests/support/routed-channel.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import { createCutList } from '../../platform/cut.ts';
import { createOutgoing } from '../../platform/outgoing.ts';
import { createDialer, type Dialer } from './dial.ts';
import { asker, vendorCall } from './vendor.ts';

const ANSWERLESS: Dialer['open'] = (_request, { signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

it('a call of a provider’s own ends when the grace of a stop is over', async () => {
  const stop = new AbortController();
  const dialer: Dialer = {
    open: ANSWERLESS,
    socket: () => Promise.reject(new Error('not asked')),
    wasRead: () => undefined,
  };
  const call = vendorCall(channel(1), { dialer, cut: createCutList(stop) });
  const asking = call({ method: 'POST', url: 'http://vendor.example/token', headers: {} });
  stop.abort();
  expect(await asking.catch((error: unknown) => error)).toMatchObject({ name: 'AbortError' });
});

describe('an address that a key or an answer names, of a channel that may be private', () => {
  const names: Record<string, string> = { 'inside.example': '10.0.0.7', 'far.example': '93.184.216.34' };
  const outgoing = createOutgoing([], async (name) => [names[name] ?? '127.0.0.1']);
  const dialer = createDialer(outgoing);
  let inside: Bun.Server<undefined>;
  beforeAll(() => {
    inside = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('{}') });
  });
  afterAll(() => inside.stop(true));

  const own = () => `http://127.0.0.1:${inside.port}`;
  const priv = (): RoutedChannel => ({ ...channel(1), type: 41, baseUrl: own(), privateAllowed: true });
  const request = (url: string) => ({ method: 'POST' as const, url, headers: {} });
  const faultOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error) => error.fault,
    );
  const named = (url: string) => {
    const cut = createCutList(new AbortController());
    return faultOf(vendorCall(priv(), { dialer, cut })(request(url), true));
  };
  const answered = (url: string) => {
    const route = { channel: priv(), connectMs: 1_000, signal: AbortSignal.timeout(5_000) };
    return faultOf(asker(request(own()), route, { dialer })(request(url), true));
  };

  it.each([
    ['a key', named],
    ['an answer', answered],
  ])('in %s is called where the channel is itself, and nowhere else inside', async (_, call) => {
    expect(await call(`${own()}/token`)).toBe('none');
    for (const url of ['https://inside.example/token', 'https://169.254.169.254/', 'https://127.0.0.1/']) {
      expect([url, await call(url)]).toEqual([url, 'private-address']);
    }
    expect(await call('http://far.example:6379/')).toBe('closed-port');
  });
});
