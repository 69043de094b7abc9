/** The way to the palette, and to what keys do. All of it is loaded when it is first asked for. */
import { useRouter } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { isFreeCharacter, isPaletteKey } from '@/lib/keys.ts';
import { late } from '@/lib/late.tsx';
import { hasCharacterKeys } from '@/lib/storage.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { topButtonClass } from './preference-switches.tsx';

const Palette = late(() => import('@/features/commands/palette.tsx').then((module) => module.Palette));
const ShortcutSheet = late(() =>
  import('@/features/commands/shortcut-sheet.tsx').then((module) => module.ShortcutSheet),
);

export function CommandSlot() {
  const { t } = useTranslation();
  const router = useRouter();
  const [opened, setOpened] = useState<'palette' | 'help' | null>(null);
  /** Typed before the palette was there to take it. */
  const early = useRef('');
  const close = () => setOpened(null);
  const openHelp = useCallback(() => setOpened('help'), []);
  const openPalette = () => {
    early.current = '';
    setOpened('palette');
  };

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (isPaletteKey(event)) {
        event.preventDefault();
        early.current = '';
        setOpened((was) => (was === 'palette' ? null : 'palette'));
      } else if (isFreeCharacter(event) && opened !== null) {
        early.current += event.key;
      } else if (isFreeCharacter(event) && hasCharacterKeys()) {
        // Some browsers open a search of their own by it.
        if (event.key === '/') event.preventDefault();
        // Without a connection the keys do nothing; what they do can be clicked as well.
        import('@/features/commands/press.ts').then(
          ({ press }) => press(event, { router, openHelp }),
          () => {},
        );
      }
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [router, opened, openHelp]);

  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        className={topButtonClass}
        onClick={openPalette}
      >
        <Search aria-hidden="true" />
        <span className="max-md:sr-only">{t('palette.open')}</span>
      </button>
      {opened === 'palette' && (
        <Palette typedBefore={() => early.current} onClose={close} openHelp={openHelp} />
      )}
      {opened === 'help' && <ShortcutSheet onClose={close} />}
    </>
  );
}
