/** What has been said in the playground, and what each answer took. */
import { Link } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { CopyButton } from '@/components/copy-button.tsx';
import { Button } from '@/components/ui/button.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { CallFacts, CallFailure } from './call-facts.tsx';
import type { Turn } from './chat.ts';
import { shownAs } from './pictures.ts';

interface ConversationProps {
  turns: readonly Turn[];
  pending: boolean;
  /** Asks the last question again. */
  onRetry: () => void;
  /** Asks a first question for who has none; undefined where nobody can be asked. */
  onSample: (() => void) | undefined;
}

export function Conversation({ turns, pending, onRetry, onSample }: ConversationProps) {
  const { t } = useTranslation();
  const end = useRef<HTMLDivElement>(null);
  const length = turns.reduce(
    (sum, { answer, thinking, tools }) => sum + answer.length + thinking.length + tools.length,
    0,
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end is shown again whenever something was added
  useEffect(() => {
    if (turns.length > 0) end.current?.scrollIntoView({ block: 'end' });
  }, [turns.length, length, pending]);
  if (turns.length === 0) {
    return (
      <div className="grid justify-items-center gap-3 py-6 text-center text-sm text-muted">
        <p>{t('chat.empty')}</p>
        {onSample && <Button onClick={onSample}>{t('chat.sendSample', { text: t('chat.sample') })}</Button>}
      </div>
    );
  }
  return (
    <div
      role="log"
      aria-label={t('chat.conversation')}
      // An answer is read out when it is whole, not word by word.
      aria-live={pending ? 'off' : 'polite'}
      aria-busy={pending}
      className="grid grid-cols-[minmax(0,1fr)] gap-4"
    >
      {turns.map((turn) => (
        <TurnView key={turn.id} turn={turn} />
      ))}
      {!pending && (
        <Button variant="ghost" className="-mt-2 justify-self-start" onClick={onRetry}>
          <RotateCcw aria-hidden="true" />
          {t('chat.again')}
        </Button>
      )}
      <div ref={end} />
    </div>
  );
}

function TurnView({ turn }: { turn: Turn }) {
  const { t } = useTranslation();
  const { question, answer, thinking, tools, state, result, error } = turn;
  return (
    <article className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <p className="max-w-[85%] justify-self-end rounded-md bg-accent-soft px-3 py-2 break-words whitespace-pre-wrap">
        <span className="sr-only">{t('chat.you')}: </span>
        {question.pictures.map((picture) => (
          <img
            key={picture.name}
            src={shownAs(picture)}
            alt={picture.name}
            className="mb-1.5 max-h-60 max-w-full rounded-sm last:mb-0"
          />
        ))}
        {question.text}
      </p>
      {thinking !== '' && (
        <details className="text-sm text-muted">
          <summary className="w-fit">{t('chat.thinking')}</summary>
          <p className="mt-1 border-l-2 border-line pl-3 break-words whitespace-pre-wrap">{thinking}</p>
        </details>
      )}
      {(answer !== '' || state === 'pending') && (
        <p className="break-words whitespace-pre-wrap">
          <span className="sr-only">{t('chat.model')}: </span>
          {answer || <span className="text-muted">{t('token.trying')}</span>}
        </p>
      )}
      {tools.map((tool, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls are only ever added at the end
        <figure key={i} className="rounded-md border border-line bg-sunken px-3 py-2 text-sm">
          <figcaption className="text-xs text-muted">{t('chat.toolCall', { name: tool.name })}</figcaption>
          <code className="block font-mono text-xs break-all whitespace-pre-wrap">{tool.arguments}</code>
        </figure>
      ))}
      {state === 'done' && answer === '' && tools.length === 0 && (
        <p className="text-muted">{t('token.answerEmpty')}</p>
      )}
      {state === 'failed' && <CallFailure error={error} />}
      {state === 'stopped' && <p className="text-xs text-muted">{t('chat.stopped')}</p>}
      {result && (
        <p className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
          <span>
            <CallFacts result={result} />
          </span>
          <Link to="/log" search={{ id: result.requestId }} target="_blank" className="link hit">
            {t('chat.inLog')}
          </Link>
          {answer !== '' && (
            <CopyButton
              text={answer}
              label={t('chat.copyAnswer')}
              variant="ghost"
              iconOnly
              className="-my-1"
            />
          )}
        </p>
      )}
    </article>
  );
}
