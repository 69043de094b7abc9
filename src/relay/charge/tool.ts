/** What a call of a tool costs: so many quota units, like a model with a price a call. */
import { type CallQuote, serviceQuote } from '../../billing/price.ts';
import type { Caller } from '../../modules/token/callers.ts';
import type { Options } from '../../options/store.ts';

/** Services with a price of their own. */
const PRICE_OF = { search: 'request_quota.search', map: 'request_quota.map' } as const;

const hasOwnPrice = (service: string): service is keyof typeof PRICE_OF => Object.hasOwn(PRICE_OF, service);

/** The price of a call now, frozen. */
export function toolQuote(service: string, { group, userGroup }: Caller, options: Options): CallQuote {
  const quota = options.get(hasOwnPrice(service) ? PRICE_OF[service] : 'request_quota.default');
  return serviceQuote(options, { quota, group, userGroup });
}
