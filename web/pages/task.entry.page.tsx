/** One task: what was asked for, what came of it, and the whole of it as JSON. */
import { getRouteApi } from '@tanstack/react-router';
import { CopyButton } from '@/components/copy-button.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerHead } from '@/components/ui/dialog.tsx';
import { Facts } from '@/features/task/facts.tsx';
import { MadeFile } from '@/features/task/file.tsx';
import { Part } from '@/features/task/part.tsx';
import { PieceOf } from '@/features/task/piece.tsx';
import { actionText, askedOf, fileOf, piecesOf } from '@/features/task/task.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export { loadTask } from '../features/task/load.ts';

const route = getRouteApi('/_console/task/$id');

export function TaskDrawer() {
  const { t } = useTranslation();
  const { task, seesAll, isExpired } = route.useLoaderData();
  const close = useCloseDrawer();
  const whole = JSON.stringify(task, null, 2);
  const pieces = piecesOf(task.data);
  const { asked } = askedOf(task);
  const file = fileOf(task);
  return (
    <Dialog open onOpenChange={(open) => !open && close()}>
      <DrawerContent aria-describedby={undefined}>
        <DrawerHead title={actionText(task.action, t)} sub={task.task_id} />
        <DrawerBody aria-label={t('task.entry')}>
          <Facts task={task} seesAll={seesAll} />
          {asked !== '' && (
            <Part title={t('task.input')}>
              <p className="text-sm break-words whitespace-pre-wrap">{asked}</p>
            </Part>
          )}
          {pieces.length > 0 && (
            <Part title={t('task.results')}>
              {pieces.map((piece) => (
                <PieceOf key={piece.at} task={task} piece={piece} />
              ))}
            </Part>
          )}
          {file !== null && <MadeFile task={task} file={file} isExpired={isExpired} />}
          <Part
            title={t('task.json')}
            action={<CopyButton size="sm" text={whole} label={t('task.copyJson')} />}
          >
            <pre className="rounded-md border border-line bg-sunken p-3 font-mono text-xs break-all whitespace-pre-wrap">
              {whole}
            </pre>
          </Part>
        </DrawerBody>
      </DrawerContent>
    </Dialog>
  );
}
