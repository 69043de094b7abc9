/** Finds the row of a code that somebody asks about. */
import { KeyFinder } from '@/components/key-finder.tsx';
import { useApi } from '@/lib/page-context.ts';

const texts = {
  action: 'redemption.byCode',
  help: 'redemption.byCodeHelp',
  field: 'redemption.code',
  unknown: 'redemption.codeUnknown',
} as const;

export function CodeFinder() {
  const api = useApi();
  return (
    <KeyFinder
      texts={texts}
      find={async (key) => {
        const code = await api.send('POST', '/api/redemption/find', { body: { key } });
        return code ? { q: String(code.id), status: undefined, p: undefined } : null;
      }}
    />
  );
}
