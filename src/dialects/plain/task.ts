/** Calls that submit a task: what is the same of all of them, whichever wire they come by. */
import type { JsonObject } from '../../core/json.ts';
import type { TaskPlatform } from '../../core/tasks.ts';
import type { CallersDialect } from '../body-rules.ts';

/** The earlier task of the caller's that a call goes on from, and the piece of its result where it names one. */
export interface EarlierTask {
  id: string;
  piece: string | null;
}

export interface TaskDialect extends CallersDialect {
  readonly task: {
    readonly platform: TaskPlatform;
    /** As rows name it. */
    readonly action: string;
    earlier?(body: JsonObject): EarlierTask | null;
    /** Whether a result holds the piece. */
    hasPiece?(data: unknown, piece: string): boolean;
    /** The body with the upstream's name of the earlier task. */
    withEarlier?(body: JsonObject, upstreamId: string): JsonObject;
    /** Fields that are not the upstream's to read, and do not go up. */
    readonly ours: readonly string[];
    /** What lists show of the request. */
    input(body: JsonObject): JsonObject;
    /** The good answer to the caller. */
    reply(id: string): JsonObject;
  };
}

export const isTaskDialect = (dialect: object): dialect is TaskDialect => 'task' in dialect;
