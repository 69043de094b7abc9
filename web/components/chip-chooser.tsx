import { type UseComboboxState, type UseComboboxStateChangeOptions, useCombobox } from 'downshift';
import { type ClipboardEvent, type FocusEvent, type KeyboardEvent, useState } from 'react';
import { entriesOf } from '@/lib/entries.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { ChipBox, chipFieldClass } from './chip-box.tsx';
import type { ChipPickerProps } from './chip-picker-props.ts';
import { optionClass, optionListClass } from './option-list.ts';

/** Beyond this the list says to type on; nobody reads a thousand rows. */
const SHOWN_MAX = 100;

const { stateChangeTypes } = useCombobox;

/** Where choosing several differs from choosing one: the list stays open, and the field is emptied by a choice alone. */
function nextState(
  state: UseComboboxState<string>,
  { type, changes }: UseComboboxStateChangeOptions<string>,
): Partial<UseComboboxState<string>> {
  switch (type) {
    case stateChangeTypes.InputKeyDownEnter:
    case stateChangeTypes.ItemClick:
      return { ...changes, isOpen: true, highlightedIndex: 0, inputValue: '' };
    case stateChangeTypes.InputClick:
      return { ...changes, isOpen: true };
    case stateChangeTypes.InputBlur:
    case stateChangeTypes.InputKeyDownEscape:
      return { ...changes, selectedItem: null, inputValue: state.inputValue };
    default:
      return changes;
  }
}

/** Loaded with the first of them. */
export function ChipChooser(props: ChipPickerProps) {
  const { id, label, value, options, onChange, onBlur, placeholder, allowNew = false } = props;
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const wanted = typed.trim().toLowerCase();
  const found = options.filter((option) => !value.includes(option) && option.toLowerCase().includes(wanted));
  const shown = found.slice(0, SHOWN_MAX);

  const list = useCombobox<string>({
    items: shown,
    inputId: id,
    // Held here, so that a key that follows at once finds what was typed before it.
    inputValue: typed,
    selectedItem: null,
    defaultHighlightedIndex: 0,
    stateReducer: nextState,
    onInputValueChange: ({ inputValue }) => setTyped(inputValue),
    onSelectedItemChange: ({ selectedItem }) => selectedItem !== null && add([selectedItem]),
  });
  const add = (entries: readonly string[]) => {
    const known = entries.filter((entry) => allowNew || options.includes(entry));
    onChange([...new Set([...value, ...known])]);
    setTyped('');
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      // With a modifier it sends the form, from wherever one is in it.
      const isSending = event.ctrlKey || event.metaKey;
      const isChoosing = list.isOpen && shown[list.highlightedIndex] !== undefined;
      if (!isSending) event.preventDefault();
      if (isSending || !isChoosing) Object.assign(event.nativeEvent, { preventDownshiftDefault: true });
      if (!isSending && !isChoosing && allowNew && wanted !== '') add(entriesOf(typed));
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
  /** Who goes on to another control has meant the entry whose whole name he typed. */
  const onLeave = ({ relatedTarget }: FocusEvent) => {
    const isGoingOn =
      relatedTarget instanceof HTMLElement && relatedTarget.matches('button, input, textarea');
    const meant = found.find((option) => option.toLowerCase() === wanted);
    if (isGoingOn && meant !== undefined) add([meant]);
    onBlur?.();
  };
  const input = list.getInputProps({
    'aria-label': label,
    'aria-describedby': props['aria-describedby'],
    'aria-invalid': props['aria-invalid'],
    placeholder,
    spellCheck: false,
    onChange: (event) => setTyped(event.currentTarget.value),
    onFocus: () => list.openMenu(),
    onBlur: onLeave,
    onKeyDown,
    onPaste,
  });
  return (
    <div className="relative">
      <ChipBox
        value={value}
        onRemove={(entry) => {
          onChange(value.filter((one) => one !== entry));
          document.getElementById(id)?.focus();
        }}
        invalid={props['aria-invalid'] === true}
      >
        <input {...input} className={chipFieldClass} />
      </ChipBox>
      <div
        {...list.getMenuProps({ 'aria-label': label })}
        hidden={!list.isOpen || shown.length === 0}
        className={optionListClass}
      >
        {shown.map((option, index) => (
          <div key={option} {...list.getItemProps({ item: option, index })} className={optionClass}>
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
