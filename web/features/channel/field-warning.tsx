import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { LinkButton } from '@/components/ui/button.tsx';

interface FieldWarningProps {
  /** The press that mends it, where one press does. */
  remedy?: string;
  onRemedy?: () => void;
  children: ReactNode;
}

/** Below a field: what may go wrong with its value, and the press that mends it. */
export const FieldWarning = ({ remedy, onRemedy, children }: FieldWarningProps) => (
  <p role="status" className="flex gap-2 text-xs text-warn">
    <TriangleAlert className="mt-0.5 size-3.5!" aria-hidden="true" />
    {/* On the phone a way out has a line of its own, as high as a finger: amid words it would reach over what stands above. */}
    <span className="min-w-0 break-words max-md:[&_.hit]:block max-md:[&_.hit]:w-fit max-md:[&_.hit]:leading-11">
      {children} {remedy && <LinkButton onClick={onRemedy}>{remedy}</LinkButton>}
    </span>
  </p>
);
