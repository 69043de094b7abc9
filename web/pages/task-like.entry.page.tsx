/** The task of a like, as its client told it. */
import { getRouteApi } from '@tanstack/react-router';
import { CopyButton } from '@/components/copy-button.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerHead } from '@/components/ui/dialog.tsx';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/task-like/$id');

export function TaskLikeDrawer() {
  const { t } = useTranslation();
  const { task } = route.useLoaderData();
  const { id } = route.useParams();
  const close = useCloseDrawer();
  const text = laidOut(task);
  return (
    <Dialog open onOpenChange={(open) => !open && close()}>
      <DrawerContent aria-describedby={undefined}>
        <DrawerHead title={t('like.task')} sub={`#${id}`} />
        <DrawerBody aria-label={t('like.task')}>
          {text === '' ? (
            <p className="text-muted">{t('like.noTask')}</p>
          ) : (
            <>
              <CopyButton size="sm" text={text} label={t('like.copy')} />
              <pre className="mt-3 rounded-md border border-line bg-sunken p-3 font-mono text-xs break-all whitespace-pre-wrap">
                {text}
              </pre>
            </>
          )}
        </DrawerBody>
      </DrawerContent>
    </Dialog>
  );
}

/** Line by line where it is JSON; else as it came. */
function laidOut(task: string): string {
  try {
    return JSON.stringify(JSON.parse(task), null, 2);
  } catch {
    return task;
  }
}
