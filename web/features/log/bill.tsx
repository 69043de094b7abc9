/** The bill of one call: the formula that was charged, line by line, and whether it adds up. */
import { isObject } from '@core/json.ts';
import { formatAmount, formatNumber, formatRate, usdText } from '@core/money.ts';
import { type Charge, type ChargeLine, type TierSpan, UNITS_PER_USD } from '@core/price-formula.ts';
import { chargeOfRecord, quoteOfRecord, tierOfRecord } from '@core/price-record.ts';
import { upstreamCost } from '@core/receipt.ts';
import { Check, TriangleAlert } from 'lucide-react';
import { CopyButton } from '@/components/copy-button.tsx';
import type { TFunction } from '@/lib/i18n.ts';
import { moneyRules, useBoot } from '@/lib/page-context.ts';
import type { TextKey } from '@/lib/text-key.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Boot } from '../../boot.ts';
import type { LogFacts, LogRow } from './log-row.ts';

const ITEM: Record<ChargeLine['item'], TextKey> = {
  input: 'log.item.input',
  cacheRead: 'log.item.cacheRead',
  cacheReadAudio: 'log.item.cacheReadAudio',
  cacheWrite: 'log.item.cacheWrite',
  cacheWriteHour: 'log.item.cacheWriteHour',
  inputAudio: 'log.item.inputAudio',
  inputImage: 'log.item.inputImage',
  inputVideo: 'log.item.inputVideo',
  output: 'log.item.output',
  outputThought: 'log.item.outputThought',
  outputAudio: 'log.item.outputAudio',
  outputImage: 'log.item.outputImage',
  call: 'log.item.call',
  tool: 'log.item.tool',
};

const labelOf = ({ item, tool, model }: ChargeLine, t: TFunction): string =>
  [t(ITEM[item]), tool, model && `(${model})`].filter(Boolean).join(' ');

/** Exact decimals as they are shown: what a ratio of twelve places leaves behind them says nothing to anybody. */
function shownDecimal(text: string, places: number): string {
  const [whole = '0', fraction = ''] = text.split('.');
  const scaled = BigInt(whole + fraction.padEnd(places + 1, '0').slice(0, places + 1));
  const digits = ((scaled + 5n) / 10n).toString().padStart(places + 1, '0');
  const decimals = digits.slice(-places).replace(/0+$/, '');
  return formatNumber(BigInt(digits.slice(0, -places))) + (decimals ? `.${decimals}` : '');
}

const WEIGHTED_PLACES = 6;
const DOLLAR_PLACES = 10;

/** Weighted units as dollars: their decimal text divided by the units of a dollar, rounded at ten places. */
export function dollarsOf(weighted: string): string {
  const [whole = '0', fraction = ''] = weighted.split('.');
  const scale = 10n ** 24n;
  const units = BigInt(whole + fraction.padEnd(24, '0').slice(0, 24));
  const dollars = units / BigInt(UNITS_PER_USD);
  const decimals = (dollars % scale).toString().padStart(24, '0');
  return `$${shownDecimal(`${dollars / scale}.${decimals}`, DOLLAR_PLACES)}`;
}

export const weightedText = (weighted: string): string =>
  weighted.startsWith('-')
    ? `−${shownDecimal(weighted.slice(1), WEIGHTED_PLACES)}`
    : shownDecimal(weighted, WEIGHTED_PLACES);

export function Bill({ row, facts }: { row: LogRow; facts: LogFacts }) {
  const { t } = useTranslation();
  const boot = useBoot();
  const charge = chargeOfRecord(row, facts.other);
  const quote = quoteOfRecord(facts.other);
  const tier = tierOfRecord(facts.other);
  if (!charge || !quote) return <p className="text-muted">{t('log.noBill')}</p>;
  const shown = formatAmount(row.quota, moneyRules(boot));
  // What an empty account could not pay was written off: then less was charged than the formula says.
  const adds = charge.quota === row.quota;
  const { admin_info: admin } = facts.other;
  const upstream = isObject(admin)
    ? upstreamCost({ sum: charge.sum, quota: row.quota }, admin.cost_ratio)
    : null;
  return (
    <div className="min-w-0">
      <h3 className="text-sm font-semibold">{t('log.bill')}</h3>
      <p className="mt-0.5 flex flex-wrap gap-x-4 text-xs text-muted">
        {quote.price.kind === 'tokens' ? (
          <>
            <Factor label={t('log.modelRatio')} value={facts.other.model_ratio} />
            <Factor
              label={t(quote.price.thought ? 'log.thinkingRatio' : 'log.completionRatio')}
              value={facts.other.completion_ratio}
            />
            <Factor label={t('log.cacheRatio')} value={facts.other.cache_ratio} />
          </>
        ) : (
          <Factor label={t('log.callPrice')} value={facts.other.model_price} />
        )}
        <Factor label={t('log.groupRatio', { group: row.group })} value={charge.groupRatio} />
        <span>{t(`log.source.${quote.source}`)}</span>
      </p>
      {tier && <p className="mt-0.5 text-xs text-muted">{tierText(tier, t)}</p>}
      {facts.isEstimated && (
        <p className="mt-1 flex items-start gap-1 text-xs text-warn">
          <TriangleAlert className="mt-px size-3.5 shrink-0" aria-hidden="true" />
          {t('log.countedHere')}
        </p>
      )}
      {facts.isSuspect && (
        <p className="mt-1 flex items-start gap-1 text-xs text-warn">
          <TriangleAlert className="mt-px size-3.5 shrink-0" aria-hidden="true" />
          {t('log.suspect')}
        </p>
      )}
      <BillTable charge={charge} />
      <p className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line pt-2 text-xs text-muted">
        <span>
          {t('log.charged')}{' '}
          <strong className="text-text">{t('money.units', { count: row.quota, units: shown.units })}</strong>
        </span>
        {adds ? (
          <span className="inline-flex items-center gap-1 text-ok">
            <Check className="size-3.5" aria-hidden="true" />
            {t('log.adds')}
          </span>
        ) : (
          <span className="inline-flex items-center gap-1 text-warn">
            <TriangleAlert className="size-3.5" aria-hidden="true" />
            {t('log.doesNotAdd', { count: charge.quota, units: formatNumber(charge.quota) })}
          </span>
        )}
        {facts.held !== null && <span>{heldText(facts.held, row.quota, t)}</span>}
        <span>{exchangeText(row.quota, shown.exact, boot, t)}</span>
        {shown.exact && shown.exact !== shown.text && (
          <span>{t('log.shown', { amount: shown.text, exact: shown.exact })}</span>
        )}
        {upstream && (
          <span>
            {t('log.upstreamCost', {
              ratio: upstream.cost_ratio,
              cost: weightedText(upstream.cost),
              margin: weightedText(upstream.margin),
            })}
          </span>
        )}
        <CopyButton
          variant="ghost"
          className="ml-auto"
          label={t('log.copyBill')}
          text={billText(charge, row, facts, t)}
        />
      </p>
    </div>
  );
}

/** What was held before the call, and what of that came back. */
const heldText = (held: number, charged: number, t: TFunction): string =>
  t('log.reserved', { held: formatNumber(held), returned: formatNumber(Math.max(held - charged, 0)) });

/** How units become money: by the rate of dollars, and where yuan are shown by theirs. */
function exchangeText(quota: number, yuan: string | null, { status, locale }: Boot, t: TFunction): string {
  const perUnit = formatNumber(status.quota_per_unit);
  const usd = usdText(Math.abs(quota), status.quota_per_unit);
  return locale === 'zh' && yuan
    ? t('log.exchangeYuan', { perUnit, usd, rate: status.price, yuan })
    : t('log.exchange', { perUnit, usd });
}

/** Which tier was charged, and why. */
export function tierText({ by, from, upTo, count }: TierSpan, t: TFunction): string {
  const span = {
    from: formatNumber(from),
    to: upTo === null ? '' : formatNumber(upTo),
  };
  const name = upTo === null ? 'log.tier.over' : from === 0 ? 'log.tier.upTo' : 'log.tier.between';
  return t(by === 'month' ? 'log.tier.byMonth' : 'log.tier.byInput', {
    tier: t(name, span),
    n: formatNumber(count),
  });
}

function Factor({ label, value }: { label: string; value: unknown }) {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  return (
    <span>
      {label}{' '}
      <strong className="font-semibold text-text">
        {typeof value === 'number' ? formatRate(value) : value}
      </strong>
    </span>
  );
}

function BillTable({ charge }: { charge: Charge }) {
  const { t } = useTranslation();
  return (
    <table className="bill-table mt-2">
      <thead>
        <tr>
          <th scope="col">{t('log.column.item')}</th>
          <th scope="col">{t('log.column.count')}</th>
          <th scope="col">{t('log.column.factors')}</th>
          <th scope="col">{t('log.column.weighted')}</th>
          <th scope="col">{t('log.column.unitPrice')}</th>
          <th scope="col">{t('log.column.amount')}</th>
        </tr>
      </thead>
      <tbody>
        {charge.lines.map((line) => (
          <tr key={`${line.model ?? ''} ${line.tool ?? line.item}`}>
            <th scope="row">{labelOf(line, t)}</th>
            <td data-label={t('log.column.count')}>{formatNumber(line.count)}</td>
            <td data-label={t('log.column.factors')}>
              {/* The phone has no column for it. */}
              <span className="md:hidden">{formatNumber(line.count)} × </span>
              {line.factors.map((factor) => formatRate(Number(factor))).join(' × ')}
            </td>
            <td data-label={t('log.column.weighted')}>{weightedText(line.weighted)}</td>
            <td data-label={t('log.column.unitPrice')} className="text-muted">
              ${formatRate(Number(line.usd))}
            </td>
            <td data-label={t('log.column.amount')}>{dollarsOf(line.weighted)}</td>
          </tr>
        ))}
        <tr data-rule>
          <th scope="row">{t('log.subtotal')}</th>
          <td />
          <td />
          <td data-label={t('log.column.weighted')}>{weightedText(charge.sum)}</td>
          <td />
          <td data-label={t('log.column.amount')}>{dollarsOf(charge.sum)}</td>
        </tr>
        <tr>
          <th scope="row">{t('log.group')}</th>
          <td />
          <td data-label={t('log.column.factors')}>× {charge.groupRatio}</td>
          <td data-label={t('log.column.weighted')}>{weightedText(charge.exact)}</td>
          <td />
          <td data-label={t('log.column.amount')}>{dollarsOf(charge.exact)}</td>
        </tr>
        <tr className="font-semibold">
          <th scope="row">{t(charge.raisedToOne ? 'log.least' : 'log.rounded')}</th>
          <td />
          <td />
          <td data-label={t('log.column.weighted')}>{formatNumber(charge.quota)}</td>
          <td />
          <td data-label={t('log.column.amount')}>{dollarsOf(String(charge.quota))}</td>
        </tr>
      </tbody>
    </table>
  );
}

/** The same as plain text, for a mail to whoever asks. */
function billText(charge: Charge, row: LogRow, { isEstimated, held, other }: LogFacts, t: TFunction): string {
  const tier = tierOfRecord(other);
  return [
    `${row.model_name} ${row.request_id}`,
    ...(tier ? [tierText(tier, t)] : []),
    ...(isEstimated ? [t('log.countedHere')] : []),
    ...charge.lines.map(
      (line) => `${labelOf(line, t)}: ${line.count} × ${line.factors.join(' × ')} = ${line.weighted}`,
    ),
    `${t('log.subtotal')}: ${charge.sum}`,
    `× ${charge.groupRatio} = ${charge.exact}`,
    `${t('log.charged')} ${row.quota}`,
    ...(held === null ? [] : [heldText(held, row.quota, t)]),
  ].join('\n');
}
