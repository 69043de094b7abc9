/** How the engine asks after tasks; the relay knows upstreams. */
import type { TaskNews } from '../../core/tasks.ts';

export interface TaskQuestion {
  channelId: number;
  /** The key that submitted them. */
  keyId: number;
  /** The upstream's; at most `limits.tasksAsked`. */
  ids: readonly string[];
}

export interface TaskProbe {
  /**
   * What the upstream says of those that it names. `gone`: the channel was deleted, or is none that has tasks. Null where
   * it says nothing now. Never rejects for an upstream's fault.
   */
  ask(question: TaskQuestion): Promise<readonly TaskNews[] | 'gone' | null>;
}
