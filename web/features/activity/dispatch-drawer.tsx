/** What became of each user of a dispatch. */
import { Status } from '@/components/status.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerFoot, DrawerHead } from '@/components/ui/dialog.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Dispatch, rewardResults } from './activity.ts';

interface DispatchDrawerProps {
  name: string;
  dispatch: Dispatch;
  onClose: () => void;
}

export function DispatchDrawer({ name, dispatch, onClose }: DispatchDrawerProps) {
  const { t } = useTranslation();
  const { granted, results } = dispatch;
  const title = t('activity.sentTitle', { count: granted });
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DrawerContent aria-describedby={undefined}>
        <DrawerHead title={title} sub={name} />
        <DrawerBody aria-label={title}>
          {granted < results.length && (
            <Notice tone={granted > 0 ? 'mind' : 'bad'} className="mb-4">
              {t('activity.notAll', { count: results.length - granted })}
            </Notice>
          )}
          <ul className="text-sm">
            {results.map(({ user_id, username, result }) => {
              const { tone, label } = rewardResults[result];
              return (
                <li
                  key={user_id}
                  className="flex items-baseline justify-between gap-4 border-b border-line py-2"
                >
                  <span className="min-w-0 truncate">
                    {username} <span className="font-mono text-xs text-muted">#{user_id}</span>
                  </span>
                  <Status tone={tone}>{t(label)}</Status>
                </li>
              );
            })}
          </ul>
        </DrawerBody>
        <DrawerFoot>
          <Button size="lg" className="ml-auto max-md:flex-1" onClick={onClose}>
            {t('app.close')}
          </Button>
        </DrawerFoot>
      </DrawerContent>
    </Dialog>
  );
}
