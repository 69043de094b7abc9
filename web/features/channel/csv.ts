/** The list as a sheet: every channel that the filters show, with raw numbers. */
import type { Api, Query } from '@/lib/api.ts';
import type { Progress } from '@/lib/works.ts';
import type { Channel } from './channel.ts';

const PAGE = 100;

const columns = [
  'id',
  'name',
  'type',
  'status',
  'group',
  'tag',
  'models',
  'base_url',
  'priority',
  'weight',
  'response_time',
  'used_quota',
  'balance',
] as const satisfies readonly (keyof Channel)[];

/** Rejects when it was given up, or a page of the list could not be read. */
export async function allChannels(
  api: Api,
  query: Query,
  report: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Channel[]> {
  const channels: Channel[] = [];
  for (let p = 1; ; p++) {
    const page = await api.get('/api/channel/', { query: { ...query, p, page_size: PAGE }, signal });
    channels.push(...page.items);
    report({ done: channels.length, total: page.total });
    if (page.items.length < PAGE) return channels;
  }
}

/** A sheet takes a text that begins so for a formula. */
const cell = (value: string | number): string => {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** With the mark that tells sheets that it is UTF-8. */
export const csvOf = (channels: readonly Channel[]): string =>
  `\uFEFF${[columns.join(','), ...channels.map((channel) => columns.map((name) => cell(channel[name])).join(','))].join('\r\n')}\r\n`;
