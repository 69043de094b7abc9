/** Which models the spend went to: one bar, and its parts by name. */
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { Money } from '@/components/money.tsx';
import type { OwnOverview } from '@/features/home/load.ts';
import { coloursOf } from '@/features/usage/series.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { percentText } from './share.ts';

type Usage = Exclude<OwnOverview['usage'], 'busy' | null>;

const OTHERS_COLOUR = 'var(--series-other)';
const WIDTH = 1_000;

interface ModelSharesProps {
  usage: Usage;
  /** The colours of a bar on the same page: of what both show each has one. */
  beside?: ReadonlyMap<string, string> | undefined;
  title: string;
}

/** The colour of each of its models. */
export const shareColours = ({ models }: Usage, beside?: ReadonlyMap<string, string>): Map<string, string> =>
  coloursOf(
    models.map(({ model }) => model),
    beside,
  );

export function ModelShares({ usage, beside, title }: ModelSharesProps) {
  const { models, others, all } = usage;
  const { t } = useTranslation();
  const headingId = useId();
  const colours = shareColours(usage, beside);
  const parts = [
    ...models.map(({ model, quota }) => ({
      key: model,
      label: model || t('usage.nameless'),
      quota,
      color: colours.get(model) ?? OTHERS_COLOUR,
    })),
    ...(others
      ? [
          {
            key: ' others',
            label: t('usage.others', { count: others.count }),
            quota: others.quota,
            color: OTHERS_COLOUR,
          },
        ]
      : []),
  ].filter(({ quota }) => quota > 0);
  if (parts.length === 0 || all.quota <= 0) return null;
  let at = 0;
  return (
    <section aria-labelledby={headingId} className="rounded-md border border-line bg-surface px-4 py-3">
      <div className="mb-2 flex items-baseline gap-3">
        <h2 id={headingId} className="font-semibold">
          {title}
        </h2>
        <Link to="/detail" className="hit ml-auto text-sm text-accent-text">
          {t('overview.more')}
        </Link>
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} 10`}
        preserveAspectRatio="none"
        aria-hidden="true"
        className="block h-2.5 w-full overflow-hidden rounded-full"
      >
        {parts.map(({ key, quota, color }) => {
          const width = (quota / all.quota) * WIDTH;
          const x = at;
          at += width;
          return <rect key={key} x={x} width={width} height={10} style={{ fill: color }} />;
        })}
      </svg>
      <ul className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-xs">
        {parts.map(({ key, label, quota, color }) => (
          <li key={key} className="flex max-w-full items-center gap-1.5">
            <span
              aria-hidden="true"
              className="size-2.5 shrink-0 rounded-[2px]"
              style={{ background: color }}
            />
            <span className="truncate">{label}</span>
            <span className="whitespace-nowrap text-muted tabular-nums">
              {percentText(quota, all.quota)} % · <Money quota={quota} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
