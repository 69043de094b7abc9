/** Turns of the neutral model as Bedrock's Converse takes them: they alternate, the user begins. */
import type { JsonObject } from '../../core/json.ts';
import type { RequestTarget } from '../codec.ts';
import type { ChatRequest, Message } from '../neutral.ts';
import { writeParts } from './write-parts.ts';

const isSystem = ({ role }: Message): boolean => role === 'system' || role === 'developer';

export function writeSystem(
  request: ChatRequest,
  instruction: string | undefined,
  target: RequestTarget,
): JsonObject[] | undefined {
  const blocks = request.messages.filter(isSystem).flatMap(({ parts }) => writeParts(parts, target));
  if (instruction) blocks.push({ text: instruction });
  return blocks.length > 0 ? blocks : undefined;
}

export function writeMessages(request: ChatRequest, target: RequestTarget): JsonObject[] {
  const turns: { role: string; results: JsonObject[]; blocks: JsonObject[] }[] = [];
  for (const message of request.messages) {
    if (isSystem(message)) continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = writeParts(message.parts, target);
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
