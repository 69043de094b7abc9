import { type ReactNode, useState } from 'react';
import { useTranslation } from '@/lib/use-translation.ts';
import { FilterTrigger } from './filter-trigger.tsx';
import { Button } from './ui/button.tsx';
import { Dialog, DialogActions, DialogContent, DialogTitle } from './ui/dialog.tsx';

interface FilterSheetProps {
  count: number;
  defaultOpen: boolean;
  children: ReactNode;
}

/** The phone's filters, from below, in reach of the thumb. Each works at once; the button only shows the result. */
export function FilterSheet({ count, defaultOpen, children }: FilterSheetProps) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(defaultOpen);
  return (
    <Dialog open={open} onOpenChange={setOpen}>
      <FilterTrigger count={count} onClick={() => setOpen(true)} />
      <DialogContent aria-describedby={undefined}>
        <DialogTitle className="mb-3">{t('table.filters')}</DialogTitle>
        <div className="grid gap-3">{children}</div>
        <DialogActions>
          <Button variant="primary" onClick={() => setOpen(false)}>
            {t('table.applyFilters')}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}
