import { Columns3, Rows3 } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Density } from '../../boot.ts';
import type { Arrangement } from './use-table-view.ts';

export interface ColumnPanelProps {
  view: Arrangement;
  /** How wide a column is now, in pixels. */
  widthOf: (id: string) => number | undefined;
}

export interface DensityMenuProps {
  density: Density;
  onDensity: (density: Density) => void;
}

export function ColumnsButton(props: ComponentProps<typeof Button>) {
  const { t } = useTranslation();
  return (
    <Button variant="ghost" aria-haspopup="dialog" className="max-md:hidden" {...props}>
      <Columns3 aria-hidden="true" />
      {t('table.columns')}
    </Button>
  );
}

export function DensityButton(props: ComponentProps<typeof Button>) {
  const { t } = useTranslation();
  return (
    <Button variant="ghost" aria-haspopup="menu" className="max-md:hidden" {...props}>
      <Rows3 aria-hidden="true" />
      {t('table.density')}
    </Button>
  );
}
