/** What an amount costs, worked out by the server once typing pauses. */

import { useEffect, useRef, useState } from 'react';
import { ApiError } from '@/lib/api-error.ts';
import type { AnswerOf, BodyOf } from '@/lib/calls.ts';
import { useApi } from '@/lib/page-context.ts';
import { TYPING_MS } from '@/lib/typing.ts';

export interface Payable {
  /** The last one that came; it stays until the next is there. */
  price: AnswerOf<'post', '/api/user/amount'> | null;
  /** The price is not of what stands in the form now. */
  stale: boolean;
  /** Why what stands in the form has no price; null while it has. */
  error: unknown;
}

/** `asked` is null while the form cannot be priced. */
export function usePayable(asked: BodyOf<'post', '/api/user/amount'> | null): Payable {
  const api = useApi();
  const [payable, setPayable] = useState<Payable>({ price: null, stale: true, error: null });
  const isFirst = useRef(true);
  const refused = useRef<{ code: string; error: ApiError } | null>(null);
  const key = JSON.stringify(asked);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is asked is made anew with every render; its text says when it is another
  useEffect(() => {
    // A wrong code counts each time that it is asked about.
    if (asked?.top_up_code && asked.top_up_code === refused.current?.code) {
      return setPayable({ price: null, stale: false, error: refused.current.error });
    }
    setPayable((old) => ({ ...old, stale: true, error: null }));
    if (asked === null) return;
    let isOld = false;
    const ask = async () => {
      try {
        const price = await api.sendWhole('POST', '/api/user/amount', { body: asked });
        if (!isOld) setPayable({ price, stale: false, error: null });
      } catch (error) {
        if (asked.top_up_code && error instanceof ApiError && error.code === 'TOPUP_CODE') {
          refused.current = { code: asked.top_up_code, error };
        }
        if (!isOld) setPayable({ price: null, stale: false, error });
      }
    };
    const timer = setTimeout(() => void ask(), isFirst.current ? 0 : TYPING_MS);
    isFirst.current = false;
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [api, key]);
  return payable;
}
