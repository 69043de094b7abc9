import { safeNext } from '@core/next-path.ts';
import { getRouteApi } from '@tanstack/react-router';
import { Notice } from '@/components/ui/notice.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/login');

/** Why one stands here, when it was not one's own idea. */
export function ArrivalNotice() {
  const { t } = useTranslation();
  const { next, expired, left, registered } = route.useSearch();
  if (left || registered) {
    return (
      <Notice tone="ok" className="mb-5">
        {t(left ? 'shell.loggedOut' : 'register.done')}
      </Notice>
    );
  }
  if (!expired) return null;
  const path = next === undefined ? '' : safeNext(next, '');
  return (
    <Notice className="mb-5">
      <span>{t('login.expired')}</span>
      {path && <ReturnNote path={path} />}
    </Notice>
  );
}

/** The path stands out in its sentence, wherever the language puts it. */
function ReturnNote({ path }: { path: string }) {
  const { t } = useTranslation();
  const [before, after] = t('login.returnTo', { path: '\n' }).split('\n');
  return (
    <span className="[:lang(en)_&]:ml-1">
      {before}
      <code className="font-mono break-all">{path}</code>
      {after}
    </span>
  );
}
