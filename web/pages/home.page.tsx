/** `/` as it is drawn. */
import { getRouteApi } from '@tanstack/react-router';
import { PageFrame } from '@/components/shell/page-frame.tsx';
import { Welcome } from '@/features/home/welcome.tsx';

const route = getRouteApi('/');

export function HomePage() {
  const welcome = route.useLoaderData();
  return (
    <PageFrame>
      <Welcome {...welcome} />
    </PageFrame>
  );
}
