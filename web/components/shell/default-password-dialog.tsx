import { Link } from '@tanstack/react-router';
import { buttonVariants } from '@/components/ui/button.tsx';
import {
  Dialog,
  DialogActions,
  DialogContent,
  DialogDescription,
  DialogTitle,
} from '@/components/ui/dialog.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

/** One way on. Who puts it away by the key all the same has the word on every page. */
export function DefaultPasswordDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent role="alertdialog" onInteractOutside={(event) => event.preventDefault()}>
        <DialogTitle className="mb-1.5">{t('app.notice')}</DialogTitle>
        <DialogDescription className="text-text">{t('login.defaultPassword')}</DialogDescription>
        <DialogActions>
          <Link
            to="/personal"
            hash="account"
            className={buttonVariants({ variant: 'primary' })}
            onClick={onClose}
          >
            {t('shell.changePassword')}
          </Link>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}
