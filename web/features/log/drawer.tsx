/** One row by itself: what the address of a sent link opens, and what is printed. */
import { FileJson, Printer } from 'lucide-react';
import { useState } from 'react';
import { CopyButton } from '@/components/copy-button.tsx';
import { EmptyState } from '@/components/empty-state.tsx';
import { Money } from '@/components/money.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerFoot, DrawerHead } from '@/components/ui/dialog.tsx';
import { saveText } from '@/lib/download.ts';
import { errorText } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Bill } from './bill.tsx';
import { LOG_DRAWER_LOOK } from './drawer-look.ts';
import { CONSUMPTION, type LogRow, readFacts } from './log-row.ts';
import { RequestFacts } from './request-facts.tsx';
import { useHeadOf } from './use-head-of.ts';

/** `row`: null for one that is not there, or another's. */
export function LogDrawer({ row }: { row: LogRow | null }) {
  const { t } = useTranslation();
  const headOf = useHeadOf();
  const close = useCloseDrawer();
  const head = row && headOf(row);
  return (
    <Dialog open onOpenChange={(open) => !open && close()}>
      <DrawerContent aria-describedby={undefined} data-sheet className={LOG_DRAWER_LOOK}>
        <DrawerHead title={head?.title ?? t('log.notFound')} sub={head?.sub} />
        <DrawerBody aria-label={t('log.column.open')}>
          {row ? (
            <Sheet row={row} />
          ) : (
            <EmptyState title={t('log.notFound')}>{t('log.notFoundHelp')}</EmptyState>
          )}
        </DrawerBody>
        {row && <Foot row={row} />}
      </DrawerContent>
    </Dialog>
  );
}

function Sheet({ row }: { row: LogRow & { refunded?: number } }) {
  const { t } = useTranslation();
  const facts = readFacts(row);
  const refunded = row.refunded ?? 0;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      {row.type === CONSUMPTION && <Bill row={row} facts={facts} />}
      {refunded > 0 && (
        <p className="flex justify-between gap-4 rounded-sm border border-line bg-ground px-3 py-2">
          {t('log.refunded')}
          <Money quota={refunded} />
        </p>
      )}
      <RequestFacts row={row} facts={facts} isAlone />
      <details className="text-xs" data-print="no">
        <summary className="cursor-pointer text-muted">{t('log.raw')}</summary>
        <pre className="mt-2 overflow-x-auto rounded-sm border border-line bg-ground p-3 font-mono whitespace-pre-wrap break-all">
          {JSON.stringify(facts.other, null, 2)}
        </pre>
      </details>
    </div>
  );
}

function Foot({ row }: { row: LogRow }) {
  const { t } = useTranslation();
  const api = useApi();
  const [proof, setProof] = useState<string | null>(null);
  const id = String(row.id);
  const failed = (error: unknown) => notify({ tone: 'bad', text: errorText(error, t) });
  const save = useAction(async () => {
    try {
      const told = await api.get('/api/log/:row/receipt', { params: { row: id } });
      saveText(`receipt-${row.request_id || id}.json`, JSON.stringify(told, null, 2));
    } catch (error) {
      failed(error);
    }
  });
  const prove = useAction(async () => {
    try {
      const told = await api.send('POST', '/api/log/:row/recompute', {
        params: { row: id },
        body: undefined,
      });
      const said = told.matches ? 'log.proved' : 'log.notProved';
      setProof(
        t(said, { count: told.formula_quota, units: told.formula_quota, hash: told.hash.slice(0, 12) }),
      );
    } catch (error) {
      failed(error);
    }
  });
  return (
    <DrawerFoot className="flex-wrap" data-print="no">
      <CopyButton text={() => Promise.resolve(linkTo(id))} label={t('log.copyLink')} />
      <Button onClick={() => window.print()}>
        <Printer aria-hidden="true" />
        {t('log.print')}
      </Button>
      {row.type === CONSUMPTION && (
        <>
          <Button busy={save.pending} onClick={() => void save.run()}>
            <FileJson aria-hidden="true" />
            {t('log.receipt')}
          </Button>
          <Button busy={prove.pending} onClick={() => void prove.run()}>
            {t('log.prove')}
          </Button>
          {proof && (
            <span role="status" className="text-xs text-muted">
              {proof}
            </span>
          )}
        </>
      )}
    </DrawerFoot>
  );
}

const linkTo = (id: string): string => new URL(`/log?id=${id}`, window.location.href).href;
