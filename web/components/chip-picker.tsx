/** Several of a list: chips in a box, with a field that finds, adds and takes pasted comma lists. */
import { late, useTellMissing } from '@/lib/late.tsx';
import { ChipBox, chipFieldClass } from './chip-box.tsx';
import type { ChipPickerProps } from './chip-picker-props.ts';

/** The field that finds and adds is fetched with the first one: it brings a library along. */
export const ChipPicker = late<ChipPickerProps>(
  () => import('./chip-chooser.tsx').then((module) => module.ChipChooser),
  MissingChooser,
  ChipsAlone,
);

/** Holds the chooser's place. */
function ChipsAlone({ id, label, value, onChange, placeholder, ...aria }: ChipPickerProps) {
  return (
    <ChipBox
      value={value}
      onRemove={(entry) => onChange(value.filter((one) => one !== entry))}
      invalid={aria['aria-invalid'] === true}
    >
      <input
        id={id}
        aria-label={label}
        aria-describedby={aria['aria-describedby']}
        aria-invalid={aria['aria-invalid']}
        placeholder={placeholder}
        disabled
        className={chipFieldClass}
      />
    </ChipBox>
  );
}

/** What is chosen stays, and can be taken away. */
function MissingChooser(props: ChipPickerProps) {
  useTellMissing();
  return <ChipsAlone {...props} />;
}
