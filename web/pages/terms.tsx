/** `/terms/terms-of-service.html` and `/terms/privacy-policy.html`: what people agree to, for everybody. */
import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { pageTitle } from '../lib/page-context.ts';
import { rootRoute } from './root.tsx';

const documents = {
  'terms-of-service.html': 'terms-of-service',
  'privacy-policy.html': 'privacy-policy',
} as const;

const isDocument = (name: string): name is keyof typeof documents => Object.hasOwn(documents, name);

export const termsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/terms/$document',
  loader: async ({ context: { api }, params }) => {
    if (!isDocument(params.document)) throw notFound();
    const document = documents[params.document];
    return { document, ...(await api.get('/api/terms/:document', { params: { document } })) };
  },
  head: ({ match: { context }, loaderData }) =>
    pageTitle(context, context.t(loaderData ? `terms.${loaderData.document}` : 'notFound.title')),
  component: lazyRouteComponent(() => import('./terms.page.tsx'), 'TermsPage'),
});
