/** How the engine asks after tasks; the relay knows upstreams. */
import type { TaskNews } from '../../core/tasks.ts';

export interface TaskQuestion {
  channelId: number;
  /** The key that submitted them. */
  keyId: number;
  /** The upstream's; at most `limits.tasksAsked`. */
  ids: readonly string[];
  /** Nothing more is asked once it aborts. */
  until: AbortSignal;
  /** Told what the upstream says of those that it names, as it comes: some of them may be asked after alone. */
  hear(news: readonly TaskNews[]): Promise<void>;
}

export interface TaskProbe {
  /**
   * Ends when all has been heard, with the ids that are left to a later round: no question was about them alone, and none was
   * answered. `gone`: the channel was deleted, or is none that has tasks. What one of the tasks does to an answer keeps back
   * no other for long. Never rejects for an upstream's fault.
   */
  ask(question: TaskQuestion): Promise<'gone' | readonly string[]>;
}
