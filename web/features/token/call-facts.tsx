/** What came of a call that was made from the page: its figures, or why it failed. */
import { Money } from '@/components/money.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { errorText, requestIdOf } from '@/lib/error-text.ts';
import { useDuration } from '@/lib/use-duration.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type CallResult, RelayError } from './relay-call.ts';

export function CallFacts({ result }: { result: CallResult }) {
  const { t } = useTranslation();
  const duration = useDuration();
  const { model, totalSec, firstSec, inputTokens, outputTokens, cost } = result;
  const known = (count: number | null) => (count === null ? '—' : String(count));
  const facts = [
    model,
    duration(totalSec),
    ...(firstSec === null ? [] : [t('token.tryFirst', { seconds: duration(firstSec) })]),
    t('token.tryTokens', { input: known(inputTokens), output: known(outputTokens) }),
  ];
  return (
    <>
      <span className="tabular-nums">{facts.join(' · ')}</span> ·{' '}
      {cost === null ? '—' : <Money quota={cost} />}
    </>
  );
}

export function CallFailure({ error }: { error: unknown }) {
  const { t } = useTranslation();
  const isRelays = error instanceof RelayError;
  return (
    <Notice tone="bad">
      {t('token.tryFailed')}: {isRelays ? error.message : errorText(error, t)}{' '}
      <code className="font-mono text-xs">{isRelays ? error.requestId : requestIdOf(error)}</code>
    </Notice>
  );
}
