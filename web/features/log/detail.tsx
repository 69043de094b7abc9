/** What stands below an opened row: what was called, and of a charge how it came about. */
import { Bill } from './bill.tsx';
import { CONSUMPTION, type LogRow, readFacts } from './log-row.ts';
import { RequestFacts } from './request-facts.tsx';

export function LogDetail({ row }: { row: LogRow }) {
  const facts = readFacts(row);
  if (row.type !== CONSUMPTION) {
    return (
      <div className="py-3">
        <RequestFacts row={row} facts={facts} />
      </div>
    );
  }
  return (
    <div className="grid grid-cols-[minmax(0,5fr)_minmax(0,3fr)] gap-8 py-3 max-md:grid-cols-1 max-md:gap-4">
      <Bill row={row} facts={facts} />
      <RequestFacts row={row} facts={facts} />
    </div>
  );
}
