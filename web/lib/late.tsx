/**
 * Parts of a page that are fetched when they are first needed. One that cannot be fetched, for want of a connection or
 * because a newer version took its file away, is told of and takes nothing else with it: what was typed stays.
 */
import { type ComponentType, lazy, Suspense, useEffect } from 'react';
import { notify } from './notify.ts';
import { useTranslation } from './use-translation.ts';

/**
 * The part, and `Waiting` or nothing until it is there. `Missing` stands for it when it cannot be fetched, until the page is
 * loaded anew.
 */
export function late<P extends object>(
  load: () => Promise<ComponentType<P>>,
  Missing: ComponentType<P> = MissingPart,
  Waiting?: ComponentType<P>,
): ComponentType<P> {
  const Part = lazy(async () => ({ default: await load().catch(() => Missing) }));
  return function LatePart(props: P) {
    return (
      <Suspense fallback={Waiting && <Waiting {...props} />}>
        <Part {...props} />
      </Suspense>
    );
  };
}

/** Whoever opened it goes on as if it had been closed. */
function MissingPart(props: { onClose?: () => void; onAnswer?: (answer: boolean) => void }) {
  const { onClose, onAnswer } = props;
  useTellMissing();
  useEffect(() => {
    onClose?.();
    onAnswer?.(false);
  }, [onClose, onAnswer]);
  return null;
}

/** Tells once that a part cannot be fetched. */
export function useTellMissing(): void {
  const { t } = useTranslation();
  useEffect(() => notify({ tone: 'bad', text: t('error.missingPart') }), [t]);
}
