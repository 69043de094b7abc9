/** At the head of the list: what is done to all channels, or to all of a status. */
import { CHANNEL_STATUS } from '@modules/channel/facts.ts';
import { Activity, CircleDollarSign, Download, History, Trash2, Wrench } from 'lucide-react';
import { MenuButton } from '@/components/action-menu.tsx';
import type { MenuAction } from '@/components/menu-action.ts';
import { followJob, type JobPath, openJob } from '@/lib/jobs.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { BALANCE_JOB, TEST_JOB } from './calls.ts';
import type { ManyActions } from './use-many-actions.ts';

interface PageMenusProps {
  actions: ManyActions;
  exportCsv: () => void;
}

export function PageMenus({ actions, exportCsv }: PageMenusProps) {
  const { t } = useTranslation();
  return (
    <>
      <JobMenu path={TEST_JOB} text={t('channel.test')} label={t('channel.testMenu')} actions={actions} />
      <JobMenu
        path={BALANCE_JOB}
        text={t('channel.balances')}
        label={t('channel.balanceMenu')}
        actions={actions}
      />
      <MenuButton
        text={t('channel.more')}
        label={t('channel.moreMenu')}
        actions={[
          { label: t('channel.fix'), icon: Wrench, run: () => void actions.fix() },
          { label: t('channel.exportCsv'), icon: Download, run: exportCsv },
          {
            label: t('channel.deleteOff'),
            icon: Trash2,
            danger: true,
            separated: true,
            run: () => void actions.removeDisabled(),
          },
        ]}
      />
    </>
  );
}

interface JobMenuProps {
  path: JobPath;
  text: string;
  label: string;
  actions: ManyActions;
}

function JobMenu({ path, text, label, actions }: JobMenuProps) {
  const { t } = useTranslation();
  const api = useApi();
  const icon = path === TEST_JOB ? Activity : CircleDollarSign;
  const scopes: MenuAction[] = [
    { label: t('channel.scopeAll'), icon, run: () => void actions.begin(path) },
    {
      label: t('channel.scopeOn'),
      icon,
      run: () => void actions.begin(path, { status: CHANNEL_STATUS.enabled }),
    },
    {
      label: t('channel.scopeAuto'),
      icon,
      run: () => void actions.begin(path, { status: CHANNEL_STATUS.autoDisabled }),
    },
    {
      label: t('channel.lastResults'),
      icon: History,
      separated: true,
      run: () => {
        openJob(path);
        void followJob(api, path);
      },
    },
  ];
  return <MenuButton text={text} label={label} actions={scopes} />;
}
