/** The state and the outcome of one call that was tried from the page. */

import { formatSeconds } from '@core/money.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { Money } from '@/components/money.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { errorText, requestIdOf } from '@/lib/error-text.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { TryError, type TryResult, tryCall } from './try-call.ts';

interface TryStart {
  /** The whole key, or how to get it. */
  key: string | (() => Promise<string>);
  model: string;
  streamed: boolean;
}

export interface Attempt {
  pending: boolean;
  /** What has come so far. */
  text: string;
  result: TryResult | null;
  error: unknown;
  run: (start: TryStart) => Promise<void>;
  stop: () => void;
}

export function useTry(): Attempt {
  const [pending, setPending] = useState(false);
  const [text, setText] = useState('');
  const [result, setResult] = useState<TryResult | null>(null);
  const [error, setError] = useState<unknown>(null);
  const controller = useRef<AbortController>(undefined);
  const stop = useCallback(() => controller.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const run = async ({ key, model, streamed }: TryStart) => {
    controller.current = new AbortController();
    const { signal } = controller.current;
    setPending(true);
    setText('');
    setResult(null);
    setError(null);
    try {
      const whole = typeof key === 'string' ? key : await key();
      setResult(await tryCall({ key: whole, model, streamed, signal, onText: setText }));
    } catch (failure) {
      // Whoever stops a call knows that it was stopped.
      if (!signal.aborted) setError(failure);
    } finally {
      setPending(false);
    }
  };

  return { pending, text, result, error, run, stop };
}

export function TryOutcome({ attempt }: { attempt: Attempt }) {
  const { t } = useTranslation();
  const { pending, text, result, error } = attempt;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (pending || result || error) place.current?.scrollIntoView({ block: 'nearest' });
  }, [pending, result, error]);
  return (
    <div ref={place} aria-live="polite" aria-busy={pending} className="empty:hidden">
      {error !== null && (
        <Notice tone="bad">
          {t('token.tryFailed')}: {error instanceof TryError ? error.message : errorText(error, t)}{' '}
          <code className="font-mono text-xs">
            {error instanceof TryError ? error.requestId : requestIdOf(error)}
          </code>
        </Notice>
      )}
      {(pending || result) && (
        <section
          aria-label={t('token.answerTitle')}
          className="rounded-md border border-line bg-sunken px-3 py-2.5"
        >
          <h3 className="mb-1 text-xs text-muted">{t('token.answerTitle')}</h3>
          <p className="max-h-48 overflow-y-auto text-sm break-words whitespace-pre-wrap">
            {text || (pending ? t('token.trying') : t('token.answerEmpty'))}
          </p>
        </section>
      )}
      {result && <Facts result={result} />}
    </div>
  );
}

function Facts({ result }: { result: TryResult }) {
  const { t } = useTranslation();
  const { model, totalSec, firstSec, inputTokens, outputTokens, cost, requestId } = result;
  const known = (count: number | null) => (count === null ? '—' : String(count));
  const facts = [
    model,
    formatSeconds(totalSec),
    ...(firstSec === null ? [] : [t('token.tryFirst', { seconds: formatSeconds(firstSec) })]),
    t('token.tryTokens', { input: known(inputTokens), output: known(outputTokens) }),
  ];
  return (
    <Notice tone="ok" className="mt-3">
      <span className="tabular-nums">{facts.join(' · ')}</span> ·{' '}
      {cost === null ? '—' : <Money quota={cost} />}
      <code className="block font-mono text-xs break-all text-muted">{requestId}</code>
    </Notice>
  );
}
