/** In the place of the list: none at all is another matter than none that matches. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { EmptyState } from '@/components/empty-state.tsx';
import { NoMatch } from '@/components/no-match.tsx';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/channel');

const FILTERS = ['q', 'group', 'model', 'type', 'status', 'test'] as const;

export function NoChannels() {
  const { t } = useTranslation();
  const search = route.useSearch();
  if (FILTERS.some((name) => search[name])) {
    return (
      <NoMatch title={t('channel.noMatchTitle')} filters={FILTERS}>
        {t('channel.noMatchBody')}
      </NoMatch>
    );
  }
  return (
    <EmptyState title={t('channel.emptyTitle')} action={<FirstChannels />}>
      {t('channel.emptyBody')}
    </EmptyState>
  );
}

const firstTypes = [
  { kind: 1, title: 'OpenAI', body: 'channel.firstOpenai' },
  { kind: 14, title: 'Anthropic', body: 'channel.firstAnthropic' },
  { kind: 1, title: null, body: 'channel.firstCompatible' },
] as const;

/** Three ways to begin: each opens the form with its type. */
function FirstChannels() {
  const { t } = useTranslation();
  return (
    <ul className="grid max-w-[760px] grid-cols-3 gap-3 max-md:grid-cols-1">
      {firstTypes.map(({ kind, title, body }) => (
        <li key={body}>
          <Link
            to="/channel/add"
            {...openDrawer}
            search={{ kind }}
            className="block h-full rounded-md border border-line-btn px-4 py-3 text-text no-underline hover:border-line-strong hover:bg-hover"
          >
            <span className="block font-medium">{title ?? t('channel.firstCompatibleTitle')}</span>
            <span className="mt-0.5 block text-sm text-muted">{t(body)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
