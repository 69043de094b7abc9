import type { ReactNode } from 'react';
import { Notice } from '@/components/ui/notice.tsx';

/** Always there, so that what appears in it is read out. */
export function FormMessage({ id, children }: { id: string; children: ReactNode }) {
  return (
    <div id={id} role="alert">
      {children && (
        <Notice tone="bad" className="mb-5">
          {children}
        </Notice>
      )}
    </div>
  );
}
