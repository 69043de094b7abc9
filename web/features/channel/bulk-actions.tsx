/** What can be done with the chosen channels at once. */
import { formatNumber } from '@core/money.ts';
import { useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import type { JobPath } from '@/lib/jobs.ts';
import { late } from '@/lib/late.tsx';
import { notify } from '@/lib/notify.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { BALANCE_JOB, TEST_JOB } from './calls.ts';
import type { Channel } from './channel.ts';
import type { ManyActions } from './use-many-actions.ts';

const TagDialog = late(() => import('./tag-dialog.tsx').then((module) => module.TagDialog));

/** The jobs of the server are told their channels in an address, which has its bounds. */
const ASKED_AT_ONCE = 1_000;

interface BulkActionsProps {
  channels: readonly Channel[];
  clear: () => void;
  /** They are more than the page shows. */
  isBeyond: boolean;
  actions: ManyActions;
}

export function BulkActions({ channels, clear, isBeyond, actions }: BulkActionsProps) {
  const { t } = useTranslation();
  const [tagging, setTagging] = useState(false);
  const isTooMany = channels.length > ASKED_AT_ONCE;
  const setEnabled = async (enabled: boolean) => {
    if (await actions.setEnabled(channels, enabled, isBeyond)) clear();
  };
  /** Says why not where they are too many: a button that is disabled tells nobody. */
  const begin = (path: JobPath) => {
    if (!isTooMany) return void actions.begin(path, { ids: channels.map(({ id }) => id) });
    notify({ tone: 'bad', text: t('channel.askedAtOnce', { most: formatNumber(ASKED_AT_ONCE) }) });
  };
  return (
    <>
      <Button onClick={() => void setEnabled(true)}>{t('channel.enable')}</Button>
      <Button onClick={() => void setEnabled(false)}>{t('channel.disable')}</Button>
      <Button onClick={() => setTagging(true)}>{t('channel.tag')}</Button>
      <Button aria-disabled={isTooMany} onClick={() => begin(TEST_JOB)}>
        {t('channel.test')}
      </Button>
      <Button aria-disabled={isTooMany} onClick={() => begin(BALANCE_JOB)}>
        {t('channel.balance')}
      </Button>
      <Button variant="danger" onClick={() => void actions.remove(channels).then((done) => done && clear())}>
        {t('channel.delete')}
      </Button>
      {tagging && (
        <TagDialog
          count={channels.length}
          save={async (tag) => {
            await actions.tag(channels, tag);
            clear();
          }}
          onClose={() => setTagging(false)}
        />
      )}
    </>
  );
}
