import { hasRole } from '@core/roles.ts';
import { Checkbox } from '@/components/ui/checkbox.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

interface PrivateFieldProps {
  form: {
    values: { privateAllowed: boolean };
    set: (name: 'privateAllowed', value: boolean) => void;
    id: (name: 'privateAllowed') => string;
  };
  /** As it is saved. */
  isAllowed: boolean;
}

/** Whether calls may go into the private network. Root says so; others see where he does. */
export function PrivateField({ form, isAllowed }: PrivateFieldProps) {
  const { t } = useTranslation();
  const isRoot = hasRole(useBoot().user?.role ?? 0, 'root');
  if (!isRoot && !isAllowed) return null;
  const help = `${form.id('privateAllowed')}-help`;
  return (
    <div className="grid gap-0.5">
      <label className="flex min-h-7 items-center gap-2 max-md:min-h-11">
        <Checkbox
          aria-describedby={help}
          checked={form.values.privateAllowed}
          disabled={!isRoot}
          onChange={(event) => form.set('privateAllowed', event.target.checked)}
        />
        {t('channel.privateAllowed')}
      </label>
      <p id={help} className="text-xs text-muted">
        {t('channel.privateAllowedHelp')}
      </p>
    </div>
  );
}
