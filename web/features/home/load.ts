/** What the home page is loaded with. */
import { can } from '@core/roles.ts';
import type { DataOf } from '@/lib/calls.ts';
import type { PageContext } from '@/lib/page-context.ts';

export type Popular = DataOf<'get', '/api/pricing/popular'>;
export type OwnOverview = DataOf<'get', '/api/overview/self'>;
export type SiteOverview = DataOf<'get', '/api/overview'>;

export interface WelcomeData {
  popular: Popular;
  notice: string;
  content: string;
  about: string;
}

export interface OverviewData {
  own: OwnOverview;
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
    return { kind: 'overview', overview: { own, site, notice } };
  }
  const [popular, notice, content, about] = await Promise.all([
    api.get('/api/pricing/popular'),
    api.get('/api/notice'),
    api.get('/api/home_page_content'),
    api.get('/api/about'),
  ]);
  return { kind: 'welcome', welcome: { popular, notice, content, about } };
}
