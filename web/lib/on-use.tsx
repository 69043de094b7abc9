/** Parts that load when somebody first reaches for them: menus and sheets stay out of the first download. */
import { type ComponentType, lazy, Suspense, useState } from 'react';
import { useTellMissing } from './late.tsx';

/** A component that shows `fallback` until it is used, then the loaded part, opened. */
export function onUse<P extends object>(
  load: () => Promise<ComponentType<P & { defaultOpen: boolean }>>,
  Fallback: ComponentType<P & { onUse: () => void }>,
): ComponentType<P> {
  function Missing(props: P) {
    useTellMissing();
    return <Fallback {...props} onUse={() => {}} />;
  }
  const Part = lazy(async () => ({ default: await load().catch(() => Missing) }));
  return function OnUsePart(props: P) {
    const [used, setUsed] = useState(false);
    const fallback = <Fallback {...props} onUse={() => setUsed(true)} />;
    if (!used) return fallback;
    return (
      <Suspense fallback={fallback}>
        <Part {...props} defaultOpen />
      </Suspense>
    );
  };
}
