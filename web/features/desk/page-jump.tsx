/** Leads to a page by its number. */
import { type FormEvent, useId, useState } from 'react';
import { useSetSearch } from '@/components/data-table/search-links.ts';
import { Input } from '@/components/ui/input.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { isWhole } from '@/lib/whole.ts';

/** A number beyond the last page leads to the last; what is no number leads nowhere. */
export function PageJump({ last }: { last: number }) {
  const { t } = useTranslation();
  const setSearch = useSetSearch();
  const id = useId();
  const [typed, setTyped] = useState('');
  const jump = (event: FormEvent) => {
    event.preventDefault();
    const page = Number(typed);
    if (!isWhole(typed) || page < 1) return;
    setTyped('');
    setSearch({ p: page === 1 ? undefined : Math.min(page, last) });
  };
  return (
    <form onSubmit={jump} className="ml-2 flex items-center gap-1.5">
      <label htmlFor={id}>{t('desk.jumpTo')}</label>
      <Input
        id={id}
        aria-label={t('desk.jump')}
        value={typed}
        inputMode="numeric"
        autoComplete="off"
        className="w-14 tabular-nums"
        onChange={(event) => setTyped(event.target.value)}
      />
    </form>
  );
}
