/** The console's pages may post a form to the gateway that is open, and nowhere else. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { openSite, type Site } from '../../support/browser.ts';
import { epayOptions } from '../../support/payment/epay-server.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

const formTargets = async (): Promise<string | undefined> => {
  const page = await site.handle(new Request(`${site.base}/login`));
  const policy = page.headers.get('content-security-policy') ?? '';
  return policy.split('; ').find((rule) => rule.startsWith('form-action'));
};

it('lets forms go to the gateway while it is open', async () => {
  const { options } = site.api.deps;
  const complete = epayOptions({ base: 'https://pay.example/gateway/' });
  expect(await formTargets()).toBe("form-action 'self'");
  await options.set({ PayAddress: complete.PayAddress ?? '' });
  expect(await formTargets()).toBe("form-action 'self'");
  await options.set(complete);
  expect(await formTargets()).toBe("form-action 'self' https://pay.example");
  await options.reset(['EpayKey']);
  expect(await formTargets()).toBe("form-action 'self'");
});
