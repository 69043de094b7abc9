import type { ReactNode } from 'react';

/** What is asked before something is done. */
export interface Question {
  /** Names the thing: `Delete the token “ci”?` */
  title: string;
  /** The consequence. */
  body: ReactNode;
  /** A verb. */
  action: string;
  danger?: boolean;
  /** A word that must be typed first: for what cannot be undone and reaches far. */
  typed?: string;
  /** The safe answer; `Cancel` unless given. */
  keep?: string;
  /** Done while the question stands; a failure is shown in it and leaves it open. */
  work?: () => Promise<void>;
}
