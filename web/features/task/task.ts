/** A task, in words. */
import { own } from '@core/own.ts';
import type { StateLook } from '@/components/status.tsx';
import type { DataOf } from '@/lib/calls.ts';
import type { TFunction } from '@/lib/i18n.ts';

export type Task = DataOf<'get', '/api/task/self'>['items'][number];

const STATES = {
  NOT_START: { tone: 'off', label: 'task.state.NOT_START' },
  SUBMITTED: { tone: 'auto', label: 'task.state.SUBMITTED' },
  QUEUED: { tone: 'auto', label: 'task.state.QUEUED' },
  IN_PROGRESS: { tone: 'auto', label: 'task.state.IN_PROGRESS' },
  MODAL: { tone: 'off', label: 'task.state.MODAL' },
  SUCCESS: { tone: 'on', label: 'task.state.SUCCESS' },
  FAILURE: { tone: 'bad', label: 'task.state.FAILURE' },
  UNKNOWN: { tone: 'gone', label: 'task.state.UNKNOWN' },
} as const satisfies Record<string, StateLook>;

/** Those that a filter offers: the empty one lasts for moments. */
export const STATE_NAMES = Object.keys(STATES);

export const stateOf = (status: string): StateLook =>
  status === '' ? { tone: 'off', label: 'task.state.submitting' } : (own(STATES, status) ?? STATES.UNKNOWN);

const ACTIONS = {
  MUSIC: 'task.action.MUSIC',
  LYRICS: 'task.action.LYRICS',
  VIDEO: 'task.action.VIDEO',
} as const;
export const ACTION_NAMES = Object.keys(ACTIONS);

export function actionText(action: string, t: TFunction): string {
  const key = own(ACTIONS, action);
  return key ? t(key) : action;
}

/** Seconds from which on a task counts as slow (spec section 4). */
export const SLOW_SEC = 60;

/** How long it took, or null while that goes on. */
export function elapsedOf({ submit_time, finish_time }: Task): { seconds: number; isSlow: boolean } | null {
  if (finish_time === 0) return null;
  const seconds = Math.max(finish_time - submit_time, 0);
  return { seconds, isSlow: seconds > SLOW_SEC };
}

/** A piece of what came out, as far as the drawer shows it beside the whole. */
export interface Piece {
  id: string;
  /** Its place among all, counted from 0. */
  at: number;
  title: string;
  /** Lyrics. */
  text: string;
  audio: string | null;
  video: string | null;
  picture: string | null;
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What was asked for, and of a film how long and large it is. */
export function askedOf({ properties: { input, prompt, seconds, size } }: Task): {
  asked: string;
  shape: string;
} {
  const length = textIn(seconds) && `${textIn(seconds)} s`;
  return {
    asked: textIn(input) || textIn(prompt),
    shape: [length, textIn(size)].filter(Boolean).join(' · '),
  };
}

/** The call by which the file of a film that is done is fetched; null for anything else. */
export const fileOf = ({ platform, status, task_id, properties: { prompt } }: Task): string | null =>
  platform === 'video' && status === 'SUCCESS' && prompt !== undefined
    ? `GET /v1/videos/video_${task_id}/content`
    : null;

/** Only addresses of the web become links. */
function addressIn(value: unknown): string | null {
  const text = textIn(value);
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? text : null;
}

export function piecesOf(data: unknown): Piece[] {
  const list = Array.isArray(data) ? data : [data];
  return list.flatMap((one: unknown, at) => {
    if (typeof one !== 'object' || one === null) return [];
    const fields = one as Record<string, unknown>;
    const metadata = fields.metadata as Record<string, unknown> | null | undefined;
    const piece: Piece = {
      id: textIn(fields.id),
      at,
      title: textIn(fields.title),
      text: textIn(fields.text) || textIn(typeof metadata === 'object' ? metadata?.prompt : ''),
      audio: addressIn(fields.audio_url),
      video: addressIn(fields.video_url),
      picture: addressIn(fields.image_large_url) ?? addressIn(fields.image_url),
    };
    const isEmpty = !piece.text && !piece.audio && !piece.video && !piece.picture;
    return isEmpty ? [] : [piece];
  });
}
