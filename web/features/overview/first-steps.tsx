/** What a newcomer does first: what is done is known from the data, so that nobody ticks anything off. */
import { can } from '@core/roles.ts';
import type { StepName } from '@modules/overview/facts.ts';
import { Link } from '@tanstack/react-router';
import { Circle, CircleCheck } from 'lucide-react';
import { useId } from 'react';
import { buttonVariants } from '@/components/ui/button.tsx';
import type { OwnOverview } from '@/features/home/load.ts';
import { cn } from '@/lib/cn.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function FirstSteps({ steps }: { steps: OwnOverview['steps'] }) {
  const { t } = useTranslation();
  const headingId = useId();
  const done = steps.filter((step) => step.done).length;
  const next = steps.find((step) => !step.done)?.name;
  return (
    <section aria-labelledby={headingId} className="rounded-md border border-line bg-surface">
      <h2 id={headingId} className="flex items-baseline gap-3 border-b border-line px-4 py-2.5 font-semibold">
        {t('overview.firstSteps')}
        <span className="text-xs font-normal text-muted">
          {t('overview.stepsDone', { done, all: steps.length })}
        </span>
      </h2>
      <ol>
        {steps.map(({ name, done: isDone }) => (
          <li
            key={name}
            aria-current={name === next ? 'step' : undefined}
            className="flex min-h-11 items-center gap-3 border-line px-4 py-1.5 not-last:border-b max-md:flex-wrap"
          >
            {isDone ? (
              <CircleCheck className="text-ok" aria-hidden="true" />
            ) : (
              <Circle className={name === next ? 'text-accent' : 'text-faint'} aria-hidden="true" />
            )}
            <span className="min-w-0 flex-1">
              <span className={cn(isDone ? 'text-muted' : 'font-medium')}>{t(`overview.step.${name}`)}</span>
              <span className="sr-only">{t(isDone ? 'overview.done' : 'overview.open')}</span>
              {name === next && (
                <span className="block text-xs text-muted">{t(`overview.stepHelp.${name}`)}</span>
              )}
            </span>
            {!isDone && <StepLink name={name} isNext={name === next} />}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Where each is done. */
function StepLink({ name, isNext }: { name: StepName; isNext: boolean }) {
  const { t } = useTranslation();
  const { user } = useBoot();
  const className = buttonVariants({ variant: isNext ? 'primary' : 'ghost' });
  const words = t(`overview.stepAction.${name}`);
  switch (name) {
    case 'channel':
      return (
        <Link to="/channel/add" className={className}>
          {words}
        </Link>
      );
    case 'test':
      return (
        <Link to="/channel" className={className}>
          {words}
        </Link>
      );
    case 'price':
      // Prices are root's: to others the step is told, and who takes it is not they.
      return can(user?.role ?? 0, 'canManageOptions') ? (
        <Link to="/setting" search={{ tab: 'operation', sub: 'unpriced' }} className={className}>
          {words}
        </Link>
      ) : null;
    case 'balance':
      return (
        <Link to="/topup" className={className}>
          {words}
        </Link>
      );
    case 'token':
      return (
        <Link to="/token/add" className={className}>
          {words}
        </Link>
      );
    case 'call':
      return (
        <Link to="/token/chat" className={className}>
          {words}
        </Link>
      );
  }
}
