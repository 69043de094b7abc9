import { LinkButton } from '@/components/ui/button.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

interface RowsOrTextProps {
  help: string;
  /** What is shown now. */
  asText: boolean;
  /** The text can be read as rows. */
  hasRows: boolean;
  onChange: (asText: boolean) => void;
}

/** Over a block whose options are shown as rows: what they are, and the way to their text and back. */
export function RowsOrText({ help, asText, hasRows, onChange }: RowsOrTextProps) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1 border-b border-line px-4 py-2.5 text-xs text-muted">
      <span className="min-w-0 flex-1 max-md:basis-full">{help}</span>
      {asText ? (
        <LinkButton disabled={!hasRows} onClick={() => onChange(false)}>
          {t('setting.groupsAsRows')}
        </LinkButton>
      ) : (
        <LinkButton onClick={() => onChange(true)}>{t('setting.groupsAsJson')}</LinkButton>
      )}
    </div>
  );
}
