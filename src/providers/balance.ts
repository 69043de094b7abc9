/** What vendors tell of the account behind a key, each in its own way, as US dollars. */
import { isObject } from '../core/json.ts';
import { bearer } from './openai-compatible.ts';
import type { AskAccount, ChannelAccess, Provider, UpstreamRequest } from './provider.ts';

type Balance = NonNullable<Provider['balance']>;

/** Yuan for a dollar, where a vendor counts in yuan; the prices of its models are reckoned alike. */
const YUAN = 7.3;

const DAY_MS = 86_400_000;
/** How far back an account without a card is looked at. */
const LOOK_BACK_DAYS = 100;

const get = (url: string, key: string): UpstreamRequest => ({ method: 'GET', url, headers: bearer(key) });

/** A number, or one in a text. */
function amount(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

const fields = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

const minus = (whole: number | null, part: number | null): number | null =>
  whole === null || part === null ? null : whole - part;

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** The dashboard's calls, which OpenAI closed to keys and gateways of this kind still answer. */
export async function dashboardBalance(
  { baseUrl, key }: ChannelAccess,
  ask: AskAccount,
  now = new Date(),
): Promise<number | null> {
  const billing = `${baseUrl}/v1/dashboard/billing`;
  const plan = fields(await ask(get(`${billing}/subscription`, key)));
  const from =
    plan.has_payment_method === false
      ? dayOf(new Date(now.getTime() - LOOK_BACK_DAYS * DAY_MS))
      : `${dayOf(now).slice(0, 8)}01`;
  const used = fields(await ask(get(`${billing}/usage?start_date=${from}&end_date=${dayOf(now)}`, key)));
  const cents = amount(used.total_usage);
  return minus(amount(plan.hard_limit_usd), cents === null ? null : cents / 100);
}

export const openrouterBalance: Balance = async ({ baseUrl, key }, ask) => {
  const { data } = fields(await ask(get(`${baseUrl}/v1/credits`, key)));
  return minus(amount(fields(data).total_credits), amount(fields(data).total_usage));
};

export const moonshotBalance: Balance = async ({ baseUrl, key }, ask) => {
  const { data } = fields(await ask(get(`${baseUrl}/v1/users/me/balance`, key)));
  const yuan = amount(fields(data).available_balance);
  return yuan === null ? null : yuan / YUAN;
};

const SILICON_OK = 20_000;

export const siliconBalance: Balance = async ({ baseUrl, key }, ask) => {
  const { code, data } = fields(await ask(get(`${baseUrl}/v1/user/info`, key)));
  const total = code === SILICON_OK ? amount(fields(data).totalBalance) : null;
  // Its house in China counts in yuan, the one abroad in dollars.
  return total === null || !new URL(baseUrl).hostname.endsWith('.cn') ? total : total / YUAN;
};

export const deepseekBalance: Balance = async ({ baseUrl, key }, ask) => {
  const { balance_infos: infos } = fields(await ask(get(`${baseUrl}/user/balance`, key)));
  const rows = (Array.isArray(infos) ? infos : []).map(fields);
  const inYuan = rows.find(({ currency }) => currency === 'CNY');
  const yuan = inYuan ? amount(inYuan.total_balance) : null;
  if (yuan !== null) return yuan / YUAN;
  return amount(rows.find(({ currency }) => currency === 'USD')?.total_balance);
};

export const aiProxyBalance: Balance = async ({ baseUrl, key }, ask) => {
  // The key of another house's service is nothing that this one should see.
  if (!/^https:\/\/([a-z0-9-]+\.)*aiproxy\.io(\/|$)/.test(baseUrl)) return null;
  const url = 'https://aiproxy.io/api/report/getUserOverview';
  const { data } = fields(await ask({ method: 'GET', url, headers: { 'api-key': key } }));
  return amount(fields(data).totalPoints);
};
