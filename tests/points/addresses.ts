/** Every page, drawer and tab of a site that is lived in, each by the address that opens it. */
import type { Client } from '../support/api.ts';
import type { LivedIn } from '../support/lived-in.ts';
import { WHOLE } from './point.ts';

export interface Address {
  path: string;
  isGuest?: boolean;
  /** Its rows are a table. */
  isList?: boolean;
  isDrawer?: boolean;
}

const guest = (path: string): Address => ({ path, isGuest: true });
const list = (path: string): Address => ({ path, isList: true });
const drawer = (path: string): Address => ({ path, isDrawer: true });

const TABS = ['operation', 'visual', 'ratelimit', 'models', 'system', 'other', 'request_quota', 'aff_quota'];

/** As root and guests see it. */
export async function addressesOf({ site, root, user }: LivedIn): Promise<Address[]> {
  const client = await site.api.as(root);
  const first = async (path: string): Promise<number> => idOf(await itemsOf(client, path));
  const [token, channel, code, activity, app, log] = await Promise.all(
    [
      '/api/token/page',
      '/api/channel/',
      '/api/redemption/',
      '/api/activity/',
      '/api/oauth_app/admin/',
      '/api/log/',
    ].map(first),
  );
  return [
    ...['/', '/login', '/login?by=password', '/register', '/reset', '/model-hub'].map(guest),
    guest('/user/reset?email=a%40example.com&token=x'),
    ...['/terms/terms-of-service.html', '/terms/privacy-policy.html'].map(guest),
    ...['/', '/detail', '/personal', '/topup', '/activity-center', '/custom-models'].map((path) => ({
      path,
    })),
    ...TABS.map((tab) => ({ path: `/setting?tab=${tab}` })),
    ...['unpriced', 'visual'].map((sub) => ({ path: `/setting?sub=${sub}` })),
    ...['/token', '/channel', '/user', '/redemption', '/log?range=7d', '/model-hub', '/oauth-apps'].map(list),
    ...['/activity-config', '/admin-log', '/task', '/task-like', '/payment', '/topup/statement'].map(list),
    ...['suppliers', 'prompts', 'roles', 'marketplace'].map((tab) => list(`/aipy-conf/${tab}`)),
    list('/midjourney'),
    ...(WHOLE ? [list('/aipy-conf/suppliers?view=configs')] : []),
    ...['/token/add', `/token/edit/${token}`, `/token/code/${token}`, '/token/chat'].map(drawer),
    ...['/channel/add', `/channel/edit/${channel}`, '/channel/tag/eu'].map(drawer),
    ...['/user/add', `/user/edit/${user.id}`, '/user/edit'].map(drawer),
    ...['/redemption/add', `/redemption/edit/${code}`].map(drawer),
    ...['/activity-config/add', `/activity-config/edit/${activity}`].map(drawer),
    ...['/oauth-apps/add', `/oauth-apps/edit/${app}`, `/log?range=7d&id=${log}`].map(drawer),
    { path: '/nowhere' },
  ];
}

async function itemsOf(client: Client, path: string): Promise<unknown> {
  const { data } = await client.get(path);
  return Array.isArray(data) ? data : data.items;
}

function idOf(items: unknown): number {
  const [first] = Array.isArray(items) ? items : [];
  if (typeof first?.id !== 'number') throw new Error('a list has no row');
  return first.id;
}
