/** What other parts use of tasks. */
export { drawingAnswer, type PicturePlace, pictureOf } from './drawing.ts';
export { expiresAt, type TaskFile, type TaskFileReader, type TaskFiles } from './files.ts';
export type { TaskProbe, TaskQuestion } from './probe.ts';
export { forgetOldTasks } from './retention.ts';
export {
  askSoon,
  claimWindow,
  deleteTask,
  forgetTasks,
  type NewTask,
  openTask,
  ownTasks,
  pageOfTasks,
  reopenWindow,
  type TaskRow,
  taskById,
  taskRefused,
  taskTaken,
} from './store.ts';
