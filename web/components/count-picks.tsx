import type { Form } from '@/lib/use-form.ts';
import { Input } from './ui/input.tsx';
import { Picks } from './ui/segmented.tsx';

interface CountPicksProps<V extends object> {
  form: Form<V>;
  name: Parameters<Form<V>['text']>[0];
  label: string;
  /** Round numbers to choose from. */
  picks: readonly number[];
}

/** How many of something: typed, or chosen. */
export function CountPicks<V extends object>({ form, name, label, picks }: CountPicksProps<V>) {
  const props = form.text(name);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Input {...props} inputMode="numeric" autoComplete="off" className="w-24 tabular-nums max-md:w-full" />
      <Picks
        label={label}
        value={/^\d+$/.test(props.value) ? Number(props.value) : null}
        options={picks.map((value) => ({ value, label: String(value) }))}
        onChange={(value) => props.onChange({ target: { value: String(value) } })}
      />
    </div>
  );
}
