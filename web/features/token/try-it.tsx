/** The state and the outcome of one call that was tried from the page. */
import { Play, Square } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { CallFacts, CallFailure } from './call-facts.tsx';
import { type Answer, type CallResult, relayCall } from './relay-call.ts';

interface TryStart {
  /** The whole key, or how to get it. */
  key: string | (() => Promise<string>);
  model: string;
  streamed: boolean;
}

export interface Attempt {
  pending: boolean;
  /** What has come so far. */
  text: string;
  result: CallResult | null;
  error: unknown;
  run: (start: TryStart) => Promise<void>;
  stop: () => void;
}

export function useTry(): Attempt {
  const [pending, setPending] = useState(false);
  const [text, setText] = useState('');
  const [result, setResult] = useState<CallResult | null>(null);
  const [error, setError] = useState<unknown>(null);
  const controller = useRef<AbortController>(undefined);
  const stop = useCallback(() => controller.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const run = async ({ key, model, streamed }: TryStart) => {
    controller.current = new AbortController();
    const { signal } = controller.current;
    setPending(true);
    setText('');
    setResult(null);
    setError(null);
    try {
      const whole = typeof key === 'string' ? key : await key();
      const body = {
        model,
        messages: [{ role: 'user', content: 'ping' }],
        ...(streamed ? { stream: true } : {}),
      };
      const headers = { authorization: `Bearer ${whole}` };
      const onAnswer = (answer: Answer) => setText(answer.text);
      setResult(await relayCall({ path: '/v1/chat/completions', headers, body, signal, onAnswer }));
    } catch (failure) {
      // Whoever stops a call knows that it was stopped.
      if (!signal.aborted) setError(failure);
    } finally {
      setPending(false);
    }
  };

  return { pending, text, result, error, run, stop };
}

interface TryButtonProps {
  attempt: Attempt;
  disabled: boolean;
  call: TryStart;
}

/** Makes the call, and stops it while it is under way. */
export function TryButton({ attempt, disabled, call }: TryButtonProps) {
  const { t } = useTranslation();
  if (attempt.pending) {
    return (
      <Button size="lg" onClick={attempt.stop}>
        <Square aria-hidden="true" />
        {t('token.stop')}
      </Button>
    );
  }
  return (
    <Button size="lg" variant="primary" disabled={disabled} onClick={() => void attempt.run(call)}>
      <Play aria-hidden="true" />
      {t('token.tryIt')}
    </Button>
  );
}

export function TryOutcome({ attempt }: { attempt: Attempt }) {
  const { t } = useTranslation();
  const { pending, text, result, error } = attempt;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (pending || result || error) place.current?.scrollIntoView({ block: 'nearest' });
  }, [pending, result, error]);
  return (
    <div ref={place} aria-live="polite" aria-busy={pending} className="empty:hidden">
      {error !== null && <CallFailure error={error} />}
      {(pending || result) && (
        <section
          aria-label={t('token.answerTitle')}
          className="rounded-md border border-line bg-sunken px-3 py-2.5"
        >
          <h3 className="mb-1 text-xs text-muted">{t('token.answerTitle')}</h3>
          <p className="max-h-48 overflow-y-auto text-sm break-words whitespace-pre-wrap">
            {text || (pending ? t('token.trying') : t('token.answerEmpty'))}
          </p>
        </section>
      )}
      {result && <Facts result={result} />}
    </div>
  );
}

function Facts({ result }: { result: CallResult }) {
  return (
    <Notice tone="ok" className="mt-3">
      <CallFacts result={result} />
      <code className="block font-mono text-xs break-all text-muted">{result.requestId}</code>
    </Notice>
  );
}
