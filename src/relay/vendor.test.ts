import { expect, it } from 'bun:test';
import { channel } from '../../tests/support/routed-channel.ts';
import { createCutList } from './cut.ts';
import type { Dialer } from './dial.ts';
import { vendorCall } from './vendor.ts';

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
