/** Why a save failed, in the form itself: what was typed is still there, and so is the reason until the next try. */
import { useEffect, useRef } from 'react';
import { errorTone, requestIdOf } from '@/lib/error-text.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { CopyButton } from './copy-button.tsx';
import { Notice } from './ui/notice.tsx';

interface FormFailureProps {
  /** Null while nothing has failed. */
  failure: unknown;
  text: string;
  className?: string;
}

export function FormFailure({ failure, text, className }: FormFailureProps) {
  const { t } = useTranslation();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (failure) place.current?.scrollIntoView({ block: 'nearest' });
  }, [failure]);
  const requestId = requestIdOf(failure);
  return (
    <div ref={place} role="alert">
      {failure !== null && (
        <Notice
          tone={errorTone(failure)}
          className={className}
          end={
            requestId && (
              <CopyButton text={requestId} label={t('app.copyRequestId')} variant="ghost" size="sm" />
            )
          }
        >
          {text}
        </Notice>
      )}
    </div>
  );
}
