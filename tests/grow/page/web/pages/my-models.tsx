/** `/my-models`: the models that one may call. */
import { createRoute } from '@tanstack/react-router';
import { Boxes } from 'lucide-react';
import { PageHeader } from '@/components/page-header.tsx';
import { pageTitle } from '../lib/page-context.ts';
import { useTranslation } from '../lib/use-translation.ts';
import { consoleRoute } from './console.tsx';

export const myModelsRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/my-models',
  staticData: {
    nav: { section: 'console', order: 35, icon: Boxes, label: 'personal.models', can: 'canManageTokens' },
  },
  loader: ({ context: { api } }) => api.get('/api/user/models'),
  head: ({ match: { context } }) => pageTitle(context, context.t('personal.models')),
  component: MyModelsPage,
});

function MyModelsPage() {
  const { t } = useTranslation();
  const models = myModelsRoute.useLoaderData();
  return (
    <>
      <PageHeader title={t('personal.models')} />
      <ul>
        {models.map((model) => (
          <li key={model}>{model}</li>
        ))}
      </ul>
    </>
  );
}
