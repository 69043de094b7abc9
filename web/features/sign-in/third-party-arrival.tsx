/** What is said while a sign-in at a third party is finished, and when it failed. */
import { useEffect, useState } from 'react';
import { Button, buttonVariants, Spinner } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { ApiError } from '@/lib/api-error.ts';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { useTranslation } from '@/lib/use-translation.ts';

/** After so long it is said that it takes long. */
const LONG_MS = 8_000;

/** How long a failure can be read before the page leads on by itself. */
const READ_MS = 8_000;

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

export function Waiting({ provider, isBinding }: { provider: string; isBinding: boolean }) {
  const { t } = useTranslation();
  const isLong = useAfter(LONG_MS);
  return (
    <>
      <p role="status" className="flex items-center gap-2.5 text-muted">
        <Spinner />
        {t(isLong ? 'third.stillWaiting' : 'third.finishing', { provider })}
      </p>
      {isLong && (
        <a href={backFor(isBinding)} className={`${buttonVariants()} mt-5`}>
          {t('app.cancel')}
        </a>
      )}
    </>
  );
}

/** Leads back by itself, unless somebody wants to read on. */
export function Failed({ error, isBinding }: { error: unknown; isBinding: boolean }) {
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
