/** Where a whole page is chosen, the way to choose all that the list has under its filters. */
import { formatNumber } from '@core/money.ts';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { failureNotice } from '@/lib/error-text.ts';
import type { AskPage } from '@/lib/list-search.ts';
import { notify } from '@/lib/notify.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';

/** What is done to so many is done in a minute or two, also where each row is a call of its own. */
const MOST = 2_000;
const PAGE = 100;

export interface MatchingOffer {
  total: number;
  /** Chooses them. Rejects with ApiError. */
  read: (report: (done: number) => void, signal: AbortSignal) => Promise<void>;
}

export interface SelectMatchingProps extends MatchingOffer {
  /** Takes the focus when they are chosen, for this button goes then. */
  next: RefObject<HTMLElement | null>;
}

export function SelectMatching({ total, read, next }: SelectMatchingProps) {
  const { t } = useTranslation();
  const [done, setDone] = useState(0);
  const own = useRef<HTMLButtonElement>(null);
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const choose = useAction(async () => {
    abort.current = new AbortController();
    setDone(0);
    try {
      await read(setDone, abort.current.signal);
      // Whoever went elsewhere meanwhile stays there.
      const { activeElement } = document;
      if (activeElement === own.current || activeElement === document.body) next.current?.focus();
    } catch (error) {
      notify(failureNotice(error, t));
    }
  });
  const most = Math.min(total, MOST);
  const text = t(most < total ? 'table.selectFirst' : 'table.selectMatching', {
    most: formatNumber(most),
    total: formatNumber(total),
  });
  return (
    <Button
      ref={own}
      variant="ghost"
      className="text-accent-text underline underline-offset-4"
      busy={choose.pending}
      onClick={() => void choose.run()}
    >
      {choose.pending ? `${formatNumber(done)} / ${formatNumber(most)}` : text}
    </Button>
  );
}

/** As many rows as may be chosen, page by page. */
export async function readMatching<Row>(
  ask: AskPage<Row>,
  report: (done: number) => void,
  signal: AbortSignal,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let p = 1; rows.length < MOST && !signal.aborted; p++) {
    const { items } = await ask({ p, page_size: PAGE });
    rows.push(...items);
    report(rows.length);
    if (items.length < PAGE) break;
  }
  return rows;
}
