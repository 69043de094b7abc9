/** A piece of what came out of a task: its sound, its film, its picture and its words. */
import { ExternalLink } from 'lucide-react';
import { useTranslation } from '@/lib/use-translation.ts';
import { Player } from './player.tsx';
import type { Piece, Task } from './task.ts';

export function PieceOf({ task, piece }: { task: Task; piece: Piece }) {
  const { t } = useTranslation();
  const { at, title, text, audio, video, picture } = piece;
  return (
    <article className="border-line py-2 not-first:border-t">
      <h3 className="text-sm font-semibold">{title || t('task.untitled')}</h3>
      {audio && (
        <div className="mt-2">
          <Player task={task} kind="audio" piece={at} />
        </div>
      )}
      {video && (
        <div className="mt-2">
          <Player task={task} kind="video" piece={at} />
        </div>
      )}
      {picture && <Cover of={picture} />}
      {text && <p className="mt-2 text-sm break-words whitespace-pre-wrap text-muted">{text}</p>}
    </article>
  );
}

/** It stands with the upstream: it opens beside the console, which loads nothing from there. */
function Cover({ of }: { of: string }) {
  const { t } = useTranslation();
  return (
    <p className="mt-2 text-sm">
      <a href={of} target="_blank" rel="noreferrer" className="link hit inline-flex items-center gap-1">
        {t('task.picture')}
        <ExternalLink className="size-3.5" aria-hidden="true" />
      </a>
    </p>
  );
}
