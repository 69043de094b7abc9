/** What a picker of several is told, and the chooser that it fetches. */
export interface ChipPickerProps {
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
