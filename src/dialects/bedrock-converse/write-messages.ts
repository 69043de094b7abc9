/** Turns of the neutral model as Bedrock's Converse takes them: they alternate, the user begins. */
import { InnerJson } from '../../core/inner-json.ts';
import type { JsonObject } from '../../core/json.ts';
import type { RequestTarget } from '../codec.ts';
import type { ChatRequest, Message } from '../neutral.ts';
import { type PartTarget, writeParts } from './write-parts.ts';

const isSystem = ({ role }: Message): boolean => role === 'system' || role === 'developer';

/** For all that one request says: what stands in its texts is read within one bound. */
export const targetOf = ({ drop }: RequestTarget): PartTarget => ({ objectIn: new InnerJson().object, drop });

export function writeSystem(
  request: ChatRequest,
  instruction: string | undefined,
  to: PartTarget,
): JsonObject[] | undefined {
  const blocks = request.messages.filter(isSystem).flatMap(({ parts }) => writeParts(parts, to));
  if (instruction) blocks.push({ text: instruction });
  return blocks.length > 0 ? blocks : undefined;
}

export function writeMessages(request: ChatRequest, to: PartTarget): JsonObject[] {
  const turns: { role: string; results: JsonObject[]; blocks: JsonObject[] }[] = [];
  for (const message of request.messages) {
    if (isSystem(message)) continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = writeParts(message.parts, to);
    let turn = turns.at(-1);
    if (turn?.role !== role) {
      if (blocks.length === 0 && role === 'assistant') continue;
      turn = { role, results: [], blocks: [] };
      turns.push(turn);
    }
    for (const block of blocks) (block.toolResult ? turn.results : turn.blocks).push(block);
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', results: [], blocks: [] });
  return turns.map(({ role, results, blocks }) => {
    const content = [...results, ...blocks];
    return { role, content: content.length > 0 ? content : [{ text: '...' }] };
  });
}
