/** Ends the calls under way when the grace of a stop is over. One listener for all of them: a call only adds itself to a set. */
import type { Stopping } from './stopping.ts';

export interface CutList {
  /** Calls back when calls must end now. Call what it answers when the call is over. */
  onCut(cut: () => void): () => void;
}

export function createCutList({ signal }: Pick<Stopping, 'signal'>): CutList {
  const open = new Set<() => void>();
  signal.addEventListener('abort', () => {
    for (const cut of [...open]) cut();
  });
  return {
    onCut(cut) {
      open.add(cut);
      return () => open.delete(cut);
    },
  };
}
