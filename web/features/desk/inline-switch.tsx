/** A switch in a row that is saved at once: it stands as it was asked to until the answer says otherwise. */
import { useState } from 'react';
import { Switch } from '@/components/ui/checkbox.tsx';
import { useEntryActions } from './use-entry-actions.ts';

interface InlineSwitchProps {
  /** Names it with its row. */
  label: string;
  checked: boolean;
  save: (checked: boolean) => Promise<unknown>;
}

export function InlineSwitch({ label, checked, save }: InlineSwitchProps) {
  const { change } = useEntryActions();
  /** Null: nothing is being saved. */
  const [asked, setAsked] = useState<boolean | null>(null);
  const toggle = async (next: boolean) => {
    setAsked(next);
    await change(() => save(next));
    setAsked(null);
  };
  return (
    <Switch
      aria-label={label}
      className="align-middle"
      aria-busy={asked !== null || undefined}
      checked={asked ?? checked}
      onChange={(event) => {
        if (asked === null) void toggle(event.target.checked);
      }}
    />
  );
}
