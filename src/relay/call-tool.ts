/** A message to one of the operator's tool services: a call of a tool is held and charged, everything else is free. */
import type { JsonObject } from '../core/json.ts';
import { objectOf } from '../dialects/fields.ts';
import { cancelledIn, readMessage, type ToolMessage } from '../dialects/plain/mcp.ts';
import { toRelayError } from './answer/error-reply.ts';
import { replyTool } from './answer/reply-tool.ts';
import { askTool } from './attempt/ask-tool.ts';
import { settleFailure } from './charge/record.ts';
import { toolQuote } from './charge/tool.ts';
import type { RelayDeps } from './deps.ts';
import { takeTicket } from './entry/rate-limit.ts';
import type { Conversation } from './entry/tool-ids.ts';
import { serviceFor, takeFreeMessage } from './entry/tool-service.ts';
import { givenFor, ownerOf, sessionIn } from './entry/tool-sessions.ts';
import { openCall } from './open-call.ts';
import type { Admitted, RelayRequest } from './request.ts';

/** Throws what refuses it or went wrong, and then nothing is held any more. */
export async function callTool(
  request: RelayRequest,
  { caller }: Admitted,
  deps: RelayDeps,
): Promise<Response> {
  const name = request.path.model ?? '';
  const service = serviceFor(name, caller, deps);
  const owner = ownerOf(caller, name);
  const session = sessionIn(request.headers, owner, deps);
  const message = readMessage(request.body);
  const { id, tool } = message;
  if (tool === null) await takeFreeMessage(caller, deps);
  const ticket = await takeTicket(request, caller, deps);
  const done = () => {
    ticket.answered(0);
    request.ended({ status: 200, userId: caller.userId, tokenId: caller.tokenId });
  };
  const call =
    tool === null
      ? null
      : await openCall(
          { request, caller, ticket },
          () => ({ quote: toolQuote(name, caller, deps.options) }),
          deps,
        );
  // No two requests of a conversation go up by one id, so that a service gives none the answer of another.
  const conversation = { identity: caller.identity, session: session?.own ?? null };
  const sentId = deps.toolIds.next(conversation, id);
  try {
    const post = { message: asSent(message, sentId, conversation, deps), session: conversation.session };
    const answer = await askTool(request, post, service, deps);
    const named = answer.session === null ? null : givenFor(answer.session, session, owner, deps);
    const reply = { ...answer, session: named };
    return await replyTool({ request, id, sentId, call, headers: ticket.headers, done }, reply, deps);
  } catch (error) {
    if (call && !call.isSettled) await settleFailure(call, toRelayError(error), deps);
    ticket.failed();
    throw error;
  }
}

/** The message with the ids under which requests go up. */
function asSent(
  { id, sent }: ToolMessage,
  sentId: string,
  conversation: Conversation,
  { toolIds }: RelayDeps,
): JsonObject {
  if (id !== null) return { ...sent, id: sentId };
  const cancelled = cancelledIn(sent);
  const requestId = cancelled === undefined ? undefined : toolIds.of(conversation, cancelled);
  return requestId === undefined ? sent : { ...sent, params: { ...objectOf(sent.params), requestId } };
}
