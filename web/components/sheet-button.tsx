/** What a page shows, as a sheet. Asked for as every call is, so that it works where a plain link proves no origin. */
import { Download } from 'lucide-react';
import { Button } from '@/components/ui/button.tsx';
import { saveFile } from '@/lib/download.ts';
import { errorText, failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';

interface SheetButtonProps {
  label: string;
  file: string;
  fetch: () => Promise<Blob>;
  /** What is said where the refusal says nothing. */
  failed: string;
}

export function SheetButton({ label, file, fetch, failed }: SheetButtonProps) {
  const { t } = useTranslation();
  const work = useAction(async () => {
    try {
      saveFile(file, await fetch());
    } catch (error) {
      notify(failureNotice(error, t, errorText(error, t, failed)));
    }
  });
  return (
    <Button busy={work.pending} onClick={() => void work.run()}>
      <Download aria-hidden="true" />
      {label}
    </Button>
  );
}
