/** The turns of a request by the rules of the service: user first, no two of one role, tool results before all else. */

import { InnerJson } from '../../core/inner-json.ts';
import type { JsonObject } from '../../core/json.ts';
import type { RequestTarget } from '../codec.ts';
import { merged } from '../fields.ts';
import type { ChatRequest, Message } from '../neutral.ts';
import { type BlockTarget, isPlainText, writeBlocks } from './write-parts.ts';

const isSystem = ({ role }: Message): boolean => role === 'system' || role === 'developer';

/** For all that one request says: what stands in its texts is read within one bound. */
export const targetOf = (request: ChatRequest, target: RequestTarget): BlockTarget => ({
  forModel: target,
  own: request.dialect === 'anthropic-messages',
  objectIn: new InnerJson().object,
  drop: target.drop,
});

/** Instructions stand above the turns, wherever other dialects let them stand. */
export function writeSystem(
  request: ChatRequest,
  instruction: string | undefined,
  to: BlockTarget,
): string | JsonObject[] | undefined {
  const messages = to.own ? leadingSystem(request.messages) : request.messages.filter(isSystem);
  const blocks = messages.flatMap(({ parts }) => writeBlocks(parts, to));
  if (instruction) blocks.push({ type: 'text', text: instruction });
  if (blocks.length === 0) return undefined;
  const joinable = blocks.every(isPlainText) && (!to.own || blocks.length === 1);
  return joinable ? blocks.map((block) => block.text).join('\n') : blocks;
}

function leadingSystem(messages: readonly Message[]): Message[] {
  const end = messages.findIndex((message) => !isSystem(message));
  return messages.slice(0, end < 0 ? messages.length : end);
}

interface Turn {
  role: string;
  results: JsonObject[];
  blocks: JsonObject[];
  /** Of each of its messages. */
  extras: JsonObject[];
}

export function writeMessages(request: ChatRequest, to: BlockTarget): JsonObject[] {
  const skipped = to.own ? leadingSystem(request.messages).length : 0;
  const turns: Turn[] = [];
  for (const message of request.messages.slice(skipped)) {
    if (isSystem(message) && !to.own) continue;
    const role = message.role === 'assistant' || isSystem(message) ? message.role : 'user';
    const blocks = writeBlocks(message.parts, to);
    let turn = turns.at(-1);
    if (turn?.role !== role) {
      // An answer without content is no turn; a question without any still is one.
      if (blocks.length === 0 && role === 'assistant') continue;
      turn = { role, results: [], blocks: [], extras: [] };
      turns.push(turn);
    }
    for (const block of blocks) (block.type === 'tool_result' ? turn.results : turn.blocks).push(block);
    if (to.own && message.extra) turn.extras.push(message.extra);
  }
  if (!to.own) settle(turns);
  return turns.map(writeTurn);
}

/** What other dialects allow and this service refuses: an answer first or nothing at all, spaces at a prefill's end. */
function settle(turns: Turn[]): void {
  const last = turns.at(-1);
  const end = last?.blocks.at(-1);
  if (last?.role === 'assistant' && end && typeof end.text === 'string') {
    end.text = end.text.trimEnd();
    if (end.text === '') last.blocks.pop();
    if (last.blocks.length === 0) turns.pop();
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', results: [], blocks: [], extras: [] });
}

function writeTurn({ role, results, blocks, extras }: Turn): JsonObject {
  const content = [...results, ...blocks];
  const [only] = content;
  return {
    role,
    content: !only ? '...' : content.length === 1 && isPlainText(only) ? only.text : content,
    ...merged(extras),
  };
}
