/** The state of a conversation: one call at a time, kept only as long as the drawer is open. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useBoot } from '@/lib/page-context.ts';
import {
  type ChatSettings,
  chatOptions,
  messagesOf,
  type Question,
  type Turn,
  wireMessages,
} from './chat.ts';
import { relayCall } from './relay-call.ts';

export interface Chat {
  turns: readonly Turn[];
  pending: boolean;
  /** Resolves when the answer has ended, in whichever way. */
  send: (question: Question, settings: ChatSettings) => Promise<void>;
  /** Asks the last question again, in the place of what came of it. */
  retry: (settings: ChatSettings) => Promise<void>;
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

  /** `before`: what was said until then; what was said after it is gone. */
  const ask = async (question: Question, settings: ChatSettings, before: readonly Turn[]) => {
    const id = nextId.current++;
    controller.current = new AbortController();
    const { signal } = controller.current;
    const change = (fields: Partial<Turn>) =>
      setTurns((now) => now.map((turn) => (turn.id === id ? { ...turn, ...fields } : turn)));
    setTurns([
      ...before,
      { id, question, answer: '', thinking: '', tools: [], state: 'pending', result: null, error: null },
    ]);
    const { model, group, answer } = settings;
    const body = {
      model,
      ...(group === '' ? {} : { group }),
      messages: wireMessages(messagesOf(settings, before, question)),
      ...chatOptions(settings),
      ...(answer === 'streamed' ? { stream: true } : {}),
    };
    try {
      const result = await relayCall({
        path: '/pg/chat/completions',
        headers: { 'new-api-user': String(user?.id ?? '') },
        body,
        signal,
        onAnswer: ({ text, thinking, tools }) => change({ answer: text, thinking, tools }),
      });
      change({ state: 'done', result });
    } catch (error) {
      change(signal.aborted ? { state: 'stopped' } : { state: 'failed', error });
    }
  };

  const send = (question: Question, settings: ChatSettings) => ask(question, settings, turns);
  const retry = async (settings: ChatSettings) => {
    const last = turns.at(-1);
    if (last) await ask(last.question, settings, turns.slice(0, -1));
  };

  const clear = useCallback(() => {
    stop();
    setTurns([]);
  }, [stop]);

  return { turns, pending: turns.some(({ state }) => state === 'pending'), send, retry, stop, clear };
}
