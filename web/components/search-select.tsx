/** One of a list that is too long to be read: a field that shows the chosen one, and finds another by a part of its name. */
import { late, useTellMissing } from '@/lib/late.tsx';
import type { SearchSelectProps } from './search-select-props.ts';
import { Select } from './ui/select.tsx';

/** The field is fetched with the first one: it brings a library along. Until then the browser's own does. */
export const SearchSelect = late<SearchSelectProps>(
  () => import('./search-chooser.tsx').then((module) => module.SearchChooser),
  MissingChooser,
  PlainSelect,
);

function PlainSelect({ id, value, options, onChange }: SearchSelectProps) {
  return (
    <Select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </Select>
  );
}

/** What was chosen stays, and another can be. */
function MissingChooser(props: SearchSelectProps) {
  useTellMissing();
  return <PlainSelect {...props} />;
}
