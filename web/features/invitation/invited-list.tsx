/** Whom a user has invited, latest first, a page after the other. */
import { useId, useState } from 'react';
import { Money } from '@/components/money.tsx';
import { Status } from '@/components/status.tsx';
import { Time } from '@/components/time.tsx';
import { Button } from '@/components/ui/button.tsx';
import type { DataOf } from '@/lib/calls.ts';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export type Invited = DataOf<'get', '/api/user/aff/invited'>;
type Guest = Invited['items'][number];

/** `first`: the first page. */
export function InvitedList({ first }: { first: Invited }) {
  const { t } = useTranslation();
  const id = useId();
  const api = useApi();
  const [later, setLater] = useState<Guest[]>([]);
  const guests = [...first.items, ...later];
  const more = useAction(async () => {
    const page = Math.floor(guests.length / first.page_size) + 1;
    try {
      const next = await api.get('/api/user/aff/invited', { query: { p: page, page_size: first.page_size } });
      setLater([...later, ...next.items]);
    } catch (error) {
      notify(failureNotice(error, t));
    }
  });
  if (guests.length === 0) return null;
  return (
    <div>
      <h3 id={id} className="px-4 pt-3 pb-1 text-sm font-medium">
        {t('invitation.guests')}
      </h3>
      <ul aria-labelledby={id}>
        {guests.map((guest, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: guests have nothing else that is told of them; the list only grows.
          <GuestLine key={at} guest={guest} />
        ))}
      </ul>
      {guests.length < first.total && (
        <div className="border-t border-line px-4 py-3">
          <Button busy={more.pending} onClick={() => void more.run()}>
            {t('invitation.more', { count: first.total - guests.length })}
          </Button>
        </div>
      )}
    </div>
  );
}

function GuestLine({ guest }: { guest: Guest }) {
  const { t } = useTranslation();
  const { username, created_at, state, trigger, quota } = guest;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2.5 text-sm not-last:border-b not-last:border-line">
      <span className="min-w-0 break-words">
        {username === '' ? <span className="text-muted">{t('invitation.gone')}</span> : username}
        <span className="ml-2 text-xs text-muted">
          <Time at={created_at} />
        </span>
      </span>
      {state === 'paid' || state === 'reduced' ? (
        <span className="flex flex-wrap items-center gap-x-2">
          {state === 'reduced' && <span className="text-xs text-muted">{t('invitation.reduced')}</span>}
          <Status tone="on">
            <Money quota={quota} />
          </Status>
        </span>
      ) : state === 'waiting' && trigger ? (
        <Status tone="auto">{t(`invitation.waits.${trigger}`)}</Status>
      ) : (
        <Status tone="off">
          {t(state === 'taken_back' ? 'invitation.taken_back' : 'invitation.unpaid')}
        </Status>
      )}
    </li>
  );
}
