/**
 * Parts of a page that are fetched when they are first needed. One that cannot be fetched, for want of a connection or
 * because a newer version took its file away, is told of and takes nothing else with it: what was typed stays.
 */
import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';
import { notify } from './notify.ts';
import { useTranslation } from './use-translation.ts';

/**
 * A component that is fetched when it is first drawn, and a hook for what draws it, from when it does. What React itself
 * draws again once it is there, it holds back for 300 ms, lest pages that load in pieces flicker. Who has opened something
 * waits for just that: what draws the part does so again by itself.
 */
export function lazyPart<P extends object>(
  load: () => Promise<ComponentType<P>>,
  Missing: ComponentType<P>,
): [Part: ComponentType<P>, useArrival: (isDrawn: boolean) => void] {
  let isHere = false;
  let coming: Promise<{ default: ComponentType<P> }> | undefined;
  const fetched = () => {
    coming ??= load()
      .catch(() => Missing)
      .then((part) => {
        isHere = true;
        return { default: part };
      });
    return coming;
  };
  const useArrival = (isDrawn: boolean) => {
    const [wasHere, setHere] = useState(isHere);
    useEffect(() => {
      if (isDrawn && !wasHere) void fetched().then(() => setHere(true));
    }, [isDrawn, wasHere]);
  };
  return [lazy(fetched), useArrival];
}

/**
 * The part, and `Waiting` or nothing until it is there. `Missing` stands for it when it cannot be fetched, until the page is
 * loaded anew.
 */
export function late<P extends object>(
  load: () => Promise<ComponentType<P>>,
  Missing: ComponentType<P> = MissingPart,
  Waiting?: ComponentType<P>,
): ComponentType<P> {
  const [Part, useArrival] = lazyPart(load, Missing);
  return function LatePart(props: P) {
    useArrival(true);
    return (
      <Suspense fallback={Waiting && <Waiting {...props} />}>
        <Part {...props} />
      </Suspense>
    );
  };
}

/**
 * Fetches what is likely asked for next, such as the drawer that a row opens, as soon as the code that says so is there. What
 * cannot be fetched now is when it is needed.
 */
export function soon(load: () => Promise<unknown>): void {
  if (typeof window !== 'undefined') load().catch(() => {});
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
