/** Records that the palette leads to, a source a list: found by the list's own search, with the rights of who asks. */
import { looksLikeKey, soughtText } from '@core/key-text.ts';
import type { AnyRouter } from '@tanstack/react-router';
import { Cable, CreditCard, KeyRound, type LucideIcon, ReceiptText, Users } from 'lucide-react';
import type { Api } from '@/lib/api.ts';
import { ApiError } from '@/lib/api-error.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { TextKey } from '@/lib/text-key.ts';

export interface Found {
  id: string;
  name: string;
  hint: string;
  go(router: AnyRouter): void;
}

export interface Source {
  /** Asked for those whose menu has this page. */
  page: string;
  /** Not asked for those whose menu has this one, whose source finds the same and more. */
  unless?: string;
  title: TextKey;
  icon: LucideIcon;
  /** Whether it could find such a text. */
  takes(text: string): boolean;
  /** Throws ApiError. */
  find(api: Api, text: string, signal: AbortSignal): Promise<Found[]>;
}

/** A longer list is what the page is for. */
const FOUND_MAX = 5;
const TEXT_MIN = 2;

const isNumber = (text: string): boolean => /^#?\d+$/.test(text);
const isRequestId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
/** A key is none, whole or in part: its own list alone is asked for it, and no address holds more of it than is shown. */
const isName = (text: string): boolean =>
  !looksLikeKey(text) && !isRequestId(text) && (isNumber(text) || text.length >= TEXT_MIN);
/** Lists take an id by itself. */
const bare = (text: string): string => (isNumber(text) ? text.replace('#', '') : text);

/** Names hold numbers, too: what has the number that was asked for stands before those. */
const byNumber = <T extends { id: number }>(items: readonly T[], text: string): T[] => {
  const isIt = ({ id }: T) => String(id) === bare(text);
  return [...items.filter(isIt), ...items.filter((item) => !isIt(item))];
};

const paging = { p: 1, page_size: FOUND_MAX };
/** By number, so that it is among the first also where many names hold it. */
const orderOf = (text: string) => (isNumber(text) ? { sort: 'id' } : {});

export const SOURCES: readonly Source[] = [
  {
    page: '/channel',
    title: 'nav.channel',
    icon: Cable,
    takes: isName,
    async find(api, text, signal) {
      const query = { keyword: bare(text), brief: true, ...orderOf(text), ...paging };
      const { items } = await api.get('/api/channel/', { query, signal });
      return byNumber(items, text).map(({ id, name }) => ({
        id: String(id),
        name,
        hint: `#${id}`,
        go: (router) => void router.navigate({ to: '/channel/edit/$id', params: { id: String(id) } }),
      }));
    },
  },
  {
    page: '/user',
    title: 'nav.user',
    icon: Users,
    takes: isName,
    async find(api, text, signal) {
      const query = { keyword: bare(text), ...orderOf(text), ...paging };
      const { items } = await api.get('/api/user/search', { query, signal });
      return byNumber(items, text).map(({ id, username }) => ({
        id: String(id),
        name: username,
        hint: `#${id}`,
        go: (router) => void router.navigate({ to: '/user/edit/$id', params: { id: String(id) } }),
      }));
    },
  },
  {
    page: '/token',
    title: 'nav.token',
    icon: KeyRound,
    takes: (text) => looksLikeKey(text) || isName(text),
    async find(api, text, signal) {
      const sought = looksLikeKey(text) ? { token: soughtText(text) } : { keyword: text };
      const query = { ...sought, mask: 'true', ...paging };
      const { items } = await api.get('/api/token/page', { query, signal });
      return items.map(({ id, name }) => ({
        id: String(id),
        name,
        hint: `#${id}`,
        go: (router) => void router.navigate({ to: '/token/edit/$id', params: { id: String(id) } }),
      }));
    },
  },
  {
    page: '/payment',
    title: 'palette.orders',
    icon: CreditCard,
    takes: isName,
    async find(api, text, signal) {
      const query = { keyword: text, ...paging };
      const { items } = await api.get('/api/topup/', { query, signal });
      return items.map(({ id, trade_no, username }) => ({
        id: String(id),
        name: trade_no,
        hint: username,
        go: (router) => void router.navigate({ to: '/payment', search: { q: `#${id}`, range: 'all' } }),
      }));
    },
  },
  {
    page: '/topup',
    unless: '/payment',
    title: 'palette.orders',
    icon: CreditCard,
    takes: (text) => isName(text) && text.length >= 6,
    async find(api, text, signal) {
      const query = { trade_no: text, ...paging };
      const { items } = await api.get('/api/user/topup/self', { query, signal });
      return items.map(({ id, trade_no }) => ({
        id: String(id),
        name: trade_no,
        hint: `#${id}`,
        go: (router) => void router.navigate({ to: '/topup', search: { order: String(id) } }),
      }));
    },
  },
  {
    page: '/log',
    title: 'palette.requests',
    icon: ReceiptText,
    takes: isRequestId,
    async find(api, text, signal) {
      try {
        const row = await api.get('/api/log/:row', { params: { row: text }, signal });
        const go = (router: AnyRouter) => void router.navigate({ to: '/log', search: { id: text } });
        return [{ id: text, name: text, hint: row.model_name, go }];
      } catch (error) {
        if (error instanceof ApiError && error.code === 'NOT_FOUND') return [];
        throw error;
      }
    },
  },
];

/** Whom what is asked, of those whose page the menu has: one whose own word was typed first, as `channel 12`, for the rest. */
export function questionsFor(
  typed: string,
  pages: ReadonlySet<string>,
  t: TFunction,
): { source: Source; text: string }[] {
  const end = typed.indexOf(' ');
  const word = typed.slice(0, Math.max(end, 0)).toLowerCase();
  const isNamed = ({ page, title }: Source) => word === page.slice(1) || word === t(title).toLowerCase();
  return SOURCES.filter(({ page, unless }) => pages.has(page) && !(unless && pages.has(unless)))
    .map((source) => ({ source, text: isNamed(source) ? typed.slice(end).trim() : typed }))
    .filter(({ source, text }) => source.takes(text));
}
