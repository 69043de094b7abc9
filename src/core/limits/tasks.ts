/** Tasks, and the films and pictures that they make. */
import { KIB, MIB } from './sizes.ts';

export const tasks = {
  // Tasks. Peers ask after theirs every 15 s; here it is 5 s at first and ever more seldom, which is sooner and less.
  taskRoundMs: 5_000,
  taskPollSec: 5,
  taskPollMostSec: 60,
  /** A window that is free changes when its owner says something in it, so that it is asked after seldom, and it closes. */
  taskWindowPollSec: 600,
  taskWindowSec: 3_600,
  /** A task that nobody has taken for so long is looked at: is its call still under way? */
  taskSubmitSec: 60,
  /** Written down at once, of which one of each user: half of the connections that all others need as well. */
  taskSubmissionsAtOnce: 3,
  /** What an upstream has taken is written down, though the database is away for a moment. */
  taskNoteTries: 3,
  taskNoteAgainMs: 1_000,
  /** Of one round, and of one call to an upstream: peers ask after 500 in all. */
  tasksARound: 500,
  tasksAsked: 50,
  /** Such calls at once, and of one channel; of those whose answers may be large, lists and whole results, fewer. */
  tasksAskedAtOnce: 50,
  tasksAskedOfOne: 10,
  largeTasksAtOnce: 10,
  largeTasksOfOne: 2,
  /** So many questions after tasks of one batch without a good answer in a row, and it is asked after one of them alone. */
  tasksAskedInVain: 3,
  taskAskMs: 15_000,
  /** What has no answer by then gives its place to other channels. */
  taskSlowMs: 2_000,
  /** So much longer a task may take that nobody could be asked after when its time was up. */
  taskUnaskedHours: 1,
  taskAnswerBytes: 8 * MIB,
  /** What an upstream answers to a task that it takes: an id and some words, of uploads some addresses. */
  taskTakenBytes: 1 * MIB,
  /** What is kept of one result: two songs with their lyrics are ten. */
  taskDataBytes: 64 * KIB,
  taskReasonChars: 500,
  /** Of a prompt, as it was sent and as its upstream made it: a line or two. Of what a caller writes on it for himself. */
  taskTextChars: 4_000,
  taskStateChars: 500,
  /** As it goes up: clients put JSON there. */
  drawingStateChars: 16_000,
  /** What a drawing is asked for in: Midjourney takes no more, the addresses of pictures among them. */
  drawingTextChars: 6_000,
  /** How an upstream may call a task: the longest are paths of some 200 characters. */
  taskNameChars: 500,
  /** Tasks that are older than the log, removed in one statement. */
  tasksRemoved: 1_000,
  /** Of one user, under way at once. */
  tasksOpen: 200,
  /** Of one user: clients ask every few seconds after what they wait for. */
  taskReadsAMinute: 600,
  tasksFetched: 100,
  /** Of what is kept of those together: a hundred results as they are usual. */
  tasksFetchedBytes: 1 * MIB,
  /** The same of one page of a list: of tasks as large as they may be it still holds twenty. */
  tasksListedBytes: 2 * MIB,
  /** A charge that waits in a spool is looked for again after so long. */
  taskRefundAgainSec: 60,
  /** Of one user in a minute: each asks the upstream. */
  taskSeedsAMinute: 20,
  /** Who wants to be told of a task is told of each change, and is tried so often. */
  taskHookTries: 3,
  taskHookAgainSec: 30,
  taskHookMs: 5_000,
  taskHooksARound: 20,
  /** All of a round, so that it takes no longer than the slowest of them. */
  taskHooksAtOnce: 20,
  /** Seconds of a film that a call may ask for: no upstream makes half as many at once. */
  videoSecondsMax: 120,
  /** Films are passed on as they come. What an answer that holds one whole may be, as base64: 8 s in 1080p are some 10 MB. */
  videoBytes: 1_024 * MIB,
  videoAnswerBytes: 48 * MIB,
  videosAtOnce: 32,
  videosOfOneAtOnce: 4,
  videosWaiting: 64,
  /** So long one waits for a place, in which who stands still gives way to him. */
  videoWaitMs: 5_000,
  /** Until it begins, between two pieces, and in all. */
  videoOpenMs: 60_000,
  videoIdleMs: 60_000,
  /** Of one user in a minute. */
  videoFilesAMinute: 60,
  /** Pictures that are passed on, each whole in memory: as large as those of printers. */
  pictureBytes: 20 * MIB,
  pictureMs: 30_000,
  picturesAtOnce: 8,
  picturesOfOneAtOnce: 4,
  picturesWaiting: 64,
  /** Of all that are not written yet: one network has six of the largest, or more of what others leave. */
  picturesInMemoryBytes: 256 * MIB,
  /** Of one picture and network, who are guests for all we know. */
  picturesAMinute: 300,
} as const;
