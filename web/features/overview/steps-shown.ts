/** Whether the first steps are shown: what the viewer said last on this document, else what he had said before. */

import { createListeners } from '@/lib/listeners.ts';
import { keep } from '@/lib/storage.ts';
import type { Preferences } from '../../boot.ts';

let said: boolean | null = null;
const listeners = createListeners();

export const areStepsHidden = ({ firstStepsHidden }: Preferences): boolean => said ?? firstStepsHidden;

/** In the browser alone: the server shows every viewer his own. */
export function hideSteps(isHidden: boolean): void {
  said = isHidden;
  keep.firstSteps(isHidden ? 'hidden' : 'shown');
  listeners.tell();
}

export const onStepsHidden = listeners.add;
