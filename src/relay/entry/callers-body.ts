/** What of a caller's body is his to say: everything behind this sees only that, and what was left out is noted. */
import type { JsonObject } from '../../core/json.ts';
import { type CallersDialect, type RuledBody, ruled } from '../../dialects/body-rules.ts';
import type { Operation } from '../../dialects/dialect.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { isOfResponses, responsesAtChat } from '../../dialects/responses-at-chat.ts';
import { withoutOperatorsFields } from './operator-fields.ts';

/** The body as it may go on; the same object where nothing had to go. */
export function callersBody(
  given: JsonObject,
  { operation, dialect }: { operation: Operation; dialect: CallersDialect },
): RuledBody {
  const said = withoutOperatorsFields(given, operation);
  if (dialect.id === openaiChat.id && isOfResponses(said)) return responsesAtChat(said);
  return ruled(dialect.inItsWords?.(said) ?? said, dialect.rules);
}
