/** What the home page is loaded with. */
import type { DataOf } from '@/lib/calls.ts';
import type { PageContext } from '@/lib/page-context.ts';

export type Popular = DataOf<'get', '/api/pricing/popular'>;

export async function loadWelcome({ api }: PageContext) {
  const [popular, notice, content, about] = await Promise.all([
    api.get('/api/pricing/popular'),
    api.get('/api/notice'),
    api.get('/api/home_page_content'),
    api.get('/api/about'),
  ]);
  return { popular, notice, content, about };
}

export type WelcomeData = Awaited<ReturnType<typeof loadWelcome>>;
