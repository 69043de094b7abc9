/** An application asks for a relay key. The request is read in the browser alone: its code is in no page of ours. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ScriptNeeded } from '@/components/script-needed.tsx';
import { Spinner } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { ApproveForm } from '@/features/approve/approve-form.tsx';
import { Approved } from '@/features/approve/approved.tsx';
import { useApproval } from '@/features/approve/use-approval.ts';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/approve');

export function ApprovePage() {
  const { t } = useTranslation();
  const { code } = route.useSearch();
  const navigate = useNavigate();
  const approval = useApproval();
  const { step } = approval;
  const isNamed = code !== undefined;
  useEffect(() => {
    // Neither a history nor a shoulder needs it once it is remembered.
    if (isNamed) void navigate({ to: '/approve', search: {}, replace: true });
  }, [isNamed, navigate]);
  return (
    <section
      data-step={step}
      aria-labelledby="approve-title"
      className="mx-auto max-w-[500px] rounded-md border border-line bg-surface p-5 max-md:border-0 max-md:bg-transparent max-md:p-0"
    >
      <h1 id="approve-title" tabIndex={-1} className="mb-4 text-xl font-semibold">
        {t('approve.title')}
      </h1>
      {step === 'loading' && (
        <>
          <ScriptNeeded />
          <p role="status" className="flex items-center gap-2.5 text-muted noscript:hidden">
            <Spinner />
            {t('approve.loading')}
          </p>
        </>
      )}
      {step === 'failed' && (
        <div role="alert">
          <Notice tone={errorTone(approval.error)}>
            <strong className="font-medium">{t('approve.failed')}</strong>{' '}
            {errorText(approval.error, t, t('approve.nothing'))}
          </Notice>
        </div>
      )}
      {(step === 'confirm' || step === 'no-token' || step === 'choose-token') && (
        <ApproveForm asked={approval.asked} onDecided={approval.decided} />
      )}
      {step === 'approved' && <Approved />}
      {step === 'rejected' && (
        <div role="status">
          <Notice tone="plain">
            <strong className="font-medium">{t('approve.rejected')}</strong> {t('approve.rejectedHelp')}
          </Notice>
        </div>
      )}
    </section>
  );
}
