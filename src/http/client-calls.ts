/**
 * The calls that say `auth: 'client'`, and so take a relay key besides. They are known by name before any route is, so
 * that a key is looked up for them alone; which calls say so is tested against this list.
 */
export const CLIENT_CALLS: readonly string[] = [
  'GET /api/ai-role',
  'GET /api/application',
  'GET /api/supplier',
  'POST /api/task/like',
];

export function isClientCall({ method, url }: Pick<Request, 'method' | 'url'>): boolean {
  const path = new URL(url).pathname.replace(/\/$/, '');
  return CLIENT_CALLS.includes(`${method === 'HEAD' ? 'GET' : method} ${path}`);
}
