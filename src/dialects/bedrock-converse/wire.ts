/** Bedrock's Converse, which no caller speaks: requests are only written, answers only read. */
import { MessagesReader } from '../anthropic-messages/read-stream.ts';
import type { UpstreamCodec } from '../codec.ts';
import type { UpstreamErrorBody } from '../dialect.ts';
import { objectOf, textOf } from '../fields.ts';
import { readReply } from './reply.ts';
import { writeRequest } from './request.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    'bedrock-converse': true;
  }
}

/** An answer without an output is an error, whatever its status. */
function readError(body: unknown): { error: UpstreamErrorBody; status: number } | null {
  const answer = objectOf(body);
  if (objectOf(answer?.output)) return null;
  const message = textOf(answer?.message) ?? textOf(answer?.Message) ?? 'its answer holds no output';
  return { error: { message, type: textOf(answer?.__type) }, status: 502 };
}

export const bedrockConverse = {
  id: 'bedrock-converse',
  writeRequest,
  readReply,
  /** Its frames come from the splitter, which tells them as the Messages wire does. */
  streamReader: () => new MessagesReader(),
  readError,
} satisfies UpstreamCodec & Record<string, unknown>;
