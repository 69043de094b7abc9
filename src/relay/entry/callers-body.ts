/** What of a caller's body is his to say: everything behind this sees only that, and what was left out is noted. */
import type { JsonObject } from '../../core/json.ts';
import { type CallersDialect, ruled } from '../../dialects/body-rules.ts';
import type { Operation } from '../../dialects/dialect.ts';
import { withoutOperatorsFields } from './operator-fields.ts';

export interface CallersBody {
  body: JsonObject;
  /** Names of fields that are the gateway's, in another spelling than the one that it reads. */
  dropped: readonly string[];
  /** The first field that names what an upstream's account keeps. */
  kept?: string;
}

/** The body as it may go on; the same object where nothing had to go. */
export function callersBody(
  given: JsonObject,
  { operation, dialect }: { operation: Operation; dialect: CallersDialect },
): CallersBody {
  const said = withoutOperatorsFields(given, operation);
  const { body, dropped, kept } = ruled(dialect.inItsWords?.(said) ?? said, dialect.rules);
  return { body, dropped, kept };
}
