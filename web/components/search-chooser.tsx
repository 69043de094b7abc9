import { type UseComboboxState, type UseComboboxStateChangeOptions, useCombobox } from 'downshift';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { cn } from '@/lib/cn.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { optionClass, optionListClass } from './option-list.ts';
import type { SearchOption, SearchSelectProps } from './search-select-props.ts';
import { controlClass } from './ui/input.tsx';

const { stateChangeTypes } = useCombobox;

/** There always is a chosen one: no key takes it away, and what was typed points at the first that fits. */
function nextState(
  state: UseComboboxState<SearchOption>,
  { type, changes }: UseComboboxStateChangeOptions<SearchOption>,
): Partial<UseComboboxState<SearchOption>> {
  switch (type) {
    case stateChangeTypes.InputChange:
      return { ...changes, highlightedIndex: changes.inputValue?.trim() ? 0 : -1 };
    case stateChangeTypes.InputClick:
      return { ...changes, isOpen: true };
    case stateChangeTypes.InputKeyDownEscape:
      return { ...changes, selectedItem: state.selectedItem };
    default:
      return changes;
  }
}

/** Loaded with the first of them. */
export function SearchChooser({ id, label, value, options, onChange }: SearchSelectProps) {
  const { t } = useTranslation();
  const chosen = options.find((option) => option.value === value) ?? null;
  /** Null while nothing is sought: then the chosen one stands in the field. */
  const [typed, setTyped] = useState<string | null>(null);
  const wanted = (typed ?? '').trim().toLowerCase();
  const shown = options.filter((option) => option.label.toLowerCase().includes(wanted));

  const list = useCombobox<SearchOption>({
    items: [...shown],
    itemToKey: (option) => option?.value,
    itemToString: (option) => option?.label ?? '',
    inputId: id,
    // Held here, so that a key that follows at once finds what was typed before it.
    inputValue: typed ?? chosen?.label ?? '',
    selectedItem: chosen,
    stateReducer: nextState,
    onSelectedItemChange: ({ selectedItem }) => selectedItem && onChange(selectedItem.value),
    onIsOpenChange: ({ isOpen }) => isOpen || setTyped(null),
  });
  return (
    <div className="relative">
      <input
        {...list.getInputProps({
          'aria-label': label,
          autoComplete: 'off',
          spellCheck: false,
          onChange: (event) => setTyped(event.currentTarget.value),
          onFocus: (event) => {
            event.currentTarget.select();
            list.openMenu();
          },
        })}
        className={cn(controlClass, 'pr-7 text-ellipsis')}
      />
      <ChevronDown
        className="pointer-events-none absolute top-1/2 right-2 size-3.5 -translate-y-1/2 text-muted"
        aria-hidden="true"
      />
      <div
        {...list.getMenuProps({ 'aria-label': label })}
        hidden={!list.isOpen || shown.length === 0}
        className={optionListClass}
      >
        {shown.map((option, index) => (
          <div key={option.value} {...list.getItemProps({ item: option, index })} className={optionClass}>
            {option.label}
          </div>
        ))}
      </div>
      {/* Hidden and not taken away: where anything goes as the focus leaves, a dialog takes the focus for lost. */}
      <p
        role="status"
        hidden={!list.isOpen || shown.length > 0}
        className={cn(optionListClass, 'px-3.5 py-2.5 text-sm text-muted')}
      >
        {t('palette.nothing')}
      </p>
    </div>
  );
}
