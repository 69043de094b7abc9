/** What other parts use of tasks. */
export type { TaskProbe, TaskQuestion } from './probe.ts';
export { forgetTasks, openTask, ownTasks, type TaskRow, taskRefused, taskTaken } from './store.ts';
