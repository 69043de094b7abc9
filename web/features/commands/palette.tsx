/** One field that leads everywhere: to pages, to records, and to what can be done. On the phone it is a sheet. */
import { type UseComboboxState, type UseComboboxStateChangeOptions, useCombobox } from 'downshift';
import { Search, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { Dialog, DialogContent, DialogTitle } from '@/components/ui/dialog.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Command } from './command.ts';
import { useCommands } from './use-commands.ts';

interface PaletteProps {
  /** What was typed while this was loaded. */
  typedBefore: () => string;
  onClose: () => void;
  openHelp: () => void;
}

export function Palette({ typedBefore, onClose, openHelp }: PaletteProps) {
  const { t } = useTranslation();
  const chosen = useRef<Command>(undefined);
  // Read before the field takes the focus, which it does by itself.
  const [opener] = useState(() => document.activeElement);
  const choose = (command: Command) => {
    chosen.current = command;
    onClose();
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent
        aria-describedby={undefined}
        className="top-[12vh] flex max-h-[70vh] w-[600px] flex-col overflow-hidden p-0 max-md:top-0 max-md:max-h-none max-md:rounded-none max-md:border-0 max-md:p-0"
        onCloseAutoFocus={(event) => {
          event.preventDefault();
          // Who has opened it again, or pressed elsewhere, has the focus there already.
          if (opener instanceof HTMLElement && document.activeElement === document.body) opener.focus();
          // Only now: what it opens remembers where the focus was, and takes it.
          chosen.current?.run();
        }}
      >
        <DialogTitle className="sr-only">{t('palette.title')}</DialogTitle>
        <Chooser typedBefore={typedBefore} onChoose={choose} openHelp={openHelp} onClose={onClose} />
      </DialogContent>
    </Dialog>
  );
}

const { stateChangeTypes } = useCombobox;

/** The list stands as long as the palette does, and nothing is chosen by leaving its field. */
function nextState(
  { inputValue, highlightedIndex }: UseComboboxState<Command>,
  { type, changes }: UseComboboxStateChangeOptions<Command>,
): Partial<UseComboboxState<Command>> {
  switch (type) {
    case stateChangeTypes.InputChange:
      return { ...changes, highlightedIndex: 0 };
    case stateChangeTypes.InputKeyDownEnter:
    case stateChangeTypes.ItemClick:
      return { ...changes, inputValue };
    case stateChangeTypes.InputBlur:
    case stateChangeTypes.InputKeyDownEscape:
      return { inputValue, highlightedIndex, selectedItem: null };
    case stateChangeTypes.MenuMouseLeave:
      return { ...changes, highlightedIndex };
    default:
      return changes;
  }
}

interface ChooserProps extends PaletteProps {
  onChoose: (command: Command) => void;
}

function Chooser({ typedBefore, onChoose, openHelp, onClose }: ChooserProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(typedBefore);
  const { groups, failures, pending } = useCommands(typed, openHelp);
  const commands = groups.flatMap((group) => group.commands);
  const list = useCombobox<Command>({
    items: commands,
    itemToKey: (command) => command?.id,
    itemToString: (command) => command?.name ?? '',
    isOpen: true,
    inputValue: typed,
    selectedItem: null,
    initialHighlightedIndex: 0,
    stateReducer: nextState,
    onSelectedItemChange: ({ selectedItem }) => selectedItem && onChoose(selectedItem),
  });
  const status = pending ? t('palette.searching') : t('palette.count', { count: commands.length });
  return (
    <>
      <div className="flex shrink-0 items-center gap-2 border-b border-line px-4 max-md:pr-1">
        <Search className="text-faint" aria-hidden="true" />
        <input
          {...list.getInputProps({
            'aria-label': t('palette.field'),
            placeholder: t('palette.field'),
            autoComplete: 'off',
            spellCheck: false,
            maxLength: 100,
            onChange: (event) => setTyped(event.currentTarget.value),
          })}
          className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-faint"
        />
        <Button variant="ghost" size="icon" aria-label={t('app.close')} onClick={onClose}>
          <X aria-hidden="true" />
        </Button>
      </div>
      <div
        {...list.getMenuProps({ 'aria-label': t('palette.title') })}
        className="min-h-0 flex-1 overflow-y-auto p-2"
      >
        {groups.map(({ id, title, commands: own }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a list of options
          <div key={id} role="group" aria-label={title} className="not-first:mt-2">
            <p aria-hidden="true" className="px-2.5 pt-1 pb-0.5 text-xs text-faint">
              {title}
            </p>
            {own.map((command) => (
              <Row
                key={command.id}
                command={command}
                props={list.getItemProps({ item: command, index: commands.indexOf(command) })}
              />
            ))}
          </div>
        ))}
      </div>
      <div className="shrink-0 empty:hidden">
        {commands.length === 0 && !pending && (
          <p className="px-4 pb-4 text-sm text-muted">{t('palette.nothing')}</p>
        )}
        {failures.map((failure) => (
          <p key={failure} role="alert" className="border-t border-line px-4 py-2 text-sm text-bad">
            {failure}
          </p>
        ))}
      </div>
      <p role="status" className="sr-only">
        {status}
      </p>
    </>
  );
}

function Row({ command, props }: { command: Command; props: object }) {
  const { name, hint, icon: Icon } = command;
  return (
    <div
      {...props}
      className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-sm px-2.5 text-sm aria-selected:bg-hover max-md:min-h-11"
    >
      <Icon className="shrink-0 text-muted" aria-hidden="true" />
      <span className="min-w-0 flex-1 truncate">{name}</span>
      {hint && <span className="max-w-[45%] truncate font-mono text-xs text-muted">{hint}</span>}
    </div>
  );
}
