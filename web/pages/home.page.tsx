/** `/` as it is drawn. */
import { getRouteApi } from '@tanstack/react-router';
import { Welcome } from '@/features/home/welcome.tsx';
import { Overview } from '@/features/overview/overview.tsx';

export { loadHome } from '../features/home/load.ts';

const route = getRouteApi('/');

export function HomePage() {
  const home = route.useLoaderData();
  return home.kind === 'welcome' ? <Welcome {...home.welcome} /> : <Overview {...home.overview} />;
}
