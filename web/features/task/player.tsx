/**
 * A file of a task: played here, or saved. It comes by a call that names the user, as every call of the console does, so
 * that it works where a plain address proves no origin; and it is fetched when somebody wants it.
 */
import { Download, Play } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { saveFile } from '@/lib/download.ts';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Task } from './task.ts';

interface PlayerProps {
  task: Pick<Task, 'id' | 'task_id'>;
  kind: 'video' | 'audio';
  /** Which piece's, counted from 0. */
  piece?: number;
}

const ENDINGS: Readonly<Record<string, string>> = {
  'video/webm': 'webm',
  'video/quicktime': 'mov',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/wav': 'wav',
  'audio/ogg': 'ogg',
  'audio/mp4': 'm4a',
};
const USUAL = { video: 'mp4', audio: 'mp3' } as const;

export function Player({ task, kind, piece = 0 }: PlayerProps) {
  const { t } = useTranslation();
  const api = useApi();
  const [played, setPlayed] = useState<Blob | null>(null);
  const address = useAddress(played);
  const fetched = useFetched((signal) =>
    api.file('/api/task/:id/content', {
      params: { id: task.id },
      query: { variant: kind, piece },
      signal,
    }),
  );
  const use = (work: (file: Blob) => void) => async () => {
    try {
      work(await fetched());
    } catch (error) {
      notify(failureNotice(error, t));
    }
  };
  const play = useAction(use(setPlayed));
  const save = useAction(
    use((whole) => {
      const name = piece === 0 ? task.task_id : `${task.task_id}-${piece + 1}`;
      saveFile(`${name}.${ENDINGS[whole.type] ?? USUAL[kind]}`, whole);
    }),
  );
  const Media = kind;
  return (
    <>
      {address !== null && (
        <Media
          ref={focus}
          controls
          autoPlay
          src={address}
          aria-label={t(kind === 'video' ? 'task.watch' : 'task.listen')}
          onError={() => notify({ tone: 'bad', text: t('task.unplayable') })}
          className="mb-2 block max-h-[70vh] w-full rounded-sm"
        />
      )}
      <p className="flex flex-wrap gap-2">
        {address === null && (
          <Button size="sm" busy={play.pending} onClick={() => void play.run()}>
            <Play aria-hidden="true" />
            {t(kind === 'video' ? 'task.play' : 'task.listen')}
          </Button>
        )}
        <Button size="sm" busy={save.pending} onClick={() => void save.run()}>
          <Download aria-hidden="true" />
          {t('task.download')}
        </Button>
      </p>
    </>
  );
}

/** The button that was pressed is gone: who goes on by keyboard does so where it stood. */
const focus = (media: HTMLMediaElement | null) => media?.focus();

/**
 * Fetches the file when it is first wanted, once for all who want it. It is given up when the player goes: who waits for
 * it then hears no more of it.
 */
function useFetched(fetch: (signal: AbortSignal) => Promise<Blob>): () => Promise<Blob> {
  const asked = useRef<{ file: Promise<Blob>; abort: AbortController } | null>(null);
  useEffect(() => () => asked.current?.abort.abort(), []);
  const ask = () => {
    const abort = new AbortController();
    const file = fetch(abort.signal).catch((error: unknown) => {
      asked.current = null;
      if (abort.signal.aborted) return new Promise<never>(() => {});
      throw error;
    });
    return { file, abort };
  };
  return () => {
    asked.current ??= ask();
    return asked.current.file;
  };
}

/** Where the browser finds what is in its memory, as long as that is shown. */
function useAddress(file: Blob | null): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (!file) return;
    const made = URL.createObjectURL(file);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return address;
}
