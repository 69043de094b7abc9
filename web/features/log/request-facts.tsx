/** Beside the bill: which request it was, where its time went, which channels were tried. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CopyButton } from '@/components/copy-button.tsx';
import { useDuration } from '@/lib/use-duration.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { LogFacts, LogRow } from './log-row.ts';
import { useRemedy } from './remedy.ts';

export function RequestFacts({ row, facts }: { row: LogRow; facts: LogFacts }) {
  const { t } = useTranslation();
  const duration = useDuration();
  const remedy = useRemedy(row);
  return (
    <div className="min-w-0 text-xs">
      <h3 className="text-sm font-semibold">{t('log.request')}</h3>
      <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
        {row.request_id && (
          <Fact label={t('log.requestId')}>
            <code className="font-mono break-all">{row.request_id}</code>
            <CopyButton iconOnly variant="ghost" text={row.request_id} label={t('log.copyRequestId')} />
          </Fact>
        )}
        <Fact label={t('log.column.model')}>
          {row.model_name}
          {facts.upstreamModel && facts.upstreamModel !== row.model_name && (
            <>
              {' → '}
              <code className="font-mono">{facts.upstreamModel}</code>
            </>
          )}
        </Fact>
        <Fact label={t('log.mode')}>
          {t(row.is_stream ? 'log.streamed' : 'log.plain')}
          {facts.streamEnd &&
            facts.streamEnd !== 'done' &&
            ` · ${t(`log.end.${facts.streamEnd}`, facts.streamEnd)}`}
        </Fact>
        <Fact label={t('log.duration')}>
          {duration(Math.max(row.use_time, (facts.firstMs ?? 0) / 1000))}
          {facts.firstMs !== null && ` · ${t('log.firstAfter', { time: duration(facts.firstMs / 1000) })}`}
        </Fact>
        {(facts.isEstimated || facts.isHeld || facts.isPromptOnly) && (
          <Fact label={t('log.usageSource')}>
            {[
              facts.isPromptOnly && t('log.promptOnly'),
              facts.isEstimated && t('log.estimated'),
              facts.isHeld && t('log.held'),
            ]
              .filter(Boolean)
              .join(' · ')}
          </Fact>
        )}
        {row.ip && <Fact label="IP">{row.ip}</Fact>}
        {facts.error && <Fact label={t('log.error')}>{facts.error}</Fact>}
        {row.content && (
          <Fact label={t('log.detail')}>
            {row.content}
            {remedy && (
              <Link to={remedy.to} className="link">
                {t(remedy.label)}
              </Link>
            )}
          </Fact>
        )}
      </dl>
      {facts.attempts.length > 0 && (
        <>
          <h3 className="mt-3 text-sm font-semibold">{t('log.route')}</h3>
          <ol className="mt-1 grid gap-0.5">
            {facts.attempts.map((attempt, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: tries have no name but their place
              <li key={index} className="flex gap-2">
                <span className={attempt.reason ? 'text-bad' : 'text-ok'}>
                  {t(attempt.reason ? 'log.attemptFailed' : 'log.attemptOk', { n: index + 1 })}
                </span>
                <span className="min-w-0 flex-1">
                  {t('log.channelNumber', { id: attempt.channel })}
                  {attempt.reason && ` · ${attempt.reason}`}
                </span>
                <span className="text-muted tabular-nums">{duration(attempt.ms / 1000)}</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{label}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-1">{children}</dd>
    </>
  );
}
