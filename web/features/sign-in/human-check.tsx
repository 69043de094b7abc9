/** The human check of a form: its widget, what it says, and the token that goes with a call. */
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { LinkButton } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { useLive } from '@/lib/use-live.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { loadTurnstile, type Turnstile } from './turnstile.ts';

export interface HumanCheck {
  /** For the place above the form's button; null where nobody is checked. */
  box: ReactNode;
  /** False while the check is not finished: buttons that need it wait, described by `reasonId`. */
  isReady: boolean;
  reasonId: string | undefined;
  /** Makes a call with the token in its query. A token is good for one: when the call is over, the next check begins. */
  spend: <T>(call: (query: { turnstile?: string }) => Promise<T>) => Promise<T>;
}

/** One for each form. `action` says what for, to the widget and from there to the server. */
export function useHumanCheck(action: 'login' | 'register' | 'reset' | 'bind'): HumanCheck {
  const { t } = useTranslation();
  const { status, locale, preferences } = useBoot();
  const isLive = useLive();
  const reasonId = useId();
  const place = useRef<HTMLDivElement>(null);
  const widget = useRef<{ maker: Turnstile; id: string } | null>(null);
  const [token, setToken] = useState('');
  const [isFailed, setFailed] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const { turnstile_check: isOn, turnstile_site_key: sitekey } = status;
  const theme = preferences.theme ?? 'auto';

  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt draws the widget anew
  useEffect(() => {
    const box = place.current;
    if (!isOn || !box) return;
    let isLeft = false;
    const draw = (maker: Turnstile) => {
      if (isLeft) return;
      const id = maker.render(box, {
        sitekey,
        action,
        theme,
        language: locale === 'zh' ? 'zh-cn' : 'en',
        size: box.clientWidth < WIDGET_PX ? 'compact' : 'flexible',
        callback: setToken,
        'expired-callback': () => setToken(''),
        'error-callback': () => {
          setToken('');
          setFailed(true);
          return true;
        },
      });
      widget.current = { maker, id };
    };
    loadTurnstile().then(draw, () => isLeft || setFailed(true));
    return () => {
      isLeft = true;
      widget.current?.maker.remove(widget.current.id);
      widget.current = null;
    };
  }, [isOn, sitekey, action, theme, locale, attempt]);

  const spend: HumanCheck['spend'] = async (call) => {
    if (!isOn) return call({});
    setToken('');
    try {
      return await call({ turnstile: token });
    } finally {
      widget.current?.maker.reset(widget.current.id);
    }
  };
  if (!isOn) return { box: null, isReady: true, reasonId: undefined, spend };

  const retry = () => {
    setFailed(false);
    setAttempt(attempt + 1);
  };
  const box = (
    <div className="grid gap-1.5">
      <div ref={place} className={isFailed ? 'hidden' : 'min-h-[65px]'} />
      <div id={reasonId} role="status">
        {isFailed ? (
          <Notice tone="bad" end={<LinkButton onClick={retry}>{t('app.retry')}</LinkButton>}>
            {t('human.unreachable')}
          </Notice>
        ) : (
          isLive && <p className="min-h-[18px] text-xs text-muted">{token === '' && t('human.checking')}</p>
        )}
      </div>
    </div>
  );
  return { box, isReady: token !== '', reasonId, spend };
}

/** The width that the widget needs at least, unless it is asked to be compact. */
const WIDGET_PX = 300;
