/** The files that came out of tasks, as the console asks for them; the relay knows who keeps them. */
import { fail } from '../../core/errors.ts';
import type { Database } from '../../db/client.ts';
import { numberOf, objectOf } from '../../dialects/fields.ts';
import { type RawTask, TASK_COLUMNS, type TaskRow, taskOf } from './rows.ts';

export interface TaskFile {
  row: TaskRow;
  /** `video`, `audio`, and what else its upstream has of it. */
  variant: string;
  /** Which piece's, counted from 0, where a task makes several. */
  piece: number;
}

export interface TaskFileReader {
  userId: number;
  /** Whose of the places of all a file takes. */
  share: string;
  ip: string;
  /** Aborts when he has left. */
  left: AbortSignal;
}

export interface TaskFiles {
  /** The file, passed on as it comes. Throws what refuses it. */
  answer(file: TaskFile, reader: TaskFileReader): Promise<Response>;
}

/**
 * The task whose files somebody may have: with `ownerId` one of that user's alone. Of one that was deleted, or whose owner
 * was erased, nothing is known any more. Throws NOT_FOUND.
 */
export async function taskWithFiles(
  { db }: { db: Pick<Database, 'query'> },
  id: number,
  ownerId: number | null,
): Promise<TaskRow> {
  const [row] = await db.query<RawTask>(
    `select ${TASK_COLUMNS} from tasks
     where id = $1::bigint and ($2::bigint is null or user_id = $2::bigint) and deleted_at = 0 and data is not null`,
    [id, ownerId],
  );
  if (!row) throw fail('NOT_FOUND');
  return taskOf(row);
}

/** When a film's upstream keeps it no longer, in Unix seconds; 0 where that is not told. */
export const expiresAt = ({ data }: Pick<TaskRow, 'data'>): number =>
  numberOf(objectOf(data)?.expires_at) ?? 0;
