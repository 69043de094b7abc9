/**
 * Asks the owner to show that it is he, whenever a call is refused with REAUTH_REQUIRED; the call is then made again by
 * itself. Whoever makes such a call has nothing to do for it.
 */
import { useEffect, useRef, useState } from 'react';
import { late } from '@/lib/late.tsx';
import { reauthenticateBy } from '@/lib/re-authentication.ts';

const ReAuthenticationDialog = late(() =>
  import('./re-authentication-dialog.tsx').then((module) => module.ReAuthenticationDialog),
);

type Answer = (proved: boolean) => void;

export function ReAuthentication() {
  const [asking, setAsking] = useState(false);
  // Two calls that are refused at once are one question.
  const waiting = useRef<Answer[]>([]);
  useEffect(
    () =>
      reauthenticateBy(() => {
        setAsking(true);
        return new Promise((answer) => void waiting.current.push(answer));
      }),
    [],
  );
  const settle: Answer = (proved) => {
    setAsking(false);
    for (const answer of waiting.current.splice(0)) answer(proved);
  };
  if (!asking) return null;
  return <ReAuthenticationDialog onAnswer={settle} />;
}
