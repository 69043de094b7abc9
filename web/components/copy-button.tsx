import { Check, Copy, type LucideIcon } from 'lucide-react';
import { type ComponentProps, useEffect, useRef, useState } from 'react';
import { copyText } from '@/lib/clipboard.ts';
import { late } from '@/lib/late.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { Button } from './ui/button.tsx';

const ManualCopy = late(() => import('./manual-copy.tsx').then((module) => module.ManualCopy));

const SHOWN_MS = 2_000;

interface CopyButtonProps extends Omit<ComponentProps<typeof Button>, 'onClick' | 'children' | 'onError'> {
  /** What to copy, or how to get it: secrets are asked for only when somebody copies them. */
  text: string | (() => Promise<string>);
  /** Words on the button, or, with `iconOnly`, its name. */
  label: string;
  iconOnly?: boolean;
  /** In the place of the two sheets. */
  icon?: LucideIcon;
  onError?: (error: unknown) => void;
}

type State = { step: 'rest' } | { step: 'copied' } | { step: 'manual'; text: string };

/** Copies, and says so only when it is true; where no way of copying works, a dialog offers the text selected. */
export function CopyButton({ text, label, iconOnly, icon = Copy, onError, ...props }: CopyButtonProps) {
  const { t } = useTranslation();
  const [state, setState] = useState<State>({ step: 'rest' });
  const button = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (state.step !== 'copied') return;
    const timer = setTimeout(() => setState({ step: 'rest' }), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);

  const copy = async () => {
    try {
      const value = typeof text === 'string' ? text : await text();
      const container = button.current?.closest<HTMLElement>('[role="dialog"]') ?? document.body;
      setState((await copyText(value, container)) ? { step: 'copied' } : { step: 'manual', text: value });
    } catch (error) {
      onError?.(error);
    }
  };

  const copied = state.step === 'copied';
  const Icon = copied ? Check : icon;
  return (
    <>
      <Button
        ref={button}
        {...props}
        aria-label={iconOnly ? label : undefined}
        title={iconOnly ? label : undefined}
        onClick={() => void copy()}
      >
        <Icon aria-hidden="true" className={copied ? 'text-ok!' : undefined} />
        {!iconOnly && (copied ? t('app.copied') : label)}
      </Button>
      <span role="status" className="sr-only">
        {copied ? t('app.copied') : ''}
      </span>
      {state.step === 'manual' && <ManualCopy text={state.text} onClose={() => setState({ step: 'rest' })} />}
    </>
  );
}
