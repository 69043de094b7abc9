import { type ReactNode, useState } from 'react';
import { Popover, PopoverContent, PopoverTrigger } from '@/components/ui/popover.tsx';

interface ModelsPopoverProps {
  models: readonly string[];
  label: string;
  children: ReactNode;
}

/** Loaded and opened with the first press. */
export function ModelsPopover({ models, label, children }: ModelsPopoverProps) {
  const [open, setOpen] = useState(true);
  return (
    <Popover open={open} onOpenChange={setOpen}>
      <PopoverTrigger aria-label={`${label}: ${models.length}`} className="link hit">
        {children}
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
