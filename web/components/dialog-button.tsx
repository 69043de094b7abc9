import type { LucideIcon } from 'lucide-react';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { Button } from './ui/button.tsx';

interface DialogButtonProps extends Omit<ComponentProps<typeof Button>, 'onClick'> {
  icon: LucideIcon;
  /** The dialog while it is open. */
  dialog: (close: () => void) => ReactNode;
}

/** A button, and the dialog that it opens. */
export function DialogButton({ icon: Icon, dialog, children, ...props }: DialogButtonProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button {...props} onClick={() => setOpen(true)}>
        <Icon aria-hidden="true" />
        {children}
      </Button>
      {open && dialog(() => setOpen(false))}
    </>
  );
}
