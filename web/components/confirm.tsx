/** One question at a time: what will happen to what, with the safe answer first. */
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { late } from '@/lib/late.tsx';
import { MessageModal } from './message-modal.tsx';
import type { Question } from './question.ts';

const ConfirmDialog = late(() => import('./confirm-dialog.tsx').then((module) => module.ConfirmDialog));

type Ask = (question: Question) => Promise<boolean>;

const ConfirmContext = createContext<Ask | null>(null);

/** Asks and tells whether it was confirmed, and its work done. */
export function useConfirm(): Ask {
  const ask = useContext(ConfirmContext);
  if (!ask) throw new Error('useConfirm needs a ConfirmProvider above it');
  return ask;
}

interface Asked {
  question: Question;
  answer: (confirmed: boolean) => void;
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const ask = useCallback<Ask>((question) => new Promise((answer) => setAsked({ question, answer })), []);
  const settle = (confirmed: boolean) => {
    asked?.answer(confirmed);
    setAsked(null);
  };
  return (
    <ConfirmContext value={ask}>
      {children}
      <MessageModal />
      {asked && <ConfirmDialog question={asked.question} onAnswer={settle} />}
    </ConfirmContext>
  );
}
