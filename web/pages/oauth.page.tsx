/** Finishes what was begun at a third party, and says so meanwhile. */
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { GuestColumn } from '@/components/shell/guest-shell.tsx';
import { leadOn } from '@/features/sign-in/lead-on.ts';
import { Failed, Waiting } from '@/features/sign-in/third-party-arrival.tsx';
import { notify } from '@/lib/notify.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/oauth/$provider');

export function OAuthPage() {
  const { t } = useTranslation();
  const { user } = useBoot();
  const api = useApi();
  const router = useRouter();
  const { provider } = route.useLoaderData();
  const search = route.useSearch();
  const title = t(`user.bound.${provider}`);
  const finish = useAction(async () => {
    const came = await api.getOnce('/api/oauth/:provider', { params: { provider }, query: search });
    if ('data' in came) return leadOn(came.data, came.next, { replace: true });
    notify({ tone: 'ok', text: t('third.bound', { provider: title }) });
    await router.navigate({ href: came.next, replace: true });
  });
  // A state works once, and so does this.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the page was opened with is finished, nothing later
  useEffect(() => void finish.run(), []);

  return (
    <GuestColumn title={t(user ? 'third.binding' : 'third.signingIn', { provider: title })}>
      {finish.error === null ? (
        <Waiting provider={title} isBinding={user !== null} />
      ) : (
        <Failed error={finish.error} isBinding={user !== null} />
      )}
    </GuestColumn>
  );
}
