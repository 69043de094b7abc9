/** Finishes what was begun at a third party, and says so meanwhile. */
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { GuestColumn } from '@/components/shell/guest-shell.tsx';
import { PageFrame } from '@/components/shell/page-frame.tsx';
import { Button, buttonVariants, Spinner } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { leadOn } from '@/features/sign-in/lead-on.ts';
import { ApiError } from '@/lib/api-error.ts';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/oauth/$provider');

/** After so long it is said that it takes long. */
const LONG_MS = 8_000;
/** How long a failure can be read before the page leads on by itself. */
const READ_MS = 8_000;

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
    <PageFrame>
      <GuestColumn title={t(user ? 'third.binding' : 'third.signingIn', { provider: title })}>
        {finish.error === null ? (
          <Waiting provider={title} back={backFor(user !== null)} />
        ) : (
          <Failed error={finish.error} isBinding={user !== null} />
        )}
      </GuestColumn>
    </PageFrame>
  );
}

/** Where a failure leads by itself: to one's own settings, which send whoever is not signed in on to the sign-in page. */
const SETTINGS = '/setting?tab=personal';
const backFor = (isBinding: boolean): string => (isBinding ? SETTINGS : '/login');

/** True once so much time has passed. */
function useAfter(ms: number): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return isOver;
}

function Waiting({ provider, back }: { provider: string; back: string }) {
  const { t } = useTranslation();
  const isLong = useAfter(LONG_MS);
  return (
    <>
      <p role="status" className="flex items-center gap-2.5 text-muted">
        <Spinner />
        {t(isLong ? 'third.stillWaiting' : 'third.finishing', { provider })}
      </p>
      {isLong && (
        <a href={back} className={`${buttonVariants()} mt-5`}>
          {t('app.cancel')}
        </a>
      )}
    </>
  );
}

/** Leads back by itself, unless somebody wants to read on. */
function Failed({ error, isBinding }: { error: unknown; isBinding: boolean }) {
  const { t } = useTranslation();
  const isRead = useAfter(READ_MS);
  // What is shown in a window is read there, for as long as it takes.
  const [isStaying, setStaying] = useState(error instanceof ApiError && error.modal);
  const isLeaving = isRead && !isStaying;
  useEffect(() => {
    if (isLeaving) window.location.replace(SETTINGS);
  }, [isLeaving]);
  return (
    <>
      <div role="alert">
        <Notice tone={errorTone(error)} className="mb-4">
          {errorText(error, t)}
        </Notice>
        {!isStaying && <p className="text-muted">{t('third.goingBack')}</p>}
      </div>
      <div className="mt-5 flex flex-wrap gap-3">
        <a href={backFor(isBinding)} className={buttonVariants({ variant: 'primary' })}>
          {t(isBinding ? 'third.toSetting' : 'third.toLogin')}
        </a>
        {!isStaying && <Button onClick={() => setStaying(true)}>{t('third.stay')}</Button>}
      </div>
    </>
  );
}
