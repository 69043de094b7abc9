/** Several of a few, all in sight. */
import { Checkbox } from '@/components/ui/checkbox.tsx';
import { FieldGroup } from '@/components/ui/field.tsx';

interface ChoicesProps<V extends string> {
  id: string;
  label: string;
  help?: string;
  options: readonly { value: V; label: string }[];
  value: readonly V[];
  onChange: (value: V[]) => void;
}

/** In the order of the options, however they were ticked. */
export function Choices<V extends string>({ id, label, help, options, value, onChange }: ChoicesProps<V>) {
  const toggled = (option: V, isOn: boolean): V[] =>
    options.map((one) => one.value).filter((one) => (one === option ? isOn : value.includes(one)));
  return (
    <FieldGroup id={id} label={label} help={help}>
      <div className="flex flex-wrap gap-x-5 gap-y-1">
        {options.map((option) => (
          <label key={option.value} className="flex min-h-7 items-center gap-2 max-md:min-h-11">
            <Checkbox
              checked={value.includes(option.value)}
              onChange={(event) => onChange(toggled(option.value, event.target.checked))}
            />
            {option.label}
          </label>
        ))}
      </div>
    </FieldGroup>
  );
}
