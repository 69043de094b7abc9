/** Beside the bill: which request it was, where its time went, which channels were tried. */
import { formatNumber } from '@core/money.ts';
import { own } from '@core/own.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CopyButton } from '@/components/copy-button.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import type { TFunction } from '@/lib/i18n.ts';
import { useDuration } from '@/lib/use-duration.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Attempt, CONSUMPTION, type LogFacts, type LogRow } from './log-row.ts';
import { adviceFor, useRemedy } from './remedy.ts';

const ENDS = {
  upstream_cut: 'log.end.upstream_cut',
  client_gone: 'log.end.client_gone',
  timeout: 'log.end.timeout',
  exhausted: 'log.end.exhausted',
  no_room: 'log.end.no_room',
} as const;

function endText(end: string, t: TFunction): string {
  const key = own(ENDS, end);
  return key ? t(key) : end;
}

function unbilledTexts(count: number | null, t: TFunction): string[] {
  if (count === null) return [];
  return [count === 0 ? t('log.unbilledUntold') : t('log.unbilled', { count, n: formatNumber(count) })];
}

const foundTexts = (count: number | null, t: TFunction): string[] =>
  count === null ? [] : [t('log.unbilledFound', { count, n: formatNumber(count) })];

/** What is said of its usage, of which usual calls need nothing. */
export const usageTexts = (facts: LogFacts, t: TFunction): string[] => [
  ...(facts.isPromptOnly ? [t('log.promptOnly')] : []),
  ...unbilledTexts(facts.unbilledTokens, t),
  ...foundTexts(facts.foundTokens, t),
  ...(facts.isEstimated ? [t('log.estimated')] : []),
  ...(facts.isHeld ? [t('log.held')] : []),
  ...(facts.isSuspect ? [t('log.suspect')] : []),
];

type Step = Pick<Attempt, 'channel' | 'reason'> & Partial<Pick<Attempt, 'ms'>>;

/** For those who may see channels: the tries that came to nothing, and the channel that answered. */
const routeOf = (row: LogRow, { attempts }: LogFacts): Step[] =>
  row.type === CONSUMPTION && row.channel > 0
    ? [...attempts, { channel: row.channel, reason: '' }]
    : attempts;

interface RequestFactsProps {
  row: LogRow;
  facts: LogFacts;
  /** It stands by itself: nothing around it tells whose call it was. */
  isAlone?: boolean;
}

export function RequestFacts({ row, facts, isAlone = false }: RequestFactsProps) {
  const { t } = useTranslation();
  const duration = useDuration();
  const remedy = useRemedy(row);
  const advice = adviceFor(facts.reason);
  const usage = usageTexts(facts, t);
  const route = routeOf(row, facts);
  return (
    <div className="min-w-0 text-xs">
      {row.model_name !== '' && <h3 className="mb-1 text-sm font-semibold">{t('log.request')}</h3>}
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
        {row.request_id && (
          <Fact label={t('log.requestId')}>
            <span className="flex items-center gap-1">
              <code className="min-w-0 font-mono wrap-anywhere">{row.request_id}</code>
              <CopyButton iconOnly variant="ghost" text={row.request_id} label={t('log.copyRequestId')} />
            </span>
          </Fact>
        )}
        {isAlone && row.username && <Fact label={t('log.column.user')}>{row.username}</Fact>}
        {isAlone && row.token_name && <Fact label={t('log.column.token')}>{row.token_name}</Fact>}
        {isAlone && row.group && <Fact label={t('log.filter.group')}>{row.group}</Fact>}
        {row.model_name && (
          <Fact label={t('log.column.model')}>
            {row.model_name}
            {facts.upstreamModel && facts.upstreamModel !== row.model_name && (
              <>
                {' → '}
                <code className="font-mono">{facts.upstreamModel}</code>
              </>
            )}
          </Fact>
        )}
        {row.model_name && (
          <Fact label={t('log.mode')}>
            {t(row.is_stream ? 'log.streamed' : 'log.plain')}
            {facts.streamEnd && facts.streamEnd !== 'done' && ` · ${endText(facts.streamEnd, t)}`}
          </Fact>
        )}
        {row.model_name && (
          <Fact label={t('log.duration')}>
            {duration(
              Math.max(
                facts.totalMs === null ? row.use_time : facts.totalMs / 1000,
                (facts.firstMs ?? 0) / 1000,
              ),
            )}
            {facts.firstMs !== null && ` · ${t('log.firstAfter', { time: duration(facts.firstMs / 1000) })}`}
          </Fact>
        )}
        {usage.length > 0 && <Fact label={t('log.usageSource')}>{usage.join(' · ')}</Fact>}
        {row.ip && <Fact label="IP">{row.ip}</Fact>}
        {facts.error && (
          <Fact label={t('log.error')}>
            {facts.error}
            {facts.status > 0 && <span className="text-muted"> · HTTP {facts.status}</span>}
          </Fact>
        )}
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
        {advice && <Fact label={t('log.advice')}>{t(advice)}</Fact>}
      </dl>
      <Timing facts={facts} />
      {!isAlone && (
        <SearchLink change={{ id: row.id }} data-print="no" className="link mt-2 inline-block">
          {t('log.alone')}
        </SearchLink>
      )}
      {route.length > 0 && (
        <>
          <h3 className="mt-3 text-sm font-semibold">{t('log.route')}</h3>
          <ol className="mt-1 grid gap-0.5">
            {route.map((attempt, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: tries have no name but their place
              <li key={index} className="flex gap-2">
                <span className={attempt.reason ? 'text-bad' : 'text-ok'}>
                  {t(attempt.reason ? 'log.attemptFailed' : 'log.attemptOk', { n: index + 1 })}
                </span>
                <span className="min-w-0 flex-1">
                  {facts.isOwnKey ? t('log.ownKey') : t('log.channelNumber', { id: attempt.channel })}
                  {attempt.reason ? ` · ${attempt.reason}` : row.channel_name && ` · ${row.channel_name}`}
                </span>
                {attempt.ms !== undefined && (
                  <span className="text-muted tabular-nums">{duration(attempt.ms / 1000)}</span>
                )}
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

/** Where the time of a call went, in the order in which it went. */
function Timing({ facts: { heldMs, totalMs, firstMs, attempts } }: { facts: LogFacts }) {
  const { t } = useTranslation();
  const duration = useDuration();
  if (heldMs === null || totalMs === null) return null;
  const tried = attempts.reduce((sum, { ms }) => sum + ms, 0);
  const answered = firstMs ?? totalMs;
  const parts = [
    { name: 'log.timing.held', ms: heldMs, colour: 'bg-faint' },
    { name: 'log.timing.tries', ms: tried, colour: 'bg-warn' },
    { name: 'log.timing.first', ms: Math.max(answered - heldMs - tried, 0), colour: 'bg-accent' },
    { name: 'log.timing.stream', ms: Math.max(totalMs - answered, 0), colour: 'bg-ok' },
  ] as const;
  const shown = parts.filter(({ ms }) => ms > 0);
  if (shown.length === 0) return null;
  return (
    <div className="mt-3">
      <h3 className="text-sm font-semibold">{t('log.timing')}</h3>
      <div aria-hidden="true" className="mt-1.5 flex h-1.5 overflow-hidden rounded-full bg-track">
        {shown.map(({ name, ms, colour }) => (
          <span key={name} className={colour} style={{ flexGrow: ms, minWidth: 2 }} />
        ))}
      </div>
      <ul className="mt-1.5 flex flex-wrap gap-x-4 gap-y-0.5 text-muted">
        {shown.map(({ name, ms, colour }) => (
          <li key={name} className="inline-flex items-center gap-1.5">
            <span aria-hidden="true" className={`size-2 rounded-xs ${colour}`} />
            {t(name)} <span className="tabular-nums text-text">{duration(ms / 1000)}</span>
          </li>
        ))}
      </ul>
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
