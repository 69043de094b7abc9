import { getRouteApi } from '@tanstack/react-router';
import { PersonalView } from '@/features/personal/view.tsx';

const route = getRouteApi('/_console/personal');

export function PersonalPage() {
  return <PersonalView personal={route.useLoaderData()} />;
}
