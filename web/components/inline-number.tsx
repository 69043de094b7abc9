/**
 * A whole number in a table that is edited where it stands: Enter or leaving it saves, Escape puts the old one back. With
 * `check`, leaving it saves nothing: a button does, which stands beside it while it differs.
 */
import { Check } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { cn } from '@/lib/cn.ts';
import { errorText, failureNotice } from '@/lib/error-text.ts';
import { type Notice, notify } from '@/lib/notify.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Button, Spinner } from './ui/button.tsx';

interface InlineNumberProps {
  /** Names the field with its row: `Priority of azure-east`. */
  label: string;
  /** Null: it stands for several things that differ. */
  value: number | null;
  /** Shown for null. */
  placeholder?: string;
  min: number;
  /** What is said of a text that is no such number. */
  invalid: string;
  save: (value: number) => Promise<void>;
  /** What the button is called that saves it. */
  check?: string;
}

const SAVED_SHOWN_MS = 2_000;

/** A dotted rest state: an underline that turns into a field under the pointer. */
const fieldClass =
  'h-[26px] w-14 rounded-xs border border-transparent bg-transparent bg-[linear-gradient(var(--line-btn),var(--line-btn))] bg-[length:calc(100%-12px)_1px] bg-[position:6px_calc(100%-2px)] bg-no-repeat px-1.5 text-right text-sm tabular-nums hover:border-line-btn hover:bg-none focus:border-line-strong focus:bg-surface focus:bg-none focus:outline-offset-0 aria-invalid:border-bad aria-invalid:bg-none max-md:h-11 max-md:w-16 max-md:bg-[position:6px_calc(100%-9px)] max-md:text-[16px]';

const textOf = (value: number | null): string => (value === null ? '' : String(value));

export function InlineNumber(props: InlineNumberProps) {
  const { label, value, placeholder, min, invalid, save, check } = props;
  const { t } = useTranslation();
  const [text, setText] = useState(textOf(value));
  const [state, setState] = useState<'rest' | 'saving' | 'saved' | 'refused'>('rest');
  // What is known to be stored: the row's value, until a save has gone through.
  const stored = useRef(value);

  // A row that comes anew does not take away what is being typed.
  useEffect(() => {
    const before = textOf(stored.current);
    stored.current = value;
    setText((shown) => (shown === before ? textOf(value) : shown));
  }, [value]);
  useEffect(() => {
    if (state !== 'saved') return;
    const timer = setTimeout(() => setState('rest'), SAVED_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);

  const restore = (next: 'rest' | 'refused') => {
    setText(textOf(stored.current));
    setState(next);
  };
  const refuse = (notice: Notice) => {
    restore('refused');
    notify(notice);
  };

  const commit = async () => {
    const typed = text.trim().replace('−', '-');
    if (state === 'saving' || typed === textOf(stored.current)) return;
    const next = Number(typed);
    if (typed === '' || !Number.isSafeInteger(next) || next < min)
      return refuse({ tone: 'bad', text: `${label}: ${invalid}` });
    setState('saving');
    try {
      await save(next);
      stored.current = next;
      setState('saved');
    } catch (error) {
      refuse(failureNotice(error, t, `${label}: ${errorText(error, t)}`));
    }
  };

  const isEdited = state === 'rest' && text.trim() !== textOf(stored.current);
  return (
    <span className="relative -mr-[7px] inline-flex items-center max-md:mr-0">
      <span aria-hidden="true" className="absolute -left-2.5 flex">
        {state === 'saving' && <Spinner />}
        {state === 'saved' && <Check className="size-3! text-ok" />}
      </span>
      <input
        type="text"
        inputMode={min < 0 ? 'text' : 'numeric'}
        autoComplete="off"
        aria-label={label}
        aria-busy={state === 'saving' || undefined}
        aria-invalid={state === 'refused' || undefined}
        readOnly={state === 'saving'}
        value={text}
        placeholder={placeholder}
        className={cn(fieldClass, state === 'saved' && 'text-ok')}
        onChange={(event) => {
          setText(event.target.value);
          setState('rest');
        }}
        onFocus={(event) => event.target.select()}
        onBlur={() => check === undefined && void commit()}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void commit();
          if (event.key === 'Escape') restore('rest');
        }}
      />
      {check !== undefined && isEdited && (
        <Button
          variant="ghost"
          size="icon-sm"
          aria-label={check}
          title={check}
          className="absolute left-full max-md:static max-md:mx-0"
          onClick={() => void commit()}
        >
          <Check aria-hidden="true" />
        </Button>
      )}
    </span>
  );
}
