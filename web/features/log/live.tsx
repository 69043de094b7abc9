/** A switch that looks for new rows by itself. It rests while nobody looks, and while older rows are read. */
import { Radio } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

const EACH_MS = 10_000;

export function LiveButton({ disabled, onTick }: { disabled: boolean; onTick: () => void }) {
  const { t } = useTranslation();
  const [isOn, setIsOn] = useState(false);
  const isTicking = isOn && !disabled;
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && window.scrollY < 200) onTick();
    }, EACH_MS);
    return () => clearInterval(timer);
  }, [isTicking, onTick]);
  return (
    <Button
      aria-pressed={isOn}
      disabled={disabled}
      title={t('log.liveHelp')}
      className="aria-pressed:border-accent-line aria-pressed:bg-accent-soft aria-pressed:text-accent-text"
      onClick={() => setIsOn(!isOn)}
    >
      <Radio aria-hidden="true" />
      {t('log.live')}
    </Button>
  );
}
