import { useEffect, useState } from 'react';
import { errorText } from '@/lib/error-text.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Found, questionsFor, type Source } from './sources.ts';

/** What one source found, or why it could not look. */
export interface Answer {
  source: Source;
  found: readonly Found[];
  error?: string;
}

interface Asked {
  text: string;
  answers: readonly Answer[];
}

/** Typing pauses so long before the server is asked. */
const PAUSE_MS = 250;

/**
 * What the sources find for a text: asked when typing pauses, given up when it goes on. All answers come at once, so that
 * nothing moves under the choice; null while they are awaited.
 */
export function useFound(typed: string, pages: ReadonlySet<string>): readonly Answer[] | null {
  const { t } = useTranslation();
  const api = useApi();
  const text = typed.trim();
  const [asked, setAsked] = useState<Asked>({ text: '', answers: [] });

  useEffect(() => {
    const questions = questionsFor(text, pages, t);
    if (questions.length === 0) return setAsked({ text, answers: [] });
    const abort = new AbortController();
    const { signal } = abort;
    const ask = async ({ source, text }: (typeof questions)[number]): Promise<Answer> => {
      try {
        return { source, found: await source.find(api, text, signal) };
      } catch (error) {
        return { source, found: [], error: errorText(error, t) };
      }
    };
    const timer = setTimeout(async () => {
      const answers = await Promise.all(questions.map(ask));
      if (!signal.aborted) setAsked({ text, answers });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [api, t, text, pages]);

  return asked.text === text ? asked.answers : null;
}
