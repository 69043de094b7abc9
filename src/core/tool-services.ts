/** Tool services: MCP servers of the operator's that callers reach by name, at a price a call. */

/** A name in the address of a call and in its price. */
export const TOOL_SERVICE_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export interface ToolService {
  /** Where it speaks MCP's streamable HTTP. */
  url: string;
  /** Sent as a bearer token; none where it is absent. */
  key?: string | undefined;
}

export type ToolServices = Readonly<Record<string, ToolService>>;

/** What a call of a service is called in the log, in prices and in the limits of tokens. */
export const toolModel = (service: string): string => `tool:${service}`;
