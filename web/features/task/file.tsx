/** The film that a task made: to look at, until when it is kept, and the call that fetches it. */
import { formatDateTime } from '@core/time-text.ts';
import { CopyButton } from '@/components/copy-button.tsx';
import { useTimeRules } from '@/lib/clock.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Part } from './part.tsx';
import { Player } from './player.tsx';
import type { Task } from './task.ts';

interface MadeFileProps {
  task: Task;
  /** The path of the call. */
  file: string;
  isExpired: boolean;
}

export function MadeFile({ task, file, isExpired }: MadeFileProps) {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  const until = { time: formatDateTime(task.expires_at, timeZone) };
  return (
    <Part title={t('task.file')} action={<CopyButton size="sm" text={file} label={t('task.copyCall')} />}>
      {!isExpired && <Player task={task} kind="video" />}
      {task.expires_at !== 0 && (
        <p className="mt-2 text-sm">{t(isExpired ? 'task.expired' : 'task.keptUntil', until)}</p>
      )}
      <p className="my-2 text-sm text-muted">{t('task.fileHelp')}</p>
      <code className="font-mono text-xs break-all">{file}</code>
    </Part>
  );
}
