/** Several of a list: chips in a box, with a field that finds, adds and takes pasted comma lists. */
import { X } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, useId, useRef, useState } from 'react';
import { cn } from '@/lib/cn.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { LinkButton } from './ui/button.tsx';

interface ChipPickerProps {
  id: string;
  label: string;
  value: readonly string[];
  options: readonly string[];
  onChange: (value: string[]) => void;
  onBlur?: () => void;
  placeholder?: string;
  /** Takes what is not among the options, too. */
  allowNew?: boolean;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

/** Beyond this the list says to type on; nobody reads a thousand rows. */
const SHOWN_MAX = 100;
const CHIPS_MAX = 40;

/** The entries of a comma or line list, trimmed, each once. */
export const entriesOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/[,，\n]/)
      .map((entry) => entry.trim())
      .filter(Boolean),
  ),
];

export function ChipPicker(props: ChipPickerProps) {
  const { id, label, value, options, onChange, onBlur, placeholder, allowNew = false } = props;
  const { t } = useTranslation();
  const listId = useId();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const [expanded, setExpanded] = useState(false);

  const wanted = typed.trim().toLowerCase();
  const found = options.filter((option) => !value.includes(option) && option.toLowerCase().includes(wanted));
  const shown = found.slice(0, SHOWN_MAX);
  const chips = expanded ? value : value.slice(0, CHIPS_MAX);

  const add = (entries: readonly string[]) => {
    const known = entries.filter((entry) => allowNew || options.includes(entry));
    onChange([...new Set([...value, ...known])]);
    setTyped('');
    setActive(0);
  };
  const remove = (entry: string) => {
    onChange(value.filter((one) => one !== entry));
    field.current?.focus();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive((index) => (shown.length === 0 ? 0 : (index + step + shown.length) % shown.length));
    } else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
      // Enter chooses here; the form is sent from its button.
      event.preventDefault();
      const choice = open ? shown[active] : undefined;
      if (choice !== undefined) add([choice]);
      else if (allowNew && typed.trim()) add(entriesOf(typed));
    } else if (event.key === 'Escape' && open) {
      // Closes the list and not the drawer around it.
      event.stopPropagation();
      setOpen(false);
    } else if (event.key === 'Backspace' && typed === '') {
      onChange(value.slice(0, -1));
    }
  };

  const onPaste = (event: ClipboardEvent) => {
    const entries = entriesOf(event.clipboardData.getData('text'));
    if (entries.length < 2) return;
    event.preventDefault();
    add(entries);
  };

  return (
    <div className="relative">
      <div
        className={cn(
          'flex min-h-9 flex-wrap gap-1 rounded-sm border border-line-strong bg-surface p-[5px] focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-focus max-md:min-h-11',
          props['aria-invalid'] && 'border-bad',
        )}
      >
        {chips.map((entry) => (
          <span
            key={entry}
            className="inline-flex h-6 max-w-full items-center gap-1 rounded-sm border border-line-btn pr-0.5 pl-2 text-xs max-md:h-8"
          >
            <span className="truncate">{entry}</span>
            <button
              type="button"
              aria-label={t('picker.remove', { entry })}
              className="hit grid size-5 place-items-center rounded-xs text-muted hover:bg-hover hover:text-text max-md:size-7"
              onClick={() => remove(entry)}
            >
              <X className="size-3" aria-hidden="true" />
            </button>
          </span>
        ))}
        {value.length > chips.length && (
          <LinkButton className="px-1 text-xs" onClick={() => setExpanded(true)}>
            +{value.length - chips.length}
          </LinkButton>
        )}
        <input
          ref={field}
          id={id}
          role="combobox"
          aria-label={label}
          aria-expanded={open}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={open && shown[active] !== undefined ? `${listId}-${active}` : undefined}
          aria-describedby={props['aria-describedby']}
          aria-invalid={props['aria-invalid']}
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholder}
          value={typed}
          className="h-6 min-w-30 flex-1 bg-transparent px-1 text-sm outline-none max-md:h-8 max-md:text-[16px]"
          onChange={(event) => {
            setTyped(event.target.value);
            setActive(0);
            setOpen(true);
          }}
          onFocus={() => setOpen(true)}
          onClick={() => setOpen(true)}
          onBlur={() => {
            setOpen(false);
            onBlur?.();
          }}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
      </div>
      <div
        id={listId}
        role="listbox"
        aria-label={label}
        hidden={!open || shown.length === 0}
        className="absolute inset-x-0 top-full z-10 mt-1 max-h-60 overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-float"
      >
        {shown.map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard chooses through the field, which keeps the focus
          <div
            key={option}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className="cursor-pointer truncate rounded-sm px-2.5 py-1.5 text-sm aria-selected:bg-hover max-md:py-3"
            // The field keeps the focus, so that its blur does not close the list before the click.
            onMouseDown={(event) => event.preventDefault()}
            onMouseEnter={() => setActive(index)}
            onClick={() => add([option])}
          >
            {option}
          </div>
        ))}
        {found.length > shown.length && (
          <p className="px-2.5 py-1.5 text-xs text-muted">
            {t('picker.more', { count: found.length - shown.length })}
          </p>
        )}
      </div>
    </div>
  );
}
