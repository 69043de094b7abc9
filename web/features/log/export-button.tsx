/** The filtered log as a sheet: fetched piece by piece, so that it tells how far it is, and can be given up. */
import { formatNumber } from '@core/money.ts';
import { Download, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { ProgressBar } from '@/components/progress-bar.tsx';
import { Button } from '@/components/ui/button.tsx';
import { type Query, withQuery } from '@/lib/api.ts';
import { saveFile } from '@/lib/download.ts';
import { notify } from '@/lib/notify.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const LINE_END = 10;

interface State {
  rows: number;
  /** Null where nobody knows. */
  total: number | null;
}

/** `name`: of the file, without its ending. */
export function ExportButton({ query, name }: { query: Query; name: string }) {
  const { t } = useTranslation();
  const { user } = useBoot();
  const [state, setState] = useState<State | null>(null);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);

  const run = async () => {
    stop.current = new AbortController();
    setState({ rows: 0, total: null });
    try {
      const response = await fetch(withQuery('/api/log/export', query), {
        headers: { 'new-api-user': String(user?.id ?? '') },
        cache: 'no-store',
        signal: stop.current.signal,
      });
      const isSheet = response.headers.get('content-type')?.startsWith('text/csv');
      if (!response.ok || !isSheet || !response.body) {
        const told: { message?: string } = await response.json().catch(() => ({}));
        throw new Error(told.message);
      }
      const total = Number(response.headers.get('x-total-rows') ?? Number.NaN);
      const pieces: Uint8Array<ArrayBuffer>[] = [];
      // The first line is the head.
      let rows = -1;
      for await (const piece of response.body) {
        pieces.push(new Uint8Array(piece));
        rows += countOf(piece);
        setState({ rows: Math.max(rows, 0), total: Number.isNaN(total) ? null : total });
      }
      saveFile(`${name}.csv`, new Blob(pieces, { type: 'text/csv;charset=utf-8' }));
    } catch (error) {
      if (stop.current.signal.aborted) return;
      notify({
        tone: 'bad',
        text: (error instanceof Error && error.message) || t('log.exportFailed'),
      });
    } finally {
      setState(null);
    }
  };

  if (!state) {
    return (
      <Button onClick={() => void run()}>
        <Download aria-hidden="true" />
        {t('log.export')}
      </Button>
    );
  }
  const { rows, total } = state;
  return (
    <div className="flex items-center gap-2 text-muted">
      <div className="w-40 text-xs max-md:w-28">
        <ProgressBar
          label={t('log.export')}
          done={Math.min(rows, total ?? rows)}
          total={Math.max(total ?? rows, 1)}
          text={t('log.exporting', { rows: formatNumber(rows) })}
        />
      </div>
      <Button onClick={() => stop.current?.abort()}>
        <X aria-hidden="true" />
        {t('app.cancel')}
      </Button>
    </div>
  );
}

function countOf(piece: Uint8Array): number {
  let lines = 0;
  for (const byte of piece) if (byte === LINE_END) lines++;
  return lines;
}
