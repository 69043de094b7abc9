/** Tasks: work that an upstream goes on with after it has taken a call, and that is asked after until it is over. */
import type { Json } from './json.ts';
import type { Text } from './text.ts';

/** Whose wire a task came by. */
const TASK_PLATFORMS = ['suno', 'mj', 'video'] as const;
export type TaskPlatform = (typeof TASK_PLATFORMS)[number];

/** In the words of the wires; empty while the task is being submitted. */
const TASK_STATUSES = [
  '',
  'NOT_START',
  'SUBMITTED',
  'QUEUED',
  'IN_PROGRESS',
  /** It waits for what its owner says in a window of its own. */
  'MODAL',
  'SUCCESS',
  'FAILURE',
  'UNKNOWN',
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

const isStatus = (text: string): text is Exclude<TaskStatus, ''> =>
  text !== '' && TASK_STATUSES.some((status) => status === text);

/** A status as upstreams write it: what they have cancelled has failed. */
export function readTaskStatus(said: unknown): Pick<TaskNews, 'status' | 'fault'> {
  const word = typeof said === 'string' ? said.toUpperCase() : '';
  if (/^CANCEL(?:L?ED)?$/.test(word)) return { status: 'FAILURE', fault: 'cancelled' };
  return { status: isStatus(word) ? word : 'UNKNOWN' };
}

export const isTaskOver = (status: string): boolean => status === 'SUCCESS' || status === 'FAILURE';

/** What an upstream says of a task. */
export interface TaskNews {
  /** The upstream's. */
  id: string;
  status: Exclude<TaskStatus, ''>;
  /** 0 to 100; null where it is not told. */
  progress: number | null;
  /** In the upstream's words; empty for none. */
  failReason: string;
  /** Why it failed, where the upstream has no words for that. */
  fault?: TaskFault;
  /** Unix milliseconds; 0 where it is not told. */
  startTime: number;
  finishTime: number;
  /** What came out, or so far; null for nothing. */
  data: Json;
  /** How long what came out is, in whole seconds; absent or null where it is not told. */
  seconds?: number | null;
}

/** Why a task failed without a word of its upstream. */
const TASK_FAULTS = {
  timeout: { zh: '任务超时，费用已退回', en: 'The task took too long; what it cost is given back' },
  interrupted: { zh: '提交时服务中断，未扣费', en: 'The submission was interrupted and is not charged' },
  channel_gone: {
    zh: '任务所在的渠道已删除，费用已退回',
    en: 'The channel of the task was deleted; what it cost is given back',
  },
  cancelled: {
    zh: '上游取消了任务，费用已退回',
    en: 'The upstream cancelled the task; what it cost is given back',
  },
  upstream: {
    zh: '上游未能完成任务，费用已退回',
    en: 'The upstream failed to do the task; what it cost is given back',
  },
  window_closed: { zh: '窗口长时间未填写，已关闭', en: 'Nobody filled in the window, so it was closed' },
} as const satisfies Record<string, Text>;
export type TaskFault = keyof typeof TASK_FAULTS;

const isFault = (code: string): code is TaskFault => Object.hasOwn(TASK_FAULTS, code);

/** Why a task failed, to its reader; empty while it has not. */
export const failText = (
  { fail_code, fail_reason }: { fail_code: string; fail_reason: string },
  locale: keyof Text,
): string => (isFault(fail_code) ? TASK_FAULTS[fail_code][locale] : fail_reason);
