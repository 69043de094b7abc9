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

export function ColumnMenu({
  columns,
  hidden,
  onHidden,
  defaultOpen,
}: ColumnMenuProps & { defaultOpen: boolean }) {
  const { t } = useTranslation();
  const toggle = (id: string, shown: boolean) =>
    onHidden(shown ? hidden.filter((one) => one !== id) : [...hidden, id]);
  return (
    <DropdownMenu defaultOpen={defaultOpen}>
      <DropdownMenuTrigger asChild>
        <ColumnsButton />
      </DropdownMenuTrigger>
      <DropdownMenuContent>
        {columns
          .filter(({ fixed }) => !fixed)
          .map(({ id, header }) => (
            <DropdownMenuCheckboxItem
              key={id}
              checked={!hidden.includes(id)}
              onSelect={(event) => event.preventDefault()}
              onCheckedChange={(shown) => toggle(id, shown)}
            >
              {header}
            </DropdownMenuCheckboxItem>
          ))}
        <DropdownMenuSeparator />
        <DropdownMenuItem disabled={hidden.length === 0} onSelect={() => onHidden([])}>
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
