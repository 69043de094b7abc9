/** What the home page is loaded with. */
import { can } from '@core/roles.ts';
import { DAY_SEC, nowSec } from '@core/time.ts';
import { OWN_DAYS } from '@modules/overview/facts.ts';
import type { Api } from '@/lib/api.ts';
import { ApiError } from '@/lib/api-error.ts';
import type { DataOf } from '@/lib/calls.ts';
import type { PageContext } from '@/lib/page-context.ts';

/** Types of rows of the log: a charged call, and one that was refused or failed. */
const CHARGED = 2;
const REFUSED = 6;

export type Popular = DataOf<'get', '/api/pricing/popular'>;
export type OwnOverview = DataOf<'get', '/api/overview/self'>;
export type SiteOverview = DataOf<'get', '/api/overview'>;

export interface WelcomeData {
  popular: Popular;
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
  seconds: number;
  /** Quota units. */
  quota: number;
  failed: boolean;
}

export interface OverviewData {
  own: OwnOverview;
  /** The last ones, newest first; none while the first steps stand in their place. */
  recent: RecentCall[];
  /** Null for who does not keep the site. */
  site: SiteOverview | null;
  notice: string;
}

type HomeData = { kind: 'welcome'; welcome: WelcomeData } | { kind: 'overview'; overview: OverviewData };

export async function loadHome({ api, boot }: PageContext): Promise<HomeData> {
  const { user, preferences } = boot;
  if (user) {
    const keeps = can(user.role, 'canManageChannels');
    const [own, site, notice] = await Promise.all([
      api.get('/api/overview/self', { query: { time_zone: preferences.timeZone } }),
      keeps ? api.get('/api/overview') : null,
      api.get('/api/notice'),
    ]);
    const recent = own.steps.every(({ done }) => done) ? await recentCalls(api) : [];
    return { kind: 'overview', overview: { own, recent, site, notice } };
  }
  const [popular, notice, content, about] = await Promise.all([
    api.get('/api/pricing/popular'),
    api.get('/api/notice'),
    api.get('/api/home_page_content'),
    api.get('/api/about'),
  ]);
  return { kind: 'welcome', welcome: { popular, notice, content, about } };
}

const RECENT = 8;

/** None where they cannot be read in time: all else is shown without them. */
async function recentCalls(api: Api): Promise<RecentCall[]> {
  try {
    const { items } = await api.get('/api/log/self', {
      query: { p: 1, page_size: RECENT, start_timestamp: nowSec() - OWN_DAYS * DAY_SEC },
    });
    return items
      .filter(({ type }) => type === CHARGED || type === REFUSED)
      .map(({ id, created_at: at, model_name: model, use_time: seconds, quota, type }) => ({
        id,
        at,
        model,
        seconds,
        quota,
        failed: type === REFUSED,
      }));
  } catch (error) {
    if (error instanceof ApiError && error.code === 'LOG_TIMEOUT') return [];
    throw error;
  }
}
