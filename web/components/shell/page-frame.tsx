/** The right frame for whoever looks: the console for those who are signed in, the plain one for guests. */
import { createContext, type ReactNode, useContext } from 'react';
import { useBoot } from '@/lib/page-context.ts';
import { ConsoleShell } from './console-shell.tsx';
import { GuestShell } from './guest-shell.tsx';
import { StaleBar } from './stale-bar.tsx';

const Framed = createContext(false);

interface PageFrameProps {
  /** The frame of guests, whoever looks. */
  plain?: boolean;
  children: ReactNode;
}

/** What stands inside a frame already gets no second one: a page that failed shows its error in its place. */
export function PageFrame({ plain = false, children }: PageFrameProps) {
  const framed = useContext(Framed);
  const { user } = useBoot();
  if (framed) return children;
  const Shell = user && !plain ? ConsoleShell : GuestShell;
  return (
    <Framed value={true}>
      <Shell>
        <StaleBar />
        {children}
      </Shell>
    </Framed>
  );
}
