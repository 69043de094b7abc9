/** A message to one of the operator's tool services: a call of a tool is held and charged, everything else is free. */
import type { JsonObject } from '../../core/json.ts';
import { NO_READING } from '../../core/tool-reading.ts';
import { objectOf } from '../../dialects/fields.ts';
import { cancelledIn, readMessage, type ToolMessage } from '../../dialects/plain/mcp.ts';
import type { Caller } from '../../modules/token/callers.ts';
import { toRelayError } from '../answer/error-reply.ts';
import { replyTool } from '../answer/reply-tool.ts';
import { askTool } from '../attempt/ask-tool.ts';
import type { Call, RateLimitTicket } from '../charge/call.ts';
import { settleFailure } from '../charge/record.ts';
import { reserve } from '../charge/reserve.ts';
import { toolQuote } from '../charge/tool.ts';
import type { RelayDeps } from '../deps.ts';
import type { Admitted, RelayRequest } from '../request.ts';
import { takeTicket } from './rate-limit.ts';
import { checkPrompt } from './sensitive.ts';
import type { Conversation } from './tool-ids.ts';
import { serviceFor, takeFreeMessage } from './tool-service.ts';
import { givenFor, ownerOf, sessionIn } from './tool-sessions.ts';

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
  const call = tool === null ? null : await begin(name, request, caller, ticket, deps);
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

/** Holds what the call costs. */
async function begin(
  name: string,
  request: RelayRequest,
  caller: Caller,
  ticket: RateLimitTicket,
  deps: RelayDeps,
): Promise<Call> {
  try {
    await checkPrompt(request, deps);
    const quote = toolQuote(name, caller, deps.options);
    const { amount: held } = await reserve(request, caller, quote, { tiers: [], reading: NO_READING }, deps);
    return {
      request,
      caller,
      quote,
      toolPrices: {},
      held,
      heldForTools: 0,
      reading: NO_READING,
      ticket,
      failed: [],
      isSettled: false,
    };
  } catch (error) {
    ticket.failed();
    throw error;
  }
}
