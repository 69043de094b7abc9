/** What saving would change, old beside new. */
import { ArrowRight } from 'lucide-react';
import { Button } from '@/components/ui/button.tsx';
import {
  Dialog,
  DialogActions,
  DialogContent,
  DialogDescription,
  DialogTitle,
} from '@/components/ui/dialog.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Difference, differencesOf } from './field.ts';

interface Change {
  label: string;
  /** Null for what is not shown: a secret. */
  before: string | null;
  after: string | null;
}

interface ReviewDialogProps {
  changes: readonly Change[];
  onClose: () => void;
  onSave: () => void;
}

export function ReviewDialog({ changes, onClose, onSave }: ReviewDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent className="top-[10vh] w-[600px]">
        <DialogTitle>{t('setting.reviewTitle')}</DialogTitle>
        <DialogDescription>{t('setting.changes', { count: changes.length })}</DialogDescription>
        <dl className="mt-3 grid gap-3">
          {changes.map((change) => (
            <div key={change.label} className="min-w-0">
              <dt className="text-sm font-medium">{change.label}</dt>
              <dd className="mt-1 grid gap-1">
                {change.before === null || change.after === null ? (
                  <span className="text-xs text-muted">{t('setting.newSecret')}</span>
                ) : (
                  differencesOf(change.before, change.after).map((difference) => (
                    <DifferenceLine key={difference.name} difference={difference} />
                  ))
                )}
              </dd>
            </div>
          ))}
        </dl>
        <DialogActions>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
          <Button variant="primary" onClick={onSave}>
            {t('app.save')}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}

const LONG = 200;
const cut = (text: string) => (text.length > LONG ? `${text.slice(0, LONG)}…` : text);

export function DifferenceLine({ difference: { name, before, after } }: { difference: Difference }) {
  const { t } = useTranslation();
  const side = (value: string | null) => (value === null || value === '' ? t('setting.nothing') : cut(value));
  return (
    <span className="flex flex-wrap items-baseline gap-x-2 font-mono text-xs break-all">
      {name && <span className="font-semibold">{name}</span>}
      <del className="text-muted">{side(before)}</del>
      <ArrowRight className="size-3 shrink-0 self-center text-muted" aria-hidden="true" />
      <ins className="text-text no-underline">{side(after)}</ins>
    </span>
  );
}
