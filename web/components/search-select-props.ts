export interface SearchOption {
  value: string;
  label: string;
}

/** What a searched select is told, and the chooser that it fetches. */
export interface SearchSelectProps {
  id: string;
  label: string;
  value: string;
  options: readonly SearchOption[];
  onChange: (value: string) => void;
}
