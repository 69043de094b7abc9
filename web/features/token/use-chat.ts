/** The state of a conversation: one call at a time, kept only as long as the drawer is open. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useBoot } from '@/lib/page-context.ts';
import { type ChatSettings, chatOptions, messagesOf, type Turn } from './chat.ts';
import { relayCall } from './relay-call.ts';

export interface Chat {
  turns: readonly Turn[];
  pending: boolean;
  /** Resolves when the answer has ended, in whichever way. */
  send: (question: string, settings: ChatSettings) => Promise<void>;
  stop: () => void;
  clear: () => void;
}

export function useChat(): Chat {
  const { user } = useBoot();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const controller = useRef<AbortController>(undefined);
  const stop = useCallback(() => controller.current?.abort(), []);
  useEffect(() => stop, [stop]);
  const nextId = useRef(0);

  const send = async (question: string, settings: ChatSettings) => {
    const id = nextId.current++;
    controller.current = new AbortController();
    const { signal } = controller.current;
    const change = (fields: Partial<Turn>) =>
      setTurns((now) => now.map((turn) => (turn.id === id ? { ...turn, ...fields } : turn)));
    setTurns((now) => [
      ...now,
      { id, question, answer: '', thinking: '', state: 'pending', result: null, error: null },
    ]);
    const { model, group, answer } = settings;
    const body = {
      model,
      ...(group === '' ? {} : { group }),
      messages: messagesOf(settings, turns, question),
      ...chatOptions(settings),
      ...(answer === 'streamed' ? { stream: true } : {}),
    };
    try {
      const result = await relayCall({
        path: '/pg/chat/completions',
        headers: { 'new-api-user': String(user?.id ?? '') },
        body,
        signal,
        onText: (text, thinking) => change({ answer: text, thinking }),
      });
      change({ state: 'done', result });
    } catch (error) {
      change(signal.aborted ? { state: 'stopped' } : { state: 'failed', error });
    }
  };

  const clear = useCallback(() => {
    stop();
    setTurns([]);
  }, [stop]);

  return { turns, pending: turns.some(({ state }) => state === 'pending'), send, stop, clear };
}
