/** What came of a call that was made from the page: its figures, or why it failed. */
import { Link } from '@tanstack/react-router';
import { Gap } from '@/components/gap.tsx';
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

/** What the relay says when the account has too little for a call. */
const NO_BALANCE = 'insufficient_user_quota';

export function CallFailure({ error }: { error: unknown }) {
  const { t } = useTranslation();
  const isRelays = error instanceof RelayError;
  const text = isRelays ? error.message : errorText(error, t);
  const requestId = isRelays ? error.requestId : requestIdOf(error);
  return (
    <Notice tone="bad" className="break-words">
      {t('token.tryFailed')}: {text}
      {/* Most of the relay's own words name it already. */}
      {!text.includes(requestId) && <code className="ml-1 font-mono text-xs">{requestId}</code>}
      {isRelays && error.code === NO_BALANCE && (
        <p className="mt-1">
          {t('token.noBalance')}
          <Gap />
          <Link to="/topup" className="link hit">
            {t('token.fillWallet')}
          </Link>
        </p>
      )}
    </Notice>
  );
}
