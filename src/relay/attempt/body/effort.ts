/** How much a call is to think, as everybody who has a word in it says. */
import type { JsonObject } from '../../../core/json.ts';
import type { ModelVariant } from '../../../core/model-variant.ts';
import type { Effort } from '../../../core/openai-thinkers.ts';
import type { ChatCodec } from '../../../dialects/codec.ts';
import { openaiChatCodec } from '../../../dialects/openai-chat/codec.ts';
import { saidEffort, wishedEffort } from '../../../dialects/openai-chat/thinking.ts';
import { codecOf } from '../../../dialects/registry.ts';
import type { RelayRequest } from '../../request.ts';

interface Place {
  /** What the model's name asks of it. */
  variant: Pick<ModelVariant, 'wish'> | null;
  /** The channel's own fields, where they go up with the call. */
  overrides: Readonly<JsonObject> | null;
}

/** What goes up: the channel's own word stands before the name's, and that before the caller's; undefined where none is said. */
export function effortAt(
  { variant, overrides }: Place,
  { operation, dialect, body }: Pick<RelayRequest, 'operation' | 'dialect' | 'body'>,
): Effort | undefined {
  if (operation !== 'chat') return undefined;
  return (
    // A channel's `reasoning` is a word of Responses alone, which Chat refuses: it sends no call there.
    saidIn({ reasoning_effort: overrides?.reasoning_effort }, openaiChatCodec) ??
    (variant ? wishedEffort(variant.wish) : undefined) ??
    saidIn(body, codecOf(dialect.id))
  );
}

function saidIn(body: JsonObject, codec: ChatCodec | undefined): Effort | undefined {
  const reasoning = codec?.readReasoning(body);
  return reasoning && saidEffort(reasoning);
}
