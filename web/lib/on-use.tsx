/** Parts that load when somebody first reaches for them: menus and sheets stay out of the first download. */
import { type ComponentType, Suspense, useState } from 'react';
import { lazyPart, useTellMissing } from './late.tsx';

/** A component that shows `fallback` until it is used, then the loaded part, opened. */
export function onUse<P extends object>(
  load: () => Promise<ComponentType<P & { defaultOpen: boolean }>>,
  Fallback: ComponentType<P & { onUse: () => void }>,
): ComponentType<P> {
  function Missing(props: P) {
    useTellMissing();
    return <Fallback {...props} onUse={() => {}} />;
  }
  const [Part, useArrival] = lazyPart<P & { defaultOpen: boolean }>(load, Missing);
  return function OnUsePart(props: P) {
    const [used, setUsed] = useState(false);
    useArrival(used);
    const fallback = <Fallback {...props} onUse={() => setUsed(true)} />;
    if (!used) return fallback;
    return (
      <Suspense fallback={fallback}>
        <Part {...props} defaultOpen />
      </Suspense>
    );
  };
}
