/** Which columns are shown, and how close the rows stand. Loaded when one of them is opened for the first time. */
import { useTranslation } from '@/lib/use-translation.ts';
import { type Density, densities } from '../../boot.ts';
import {
  DropdownMenu,
  DropdownMenuCheckboxItem,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuRadioGroup,
  DropdownMenuRadioItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '../ui/dropdown-menu.tsx';
import {
  type ColumnMenuProps,
  ColumnsButton,
  DensityButton,
  type DensityMenuProps,
} from './view-buttons.tsx';

export function ColumnMenu({ columns, onReset, defaultOpen }: ColumnMenuProps & { defaultOpen: boolean }) {
  const { t } = useTranslation();
  return (
    <DropdownMenu defaultOpen={defaultOpen}>
      <DropdownMenuTrigger asChild>
        <ColumnsButton />
      </DropdownMenuTrigger>
      <DropdownMenuContent>
        {columns
          .filter((column) => column.getCanHide())
          .map((column) => (
            <DropdownMenuCheckboxItem
              key={column.id}
              checked={column.getIsVisible()}
              onSelect={(event) => event.preventDefault()}
              onCheckedChange={(shown) => column.toggleVisibility(shown)}
            >
              {column.columnDef.meta?.header}
            </DropdownMenuCheckboxItem>
          ))}
        <DropdownMenuSeparator />
        <DropdownMenuItem
          disabled={columns.every((column) => column.getIsVisible() === !column.columnDef.meta?.extra)}
          onSelect={onReset}
        >
          {t('table.resetColumns')}
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}

export function DensityMenu({
  density,
  onDensity,
  defaultOpen,
}: DensityMenuProps & { defaultOpen: boolean }) {
  const { t } = useTranslation();
  return (
    <DropdownMenu defaultOpen={defaultOpen}>
      <DropdownMenuTrigger asChild>
        <DensityButton />
      </DropdownMenuTrigger>
      <DropdownMenuContent>
        <DropdownMenuRadioGroup value={density} onValueChange={(value) => onDensity(value as Density)}>
          {densities.map((one) => (
            <DropdownMenuRadioItem key={one} value={one}>
              {t(`table.density.${one}`)}
            </DropdownMenuRadioItem>
          ))}
        </DropdownMenuRadioGroup>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
