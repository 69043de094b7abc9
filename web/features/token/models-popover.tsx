import { Popover, PopoverContent, PopoverTrigger } from '@/components/ui/popover.tsx';

export interface ModelsPopoverProps {
  models: readonly string[];
  /** Names the list and, with the text, its button. */
  label: string;
  /** On the button. */
  text: string;
}

/** Loaded and opened with the first press. */
export function ModelsPopover({
  models,
  label,
  text,
  defaultOpen,
}: ModelsPopoverProps & { defaultOpen: boolean }) {
  return (
    <Popover defaultOpen={defaultOpen}>
      <PopoverTrigger aria-label={`${label}: ${text}`} className="link hit">
        {text}
      </PopoverTrigger>
      <PopoverContent aria-label={label}>
        <p className="mb-1 text-xs text-muted">{label}</p>
        <ul className="max-h-60 overflow-y-auto">
          {models.map((model) => (
            <li key={model} className="truncate">
              {model}
            </li>
          ))}
        </ul>
      </PopoverContent>
    </Popover>
  );
}
