/**
 * A switch that looks for new rows by itself. It rests while nobody looks; while older rows are read it only says how many
 * came meanwhile.
 */
import { Radio } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

const EACH_MS = 10_000;
/** From here on the first rows are out of sight. */
const TOP_PX = 200;

interface LiveProps {
  disabled: boolean;
  onTick: () => void;
  /** How many rows are newer than those that are shown. */
  count: () => Promise<number>;
}

export function LiveButton({ disabled, onTick, count }: LiveProps) {
  const { t } = useTranslation();
  const [isOn, setIsOn] = useState(false);
  const [fresh, setFresh] = useState(0);
  const isTicking = isOn && !disabled;
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      if (window.scrollY < TOP_PX) {
        setFresh(0);
        onTick();
      } else void count().then(setFresh, () => {});
    }, EACH_MS);
    return () => {
      clearInterval(timer);
      setFresh(0);
    };
  }, [isTicking, onTick, count]);
  const show = () => {
    setFresh(0);
    window.scrollTo({ top: 0 });
    onTick();
  };
  return (
    <>
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
      <span role="status" className="fixed top-16 left-1/2 z-20 -translate-x-1/2">
        {fresh > 0 && (
          <Button className="rounded-full shadow-float" onClick={show}>
            {t('log.fresh', { count: fresh, n: fresh })}
          </Button>
        )}
      </span>
    </>
  );
}
