/** Tools as wires take them that know functions and nothing else. */
import type { JsonObject } from '../core/json.ts';
import type { RequestTarget } from './codec.ts';
import { customToolSchema } from './custom-tools.ts';
import { compact } from './fields.ts';
import type { Tool } from './neutral.ts';

/** A tool that takes free text is told as a function with one text. */
export const writeFunctionTools = (tools: readonly Tool[], target: RequestTarget): JsonObject[] =>
  tools.flatMap((tool): JsonObject[] => {
    if (tool.type !== 'function' && tool.type !== 'custom') {
      target.drop('server tool');
      return [];
    }
    const { name, description } = tool;
    const parameters =
      tool.type === 'custom' ? customToolSchema : (tool.parameters ?? { type: 'object', properties: {} });
    return [{ type: 'function', function: compact({ name, description, parameters }) }];
  });
