/** What a row of the list shows. */
import { formatNumber } from '@core/money.ts';
import { secOf } from '@core/time.ts';
import { useMemo } from 'react';
import type { Column } from '@/components/data-table/column.ts';
import { State } from '@/components/status.tsx';
import { Time } from '@/components/time.tsx';
import { Tag } from '@/components/ui/tag.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { Progress } from '../task/progress.tsx';
import { SLOW_SEC, stateOf } from '../task/task.ts';
import { actionText, altOf, codeText, type Drawing, filmsOf, pictureOf } from './drawing.ts';

interface Opens {
  picture(drawing: Drawing): void;
  prompt(drawing: Drawing): void;
}

export function useDrawingColumns(seesAll: boolean, opens: Opens): Column<Drawing>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const all: (Column<Drawing> | false)[] = [
      {
        id: 'submitted',
        sort: 'submitted',
        header: t('task.submitted'),
        fixed: true,
        card: 'meta',
        className: 'text-muted',
        cell: (drawing) => <Time at={secOf(drawing.submit_time)} />,
      },
      { id: 'elapsed', header: t('task.elapsed'), align: 'right', card: 'fact-end', cell: Elapsed },
      seesAll && { id: 'user', header: t('task.user'), cell: (drawing) => drawing.username },
      seesAll && {
        id: 'channel',
        sort: 'channel',
        header: t('task.channel'),
        align: 'right',
        cell: (drawing) => (drawing.channel_id === 0 ? '-' : `#${drawing.channel_id}`),
      },
      {
        id: 'action',
        sort: 'action',
        header: t('task.action'),
        fixed: true,
        card: 'title',
        cell: (drawing) => actionText(drawing.action, t),
      },
      {
        id: 'id',
        header: t('task.id'),
        className: 'max-w-20 truncate',
        cell: (drawing) => (
          <span className="font-mono text-xs" title={drawing.mj_id}>
            {drawing.mj_id}
          </span>
        ),
      },
      { id: 'result', header: t('drawing.result'), cell: (drawing) => codeText(drawing.code, t) },
      { id: 'state', sort: 'state', header: t('task.state'), card: 'status', cell: DrawingState },
      {
        id: 'progress',
        sort: 'progress',
        header: t('task.progress'),
        align: 'right',
        card: 'fact',
        cell: Progress,
      },
      {
        id: 'image',
        header: t('drawing.image'),
        card: 'picture',
        cell: (drawing) => <Result drawing={drawing} onOpen={() => opens.picture(drawing)} />,
      },
      {
        id: 'prompt',
        header: t('drawing.prompt'),
        className: 'max-w-36',
        cell: (drawing) =>
          drawing.prompt === '' ? (
            '-'
          ) : (
            <button
              type="button"
              className="quiet-link block max-w-full truncate text-left"
              onClick={() => opens.prompt(drawing)}
            >
              {drawing.prompt}
            </button>
          ),
      },
      {
        id: 'reason',
        header: t('task.reason'),
        className: 'max-w-32 truncate text-muted',
        cell: (drawing) => <span title={drawing.fail_reason}>{drawing.fail_reason}</span>,
      },
    ];
    return all.filter((column) => column !== false);
  }, [t, seesAll, opens]);
}

const DrawingState = ({ status }: Drawing) => <State look={stateOf(status)} />;

function Elapsed({ submit_time, finish_time }: Drawing) {
  const { t } = useTranslation();
  if (finish_time === 0) return '-';
  const seconds = Math.max(Math.round((finish_time - submit_time) / 1000), 0);
  return (
    <Tag tone={seconds > SLOW_SEC ? 'bad' : 'ok'}>{t('task.seconds', { n: formatNumber(seconds) })}</Tag>
  );
}

interface ResultProps {
  drawing: Drawing;
  onOpen: () => void;
}

function Result(props: ResultProps) {
  const { t } = useTranslation();
  const films = filmsOf(props.drawing);
  if (films.length === 0) return <Thumb {...props} />;
  return (
    <span className="flex gap-x-2.5 max-md:gap-x-9 pointer-coarse:gap-x-9">
      {films.map((film, at) => (
        <a
          key={film}
          href={film}
          download={`${props.drawing.mj_id}-${at + 1}.mp4`}
          aria-label={t('drawing.film', { n: at + 1 })}
          className="link hit"
        >
          {at === 0 ? t('drawing.film', { n: 1 }) : at + 1}
        </a>
      ))}
    </span>
  );
}

function Thumb({ drawing, onOpen }: ResultProps) {
  const { t } = useTranslation();
  const picture = pictureOf(drawing);
  if (!picture) return '-';
  return (
    <button type="button" onClick={onOpen} className="hit block max-md:w-full" title={t('drawing.open')}>
      {/* Nobody knows its size before it is there: its room does not grow then. */}
      <img
        src={picture}
        alt={altOf(drawing, t)}
        loading="lazy"
        className="size-10 rounded-xs border border-line bg-sunken object-cover max-md:aspect-square max-md:h-auto max-md:max-h-[80vh] max-md:w-full max-md:object-contain"
      />
    </button>
  );
}
