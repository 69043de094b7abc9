/** What the keys do, as the table of shortcuts has it. */
import { Link, useRouter } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { Gap } from '@/components/gap.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { Dialog, DialogClose, DialogContent, DialogTitle } from '@/components/ui/dialog.tsx';
import { areStepsHidden, hideSteps } from '@/features/overview/steps-shown.ts';
import { isApple } from '@/lib/keys.ts';
import { menuPaths } from '@/lib/nav.ts';
import { useBoot } from '@/lib/page-context.ts';
import { hasCharacterKeys } from '@/lib/storage.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { PALETTE_KEYS, PLACES, type Place, shortcutsFor } from './shortcuts.ts';

export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const router = useRouter();
  const { preferences } = useBoot();
  const own = shortcutsFor(menuPaths(router));
  const rowsOf = (place: Place) => own.filter(({ where }) => where === place);
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent aria-describedby={undefined} className="top-[10vh] max-h-[80vh] w-[640px]">
        <div className="mb-3 flex items-center gap-3">
          <DialogTitle className="flex-1">{t('shortcut.title')}</DialogTitle>
          <DialogClose
            className={buttonVariants({ variant: 'ghost', size: 'icon' })}
            aria-label={t('app.close')}
          >
            <X aria-hidden="true" />
          </DialogClose>
        </div>
        <div className="gap-x-8 md:columns-2">
          {PLACES.map((place) => (
            <section key={place} className="mb-4 break-inside-avoid">
              <h3 className="mb-1 text-xs text-faint">{t(`shortcut.in.${place}`)}</h3>
              <dl className="text-sm">
                {place === PALETTE_KEYS.where && (
                  <Line keys={[isApple() ? '⌘' : 'Ctrl', 'K']} text={t(PALETTE_KEYS.text)} />
                )}
                {rowsOf(place).map(({ keys, text }) => (
                  <Line key={keys.join(' ')} keys={keys} text={t(text)} />
                ))}
              </dl>
            </section>
          ))}
        </div>
        <p className="mt-3 text-sm text-muted">
          {t(hasCharacterKeys() ? 'shortcut.areOn' : 'shortcut.areOff')}
          <Gap />
          <Link to="/personal" hash="preferences" className="link" onClick={onClose}>
            {t('nav.personal')}
          </Link>
        </p>
        {areStepsHidden(preferences) && (
          <p className="mt-1 text-sm text-muted">
            {t('shortcut.stepsHidden')}
            <Gap />
            <Link
              to="/"
              className="link hit"
              onClick={() => {
                hideSteps(false);
                onClose();
              }}
            >
              {t('shortcut.showSteps')}
            </Link>
          </p>
        )}
      </DialogContent>
    </Dialog>
  );
}

function Line({ keys, text }: { keys: readonly string[]; text: string }) {
  return (
    <div className="flex items-center justify-between gap-4 border-b border-line py-1.5">
      <dt>{text}</dt>
      <dd className="flex gap-1">
        {keys.map((key) => (
          <kbd
            key={key}
            className="min-w-6 rounded-sm border border-line-btn bg-sunken px-1.5 py-0.5 text-center font-mono text-xs"
          >
            {key}
          </kbd>
        ))}
      </dd>
    </div>
  );
}
