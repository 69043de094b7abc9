/** What can be done with the chosen channels at once. */
import { useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { late } from '@/lib/late.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { BALANCE_JOB, TEST_JOB } from './calls.ts';
import type { Channel } from './channel.ts';
import type { ManyActions } from './use-many-actions.ts';

const TagDialog = late(() => import('./tag-dialog.tsx').then((module) => module.TagDialog));

interface BulkActionsProps {
  channels: readonly Channel[];
  clear: () => void;
  actions: ManyActions;
}

export function BulkActions({ channels, clear, actions }: BulkActionsProps) {
  const { t } = useTranslation();
  const [tagging, setTagging] = useState(false);
  const ids = channels.map(({ id }) => id);
  return (
    <>
      <Button onClick={() => void actions.setEnabled(channels, true).then(clear)}>
        {t('channel.enable')}
      </Button>
      <Button onClick={() => void actions.setEnabled(channels, false).then(clear)}>
        {t('channel.disable')}
      </Button>
      <Button onClick={() => setTagging(true)}>{t('channel.tag')}</Button>
      <Button onClick={() => void actions.begin(TEST_JOB, { ids })}>{t('channel.test')}</Button>
      <Button onClick={() => void actions.begin(BALANCE_JOB, { ids })}>{t('channel.balance')}</Button>
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
