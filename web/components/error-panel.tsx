import { RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { errorText, requestIdOf } from '@/lib/error-text.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { CopyButton } from './copy-button.tsx';
import { Button } from './ui/button.tsx';

interface ErrorPanelProps {
  title: string;
  error: unknown;
  onRetry?: () => void;
  children?: ReactNode;
}

/** In the place of what could not be shown: the reason, the request's id to quote, the way to try again. */
export function ErrorPanel({ title, error, onRetry, children }: ErrorPanelProps) {
  const { t } = useTranslation();
  const requestId = requestIdOf(error);
  return (
    <div role="alert" className="px-4 py-8">
      <h2 className="text-base font-semibold text-bad">{title}</h2>
      <p className="mt-1 mb-4 max-w-[52ch] text-muted">
        {errorText(error, t)} {requestId && <code className="font-mono text-xs">{requestId}</code>}
      </p>
      <div className="flex flex-wrap gap-2">
        {onRetry && (
          <Button onClick={onRetry}>
            <RefreshCw aria-hidden="true" />
            {t('app.retry')}
          </Button>
        )}
        {requestId && <CopyButton text={requestId} label={t('app.copyRequestId')} variant="ghost" />}
        {children}
      </div>
    </div>
  );
}
