/** What other parts use of tasks. */
export { drawingAnswer, filmsOf, type PicturePlace, pictureOf } from './drawing.ts';
export { expiresAt, type TaskFile, type TaskFileReader, type TaskFiles } from './files.ts';
export { askSoon } from './news.ts';
export type { TaskProbe, TaskQuestion } from './probe.ts';
export { forgetOldTasks } from './retention.ts';
export { deleteTask, forgetTasks, ownTasks, pageOfTasks, type TaskRow, taskById } from './rows.ts';
export {
  claimWindow,
  type NewTask,
  openTask,
  reopenWindow,
  taskRefused,
  taskTaken,
} from './submission.ts';
