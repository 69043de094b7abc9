/** How an application's request stands, from the reading of it to the decision. */
import { TOKEN_STATUS } from '@modules/token/facts.ts';
import { useEffect, useState } from 'react';
import type { Token } from '@/features/token/token.ts';
import { approveCode, forgetApproveCode } from '@/lib/approve-code.ts';
import type { DataOf } from '@/lib/calls.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';

export type TokenRequest = DataOf<'get', '/api/request_bind'>;

/** What is asked, and what could be given. */
export interface Asked {
  request: TokenRequest;
  tokens: readonly Token[];
  isUsable: (token: Token) => boolean;
}

export type Decision = 'approved' | 'rejected';

/** The states of the specification: how many tokens could be given decides between three of them. */
type AskedStep = 'confirm' | 'no-token' | 'choose-token';

type State =
  | { step: 'loading' | Decision }
  /** `null` when there is no request at all. */
  | { step: 'failed'; error: unknown }
  | { step: AskedStep; asked: Asked };

export type Approval = State & { decided: (decision: Decision) => void };

/** The specification's number. */
const TOKENS_SHOWN = '100';

const stepFor = (usable: number): AskedStep => {
  if (usable === 0) return 'no-token';
  return usable === 1 ? 'confirm' : 'choose-token';
};

export function useApproval(): Approval {
  const api = useApi();
  const { keysShownOnce } = useBoot();
  const [state, setState] = useState<State>({ step: 'loading' });
  useEffect(() => {
    const load = async (): Promise<State> => {
      if (approveCode() === null) return { step: 'failed', error: null };
      const [request, tokens] = await Promise.all([
        api.get('/api/request_bind'),
        api.get('/api/token/', { query: { p: '0', size: TOKENS_SHOWN, mask: 'true' } }),
      ]);
      const isUsable = ({ status }: Token) => status === TOKEN_STATUS.enabled && !keysShownOnce;
      const step = stepFor(tokens.filter(isUsable).length);
      return { step, asked: { request, tokens, isUsable } };
    };
    load()
      .catch((error: unknown): State => ({ step: 'failed', error }))
      .then(setState);
  }, [api, keysShownOnce]);
  return {
    ...state,
    decided(step) {
      forgetApproveCode();
      setState({ step });
    },
  };
}
