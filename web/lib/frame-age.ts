/**
 * A drawer slides in once. What takes the place of the frame that stood for it goes on where that is: with the same
 * movement, as far into it as the frame has come.
 */
import { type CSSProperties, useLayoutEffect, useState } from 'react';

/** When the frame that stands there began to move; null while there is none. */
let begun: number | null = null;

/** Where its movement begins; nothing for a drawer that no frame stood for. */
export function useGoingOn(): CSSProperties | undefined {
  const [age] = useState(() => (begun === null ? null : performance.now() - begun));
  return age === null ? undefined : { animationDelay: `${-Math.round(age)}ms` };
}

/** The same for a frame, which others go on from. */
export function useFrameAge(): CSSProperties | undefined {
  const [since] = useState(() => begun ?? performance.now());
  const style = useGoingOn();
  useLayoutEffect(() => {
    begun = since;
    return () => {
      begun = null;
    };
  }, [since]);
  return style;
}
