/** Balances, by the answers of the vendors' own documents. */
import { describe, expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { dashboardBalance } from './balance.ts';
import type { ChannelAccess, UpstreamRequest } from './provider.ts';
import { findProvider } from './registry.ts';

const channelOf = (type: number, baseUrl = findProvider(type)?.baseUrl ?? ''): ChannelAccess => ({
  id: 1,
  baseUrl,
  key: 'sk-account',
  organization: '',
  other: '',
  site: { name: '', address: '' },
});

/** A vendor that answers by the path of the address. */
function vendor(pages: Record<string, JsonObject>) {
  const asked: UpstreamRequest[] = [];
  const ask = async (request: UpstreamRequest): Promise<unknown> => {
    asked.push(request);
    return pages[new URL(request.url).pathname] ?? {};
  };
  return { asked, ask };
}

describe('a balance', () => {
  it.each([
    [20, '/api/v1/credits', { data: { total_credits: 10, total_usage: 2.5 } }, 7.5],
    [25, '/v1/users/me/balance', { code: 0, data: { available_balance: 73 }, status: true }, 10],
    [40, '/v1/user/info', { code: 20_000, data: { balance: '1', totalBalance: '73' }, status: true }, 10],
    [43, '/user/balance', { balance_infos: [{ currency: 'CNY', total_balance: '73.00' }] }, 10],
    [43, '/user/balance', { balance_infos: [{ currency: 'USD', total_balance: '3.25' }] }, 3.25],
  ] as const)('of type %i is read from %s', async (type, path, page, dollars) => {
    const { asked, ask } = vendor({ [path]: page as JsonObject });
    expect(await findProvider(type)?.balance?.(channelOf(type), ask)).toBeCloseTo(dollars, 10);
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-account']);
  });

  it('of AI Proxy is asked with a header of its own', async () => {
    const { asked, ask } = vendor({
      '/api/report/getUserOverview': { success: true, data: { totalPoints: 5 } },
    });
    expect(await findProvider(21)?.balance?.(channelOf(21), ask)).toBe(5);
    expect(asked[0]?.headers).toEqual({ 'api-key': 'sk-account' });
  });

  it('of a gateway is its limit less what was used since the month began', async () => {
    const { asked, ask } = vendor({
      '/v1/dashboard/billing/subscription': { has_payment_method: true, hard_limit_usd: 20 },
      '/v1/dashboard/billing/usage': { object: 'list', total_usage: 550 },
    });
    const at = new Date('2026-03-14T12:00:00Z');
    expect(await dashboardBalance(channelOf(1), ask, at)).toBe(14.5);
    expect(asked.at(-1)?.url).toEndWith('/usage?start_date=2026-03-01&end_date=2026-03-14');
  });

  it('of an account without a card counts the last hundred days', async () => {
    const { asked, ask } = vendor({
      '/v1/dashboard/billing/subscription': { has_payment_method: false, hard_limit_usd: 5 },
    });
    const at = new Date('2026-04-11T00:00:00Z');
    expect(await dashboardBalance(channelOf(1), ask, at)).toBeNull();
    expect(asked.at(-1)?.url).toEndWith('start_date=2026-01-01&end_date=2026-04-11');
  });

  it('is not known where the answer does not say it', async () => {
    for (const type of [1, 8, 20, 21, 25, 40, 43]) {
      const channel = channelOf(type, 'https://vendor.example');
      expect(await findProvider(type)?.balance?.(channel, async () => ({ error: 'no' }))).toBeNull();
    }
  });
});
