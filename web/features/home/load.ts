/** What the home page is loaded with. */
import { LOG_TYPE } from '@core/log-types.ts';
import { can } from '@core/roles.ts';
import { DAY_SEC, nowSec } from '@core/time.ts';
import { BUSY_CODES, OWN_DAYS } from '@modules/overview/facts.ts';
import { areStepsHidden } from '@/features/overview/steps-shown.ts';
import type { Api } from '@/lib/api.ts';
import { ApiError } from '@/lib/api-error.ts';
import type { DataOf } from '@/lib/calls.ts';
import { inZone } from '@/lib/in-zone.ts';
import type { PageContext } from '@/lib/page-context.ts';
import type { BootUser } from '../../boot.ts';

export type Popular = DataOf<'get', '/api/pricing/popular'>;
export type OwnOverview = DataOf<'get', '/api/overview/self'>;
export type SiteOverview = DataOf<'get', '/api/overview'>;
/** How the channels are, where that is known in time. */
export type ChannelStanding = Exclude<SiteOverview['channels'], 'busy'>;

export interface WelcomeData {
  /** Null where it is not known in time. */
  popular: Popular | null;
  notice: string;
  content: string;
  about: string;
}

/** A call of one's own, as the overview tells it. */
export interface RecentCall {
  /** Of its row in the log. */
  id: number;
  /** Unix seconds. */
  at: number;
  model: string;
  token: string;
  /** Tokens. */
  input: number;
  output: number;
  seconds: number;
  /** Quota units. */
  quota: number;
  failed: boolean;
}

export interface OverviewData {
  own: OwnOverview;
  /** The last ones, newest first; none while the first steps stand in their place. */
  recent: RecentCall[];
  /** Null for who does not keep the site; `busy` where it is not known in time. */
  site: SiteOverview | 'busy' | null;
  notice: string;
}

type HomeData = { kind: 'welcome'; welcome: WelcomeData } | { kind: 'overview'; overview: OverviewData };

export async function loadHome(context: PageContext): Promise<HomeData> {
  const { api, boot } = context;
  const { user } = boot;
  if (user) return inZone(context, (timeZone) => overviewIn(timeZone, context, user));
  const [popular, notice, content, about] = await Promise.all([
    unlessBusy(api.get('/api/pricing/popular'), null),
    api.get('/api/notice'),
    api.get('/api/home_page_content'),
    api.get('/api/about'),
  ]);
  return { kind: 'welcome', welcome: { popular, notice, content, about } };
}

async function overviewIn(timeZone: string, { api, boot }: PageContext, user: BootUser) {
  const keeps = can(user.role, 'canManageChannels');
  const [own, site, notice] = await Promise.all([
    api.get('/api/overview/self', { query: { time_zone: timeZone } }),
    keeps ? unlessBusy(api.get('/api/overview'), 'busy' as const) : null,
    api.get('/api/notice'),
  ]);
  const showsSteps = own.steps.some(({ done }) => !done) && !areStepsHidden(boot.preferences);
  const recent = showsSteps ? [] : await recentCalls(api);
  return { kind: 'overview', overview: { own, recent, site, notice } } as const;
}

const RECENT = 8;

/** None where they cannot be read in time: all else is shown without them. */
async function recentCalls(api: Api): Promise<RecentCall[]> {
  // More than are shown: among them are rows that are no calls.
  const query = { p: 1, page_size: 2 * RECENT, start_timestamp: nowSec() - OWN_DAYS * DAY_SEC };
  const { items } = await unlessBusy(api.get('/api/log/self', { query }), { items: [] });
  return items
    .filter(({ type }) => type === LOG_TYPE.consumption || type === LOG_TYPE.refused)
    .slice(0, RECENT)
    .map((row) => ({
      id: row.id,
      at: row.created_at,
      model: row.model_name,
      token: row.token_name,
      input: row.prompt_tokens,
      output: row.completion_tokens,
      seconds: row.use_time,
      quota: row.quota,
      failed: row.type === LOG_TYPE.refused,
    }));
}

/** What was asked for, or what stands in its place: figures that are slow take no page away. */
export async function unlessBusy<T, E>(asked: Promise<T>, instead: E): Promise<T | E> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && BUSY_CODES.includes(error.code)) return instead;
    throw error;
  }
}
