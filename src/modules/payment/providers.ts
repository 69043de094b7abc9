/** The payment providers that are complete, which is what the settings say now. */
import { fail } from '../../core/errors.ts';
import type { Env } from '../../env.ts';
import type { Options } from '../../options/store.ts';
import type { Outgoing } from '../../platform/outgoing.ts';
import { createEpay } from './epay.ts';
import type { PaymentProvider } from './provider.ts';
import { createStripe } from './stripe.ts';

export interface ProviderDeps {
  options: Options;
  outgoing: Outgoing;
  env: Pick<Env, 'STRIPE_API_BASE'>;
}

export const openProviders = (deps: ProviderDeps): PaymentProvider[] =>
  [createEpay(deps), createStripe(deps)].filter((provider) => provider !== null);

export const providerNamed = (deps: ProviderDeps, name: string): PaymentProvider | undefined =>
  openProviders(deps).find((provider) => provider.name === name);

/** Other names that clients have for methods. */
const ALIASES: Readonly<Record<string, string>> = { zfb: 'alipay', wx: 'wxpay', wechat: 'wxpay' };

export interface Way {
  provider: PaymentProvider;
  method: string;
}

/**
 * Whom to pay and how. Without a method it is the first; `only` are the providers that the call is about.
 * Throws TOPUP_OFF, PAY_METHOD.
 */
export function wayOf(deps: ProviderDeps, given: string, only?: string): Way {
  const open = openProviders(deps).filter(({ name }) => only === undefined || name === only);
  if (open.length === 0) throw fail('TOPUP_OFF');
  const method = ALIASES[given] ?? given;
  const provider = method === '' ? open[0] : open.find(({ methods }) => methods.includes(method));
  const chosen = method || provider?.methods[0];
  if (!provider || !chosen) throw fail('PAY_METHOD');
  return { provider, method: chosen };
}
