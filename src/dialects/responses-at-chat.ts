/**
 * A body of Responses at the address of Chat, where Cursor sends it for OpenAI's newer models and reads an answer of Chat. It is
 * held to all that it is held to at its own address, and then put into Chat's words, so that what is priced, goes up and is
 * answered is a chat like any other. What a chat has no word for is left out and told.
 */
import type { JsonObject } from '../core/json.ts';
import { type RuledBody, ruled } from './body-rules.ts';
import { isAbsent } from './bounds.ts';
import { inCallOrder } from './call-order.ts';
import type { ChatExtension } from './chat-extension.ts';
import { droppedExtras } from './dropped-extras.ts';
import { DroppedFields } from './dropped-fields.ts';
import { objectOf } from './fields.ts';
import { openaiChatCodec } from './openai-chat/codec.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponsesCodec } from './openai-responses/codec.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import { withToolsOpened } from './opened-tools.ts';
import { requestFacts } from './prompt.ts';

export const isOfResponses = ({ input, messages }: JsonObject): boolean =>
  !isAbsent(input) && (isAbsent(messages) || (Array.isArray(messages) && messages.length === 0));

/** All that the gateway reads of a chat, whoever is asked then. */
const WORDS: ReadonlySet<ChatExtension> = new Set<ChatExtension>([
  ...(['custom_tools', 'verbosity', 'openai_fields', 'web_search_options'] as const),
  ...(['video_url', 'file_url'] as const),
]);

/** Throws what is wrong with it, and where it builds upon what a service keeps. */
export function responsesAtChat(given: JsonObject): RuledBody {
  const came = ruled(given, openaiResponses.rules);
  requestFacts(openaiResponses, came.body, {});
  const lost = new DroppedFields();
  const request = openaiResponsesCodec.readRequest(came.body, {});
  const chat = openaiChatCodec.writeRequest(inCallOrder(withToolsOpened(request)), {
    model: request.model,
    stream: request.stream,
    askUsage: objectOf(came.body.stream_options)?.include_usage === true,
    defaultMaxTokens: 0,
    extensions: WORDS,
    drop: (what) => lost.add(what),
  });
  const { body, dropped, kept = came.kept } = ruled(chat, openaiChat.rules);
  for (const name of [...came.dropped, ...droppedExtras(request, openaiResponsesCodec), ...dropped]) {
    lost.add(name);
  }
  return { body, dropped: [...lost.names], kept };
}
