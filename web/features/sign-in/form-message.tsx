import type { ReactNode } from 'react';
import { Notice } from '@/components/ui/notice.tsx';

interface FormMessageProps {
  id: string;
  tone?: 'plain' | 'bad';
  children: ReactNode;
}

/** Always there, so that what appears in it is read out. */
export function FormMessage({ id, tone = 'bad', children }: FormMessageProps) {
  return (
    <div id={id} role="alert">
      {children && (
        <Notice tone={tone} className="mb-5">
          {children}
        </Notice>
      )}
    </div>
  );
}
