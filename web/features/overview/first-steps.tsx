/** What a newcomer does first: what is done is known from the data, so that nobody ticks anything off. */
import { can } from '@core/roles.ts';
import type { StepName } from '@modules/overview/facts.ts';
import { Link, useRouter } from '@tanstack/react-router';
import { Circle, CircleCheck } from 'lucide-react';
import { useId, useState, useSyncExternalStore } from 'react';
import { Button, buttonVariants, LinkButton } from '@/components/ui/button.tsx';
import { testOutcome } from '@/features/channel/calls.ts';
import type { TestOutcome } from '@/features/channel/recent.ts';
import type { OwnOverview } from '@/features/home/load.ts';
import { cn } from '@/lib/cn.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useDuration } from '@/lib/use-duration.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { areStepsHidden, hideSteps, onStepsHidden } from './steps-shown.ts';

/** Who puts them away finds them again in their place, and from every page by the sheet of keys. */
export function FirstSteps({ own: { steps, untested } }: { own: OwnOverview }) {
  const { t } = useTranslation();
  const { preferences } = useBoot();
  const router = useRouter();
  const headingId = useId();
  const isHiddenNow = () => areStepsHidden(preferences);
  const isHidden = useSyncExternalStore(onStepsHidden, isHiddenNow, isHiddenNow);
  const [outcome, setOutcome] = useState<TestOutcome | null>(null);
  const done = steps.filter((step) => step.done).length;
  const next = steps.find((step) => !step.done)?.name;
  const hide = (hides: boolean) => {
    hideSteps(hides);
    // The last calls stand where the steps do not.
    void router.invalidate();
  };
  if (isHidden) {
    return (
      <p className="text-sm">
        <LinkButton onClick={() => hide(false)}>
          {t('overview.showSteps', { done, all: steps.length })}
        </LinkButton>
      </p>
    );
  }
  return (
    <section aria-labelledby={headingId} className="rounded-md border border-line bg-surface">
      <h2 id={headingId} className="flex items-baseline gap-3 border-b border-line px-4 py-2.5 font-semibold">
        {t('overview.firstSteps')}
        <span className="text-xs font-normal text-muted">
          {t('overview.stepsDone', { done, all: steps.length })}
        </span>
        <Button variant="ghost" size="sm" className="ml-auto" onClick={() => hide(true)}>
          {t('overview.hideSteps')}
        </Button>
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
              {name === 'test' && <Outcome outcome={outcome} />}
            </span>
            {!isDone &&
              (name === 'test' && untested ? (
                <TestButton channel={untested} isNext={name === next} onDone={setOutcome} />
              ) : (
                <StepLink name={name} isNext={name === next} />
              ))}
          </li>
        ))}
      </ol>
    </section>
  );
}

interface TestButtonProps {
  channel: NonNullable<OwnOverview['untested']>;
  isNext: boolean;
  onDone(outcome: TestOutcome): void;
}

/** Tests it in place. */
function TestButton({ channel, isNext, onDone }: TestButtonProps) {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const test = useAction(async () => {
    onDone(await testOutcome(api, channel.id, t));
    await router.invalidate();
  });
  return (
    <Button
      variant={isNext ? 'primary' : 'ghost'}
      busy={test.pending}
      className="h-auto min-h-8 min-w-0 max-w-80 shrink py-1 text-left whitespace-normal max-md:h-auto max-md:min-h-11"
      onClick={() => void test.run()}
    >
      <span className="min-w-0 break-words">{t('overview.testNow', { name: channel.name })}</span>
    </Button>
  );
}

/** How the test ended: which model answered and in what time, or why none did. */
function Outcome({ outcome }: { outcome: TestOutcome | null }) {
  const { t } = useTranslation();
  const duration = useDuration();
  return (
    <span role="status" className="block text-xs break-words empty:hidden">
      {outcome?.ok && (
        <span className="text-ok">
          {t('channel.testOk', { model: outcome.model, time: duration(outcome.ms / 1_000) })}
        </span>
      )}
      {outcome && !outcome.ok && (
        <span className="text-bad">{t('channel.testBad', { reason: outcome.reason })}</span>
      )}
    </span>
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
        <Link to="/channel/add" search={{ kind: 1 }} className={className}>
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
      return user?.may.act ? (
        <Link to="/topup" className={className}>
          {words}
        </Link>
      ) : null;
    case 'token':
      return user?.may.keepTokens ? (
        <Link to="/token/add" className={className}>
          {words}
        </Link>
      ) : null;
    case 'call':
      return user?.may.chat ? (
        <Link to="/token/chat" className={className}>
          {words}
        </Link>
      ) : null;
    case 'password':
      return (
        <Link to="/personal" hash="account" className={className}>
          {words}
        </Link>
      );
    case 'address':
      return (
        <Link to="/setting" search={{ tab: 'system' }} className={className}>
          {words}
        </Link>
      );
  }
}
