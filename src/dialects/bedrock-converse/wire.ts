/** Bedrock's Converse, which no caller speaks: requests are only written, answers only read. */
import { MessagesReader } from '../anthropic-messages/read-stream.ts';
import type { UpstreamCodec } from '../codec.ts';
import { readError } from './errors.ts';
import { readReply } from './reply.ts';
import { writeRequest } from './request.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    'bedrock-converse': true;
  }
}

export const bedrockConverse = {
  id: 'bedrock-converse',
  writeRequest,
  /** Of Claude's, too, where its own wire takes more. */
  toolNames: { most: 64, letters: /^[\w-]+$/ },
  callIds: { most: 64, isPlain: true },
  readReply,
  /** Its frames come from the splitter, which tells them as the Messages wire does. */
  streamReader: () => new MessagesReader(),
  readError,
} satisfies UpstreamCodec & Record<string, unknown>;
