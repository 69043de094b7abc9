/**
 * Tools that a dialect has elsewhere than in a request's list, in namespaces and among what was said, for wires that have a
 * list alone.
 */
import { CallersMap } from '../core/callers-keys.ts';
import { callNameIn } from './bounds.ts';
import type { ChatRequest, Tool } from './neutral.ts';

/**
 * Throws where a tool, or what it is in, has a longer name than a call may have: each call of an answer that is told in other
 * words has both again.
 */
export function checkToolNames({ tools }: ChatRequest): void {
  for (const tool of tools) {
    if ('name' in tool) callNameIn(tool.name, 'tools');
    callNameIn(tool.holder?.called?.namespace, 'tools');
  }
}

/** The request without what held its tools. Of a name there is one tool: no service takes two, and the last one counts. */
export function withToolsOpened(request: ChatRequest): ChatRequest {
  const { tools, messages } = request;
  if (!tools.some(({ holder }) => holder)) return request;
  const last = new CallersMap<Tool>();
  for (const tool of tools) if ('name' in tool) last.set(tool.name, tool);
  return {
    ...request,
    tools: tools.filter((tool) => !isOpened(tool) && (!('name' in tool) || last.get(tool.name) === tool)),
    messages: messages.flatMap((message) => {
      const parts = message.parts.filter((part) => !isOpened(part));
      if (parts.length === message.parts.length) return [message];
      return parts.length > 0 ? [{ ...message, parts }] : [];
    }),
  };
}

const isOpened = (held: object): boolean => 'isOpened' in held;
