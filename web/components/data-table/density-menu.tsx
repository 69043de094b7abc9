/** How close the rows stand. Loaded when it is opened for the first time. */
import { useTranslation } from '@/lib/use-translation.ts';
import { type Density, densities } from '../../boot.ts';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuRadioGroup,
  DropdownMenuRadioItem,
  DropdownMenuTrigger,
} from '../ui/dropdown-menu.tsx';
import { DensityButton, type DensityMenuProps } from './view-buttons.tsx';

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
