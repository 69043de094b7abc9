/** Bodies as Vertex takes them: Google's and Anthropic's own, with small differences. */
import { isObject, type Json, type JsonObject } from '../../core/json.ts';

/** The model stands in the address; the version in the body. */
export function claudeBody({ model: _, ...body }: JsonObject): JsonObject {
  return { anthropic_version: 'vertex-2023-10-16', ...body };
}

/**
 * Calls and their results have no ids here, and every content says whose it is. Google's own tools stand beside functions
 * without the word that its other service demands for that, and which is none here.
 */
export function geminiBody({ toolConfig, ...body }: JsonObject): JsonObject {
  const { contents } = body;
  return {
    ...body,
    ...(toolConfig !== undefined && { toolConfig: withoutInvocations(toolConfig) }),
    ...(Array.isArray(contents) && { contents: contents.map(writeContent) }),
  };
}

function withoutInvocations(config: Json): Json {
  if (!isObject(config)) return config;
  const {
    includeServerSideToolInvocations: _,
    include_server_side_tool_invocations: __,
    ...rest
  } = config as JsonObject;
  return rest;
}

function writeContent(content: Json): Json {
  if (!isObject(content)) return content;
  const held = content as JsonObject;
  const parts = Array.isArray(held.parts) ? held.parts.map(withoutId) : held.parts;
  return { role: 'user', ...held, ...(parts === undefined ? {} : { parts }) };
}

function withoutId(part: Json): Json {
  if (!isObject(part)) return part;
  const out = { ...(part as JsonObject) };
  for (const field of ['functionCall', 'functionResponse', 'function_call', 'function_response']) {
    const call = out[field];
    if (!isObject(call)) continue;
    const { id: _, ...rest } = call as JsonObject;
    out[field] = rest;
  }
  return out;
}

/** The chat that is asked about, which stands a level deeper at Google's other service. */
export function countedChat(body: JsonObject): JsonObject {
  const { generateContentRequest: inner } = body;
  if (!isObject(inner)) return body;
  const { model: _, ...chat } = inner as JsonObject;
  return chat;
}
