/**
 * A chat in no dialect: what requests, answers and streams mean, so that any dialect can be written from any other.
 * It holds everything that at least two dialects can express, and keeps what only one can as `raw` parts and `extra`
 * fields, which come back when the same dialect is written. Used only between different dialects.
 */
import type { Json, JsonObject } from '../core/json.ts';
import type { Effort } from '../core/openai-thinkers.ts';
import type { Usage } from '../core/usage.ts';
import type { DialectId } from './dialect.ts';

// ---- Parts -------------------------------------------------------------------------------------------------------

/** A prompt-cache mark on a part or a tool. */
export interface CacheMark {
  ttl: '5m' | '1h';
}

/** Where the bytes of an image, a sound or a file are. `data` is base64 without its `data:` head. */
export type MediaSource =
  | { kind: 'data'; mediaType: string; data: string }
  | { kind: 'url'; url: string; mediaType?: string }
  | { kind: 'file'; id: string; mediaType?: string };

/** A place that an answer leans on. */
export interface Citation {
  kind: 'url' | 'document' | 'file';
  url?: string;
  title?: string;
  citedText?: string;
  /** Character offsets in the text that the citation supports. */
  start?: number;
  end?: number;
  /** The citation as its dialect wrote it. */
  raw: { dialect: DialectId; value: JsonObject };
}

export interface TextPart {
  type: 'text';
  text: string;
  cache?: CacheMark;
  citations?: Citation[];
  /** Gemini's thought signature of a text part. */
  signature?: string;
  /** Fields that only the dialect which wrote the part knows; written back by that dialect only. */
  extra?: JsonObject;
}

export interface ImagePart {
  type: 'image';
  source: MediaSource;
  detail?: 'low' | 'high' | 'auto' | 'original';
  cache?: CacheMark;
  signature?: string;
  /** Code that ran at the upstream has plotted it, and no model has drawn it. */
  isPlot?: true;
  /** Fields that only the dialect which wrote the part knows; written back by that dialect only. */
  extra?: JsonObject;
}

export interface AudioPart {
  type: 'audio';
  source: MediaSource;
  /** `wav`, `mp3`, … as OpenAI names formats. */
  format: string;
  transcript?: string;
  /** OpenAI's id and expiry of a produced sound, by which a later message may name it. */
  id?: string;
  expiresAt?: number;
  /** Fields that only the dialect which wrote the part knows; written back by that dialect only. */
  extra?: JsonObject;
}

export interface FilePart {
  type: 'file';
  source: MediaSource;
  filename?: string;
  /** Anthropic's title and context of a document. */
  title?: string;
  context?: string;
  /** It stands where its wire has films: whoever gets it may take it for one, whatever it is called. */
  isFilm?: true;
  /** Whether the model may cite it. */
  citations?: boolean;
  cache?: CacheMark;
  /** Fields that only the dialect which wrote the part knows; written back by that dialect only. */
  extra?: JsonObject;
}

/** Reasoning. A model that gets its own thinking back needs the signature or the encrypted form unchanged. */
export interface ThinkingPart {
  type: 'thinking';
  text: string;
  /** True when `text` is a summary of the reasoning, not the reasoning. */
  summary?: boolean;
  /** Anthropic's signature, or Gemini's of a thought part. */
  signature?: string;
  /** Anthropic's redacted thinking or OpenAI's `encrypted_content`. */
  encrypted?: string;
  /** OpenAI's item id (`rs_…`). */
  id?: string;
  /** Of the account and the model that can open what is sealed, where no other can. */
  mark?: string;
  /** Whose signature or encrypted text it is: another dialect must not send it on. */
  origin: DialectId;
  /** Fields that only the dialect which wrote the part knows; written back by that dialect only. */
  extra?: JsonObject;
}

export interface ToolCallPart {
  type: 'tool-call';
  id: string;
  name: string;
  /** JSON text for functions, `{}` when there are no arguments; free text for custom tools. */
  input: string;
  kind: 'function' | 'custom';
  /** OpenAI's item id (`fc_…`). */
  itemId?: string;
  /** Gemini's thought signature of the call. */
  signature?: string;
  cache?: CacheMark;
  /** Fields that only the dialect which wrote the part knows; written back by that dialect only. */
  extra?: JsonObject;
}

export interface ToolResultPart {
  type: 'tool-result';
  /** Id of the call. */
  id: string;
  /** Name of the tool, where the dialect says it (Gemini) or the history tells. */
  name?: string;
  content: Part[];
  isError?: boolean;
  kind: 'function' | 'custom';
  /** Gemini's structured result, when the result was an object. */
  value?: Json;
  cache?: CacheMark;
  /** Fields that only the dialect which wrote the part knows; written back by that dialect only. */
  extra?: JsonObject;
}

export interface RefusalPart {
  type: 'refusal';
  text: string;
  /** Fields that only the dialect which wrote the part knows; written back by that dialect only. */
  extra?: JsonObject;
}

/** What only one dialect knows (server tools and their results). Written back only by that dialect. */
export interface RawPart {
  type: 'raw';
  dialect: DialectId;
  value: JsonObject;
  /** It holds tools, which are among the request's. */
  isOpened?: true;
}

export type Part =
  | TextPart
  | ImagePart
  | AudioPart
  | FilePart
  | ThinkingPart
  | ToolCallPart
  | ToolResultPart
  | RefusalPart
  | RawPart;

// ---- Requests ----------------------------------------------------------------------------------------------------

export interface Message {
  /** Tool results stand in messages of role `tool`. */
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  name?: string;
  parts: Part[];
  /** A mark on all that it says. */
  cache?: CacheMark;
  /** Fields of the message that only its dialect knows; written back by that dialect only. */
  extra?: JsonObject;
}

/**
 * What holds a tool where its dialect has it elsewhere than in the request's list: there that dialect writes it back, and
 * there it is measured.
 */
export interface Holder {
  /** What the tool is called there; `name` tells it from all others. */
  called?: { name: string; namespace: string };
}

export interface FunctionTool {
  type: 'function';
  holder?: Holder;
  name: string;
  description?: string;
  /** JSON Schema; absent for a function without parameters. */
  parameters?: JsonObject;
  strict?: boolean;
  cache?: CacheMark;
  extra?: JsonObject;
}

export interface CustomTool {
  type: 'custom';
  holder?: Holder;
  name: string;
  description?: string;
  format?: JsonObject;
  extra?: JsonObject;
}

/** Web search is the one server tool that several dialects have. */
export interface WebSearchTool {
  type: 'web-search';
  holder?: Holder;
  contextSize?: 'low' | 'medium' | 'high';
  maxUses?: number;
  allowedDomains?: string[];
  blockedDomains?: string[];
  userLocation?: JsonObject;
  /** The tool as its dialect wrote it. */
  raw: { dialect: DialectId; value: JsonObject };
}

/** A server tool of one dialect. */
export interface RawTool {
  type: 'raw';
  holder?: Holder;
  dialect: DialectId;
  value: JsonObject;
  /** It holds tools, which are among the request's. */
  isOpened?: true;
}

export type Tool = FunctionTool | CustomTool | WebSearchTool | RawTool;

export type ToolChoice =
  | { mode: 'auto' | 'none' | 'required' }
  | { mode: 'named'; name: string; kind: 'function' | 'custom' }
  /** Only these; `required` says whether one must be called. */
  | { mode: 'allowed'; names: string[]; required: boolean };

export type ResponseFormat =
  | { type: 'text' }
  | { type: 'json' }
  | { type: 'schema'; name: string; schema: JsonObject; description?: string; strict?: boolean };

/** How much the model may think. Absent fields leave it to the model. */
export interface Reasoning {
  mode?: 'on' | 'off' | 'adaptive';
  effort?: Effort;
  budgetTokens?: number;
  /** How much of anything it may write, as Anthropic's effort says where nothing is said of thinking: no wish to think. */
  eagerness?: Effort;
  /** Whether the caller wants to see it. */
  show?: boolean;
  summary?: 'auto' | 'concise' | 'detailed';
}

export interface ChatRequest {
  dialect: DialectId;
  model: string;
  stream: boolean;
  messages: Message[];
  tools: Tool[];
  toolChoice?: ToolChoice;
  parallelToolCalls?: boolean;
  responseFormat?: ResponseFormat;
  reasoning?: Reasoning;
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  minP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  repetitionPenalty?: number;
  seed?: number;
  stop?: string[];
  choices?: number;
  logprobs?: boolean;
  topLogprobs?: number;
  logitBias?: Record<string, number>;
  verbosity?: 'low' | 'medium' | 'high';
  /** `text`, `audio`, `image`. */
  modalities?: string[];
  audio?: { voice: string; format: string };
  /** End user, for abuse tracking. */
  user?: string;
  metadata?: JsonObject;
  serviceTier?: string;
  promptCacheKey?: string;
  promptCacheRetention?: string;
  promptCacheOptions?: JsonObject;
  store?: boolean;
  previousResponseId?: string;
  /** A whole-request cache mark. */
  cache?: CacheMark;
  /** Fields of the caller's dialect that stand for nothing here; written back by the same dialect only. */
  extra: JsonObject;
}

// ---- Answers -----------------------------------------------------------------------------------------------------

export type StopReason =
  | 'stop'
  | 'stop-sequence'
  | 'length'
  | 'context-length'
  | 'tool-calls'
  | 'refusal'
  | 'content-filter'
  | 'recitation'
  | 'pause'
  | 'malformed-tool-call'
  | 'other';

export interface Choice {
  index: number;
  parts: Part[];
  /** Null while unknown: a stream that was cut. */
  stop: StopReason | null;
  stopSequence?: string;
  /** The reason in its dialect's own word. */
  rawStop?: string;
  /** Its vendor's word for why it was refused, whatever came before. */
  refusedFor?: string | null;
  logprobs?: JsonObject;
}

export interface ChatReply {
  /** Whose answer it is: only this dialect writes the `extra` of the answer and its parts back. */
  dialect?: DialectId;
  /** The upstream's id, without our prefix. */
  id: string;
  model: string;
  /** Unix seconds; 0 when the dialect has none. */
  created: number;
  choices: Choice[];
  /** Null when the upstream sent none. */
  usage: Usage | null;
  serviceTier?: string;
  extra: JsonObject;
}

// ---- Streams -----------------------------------------------------------------------------------------------------

/** A piece of a part: texts, inputs and sounds are added to what came before, a signature or encrypted text replaces it. */
export type PartDelta =
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  | { type: 'signature'; signature: string }
  | { type: 'encrypted'; encrypted: string }
  | { type: 'input'; text: string }
  | { type: 'refusal'; text: string }
  | { type: 'audio'; data?: string; transcript?: string; id?: string; expiresAt?: number }
  | { type: 'citation'; citation: Citation };

/**
 * A stream in no dialect. Parts are numbered over the whole answer in order of their first appearance; `part-start`
 * carries the part with empty contents (whole for images and raw parts), `part-end` comes once for each. Several parts
 * may be open at once (parallel tool calls). Readers make the numbers where their dialect has none.
 */
export type StreamEvent =
  | {
      type: 'start';
      /** As of a whole answer. */
      dialect?: DialectId;
      id: string;
      model: string;
      created: number;
      /** Of the prompt: what it says of the answer is a placeholder. */
      usage: Usage | null;
      serviceTier?: string;
      extra?: JsonObject;
    }
  | { type: 'part-start'; choice: number; index: number; part: Part }
  | { type: 'part-delta'; choice: number; index: number; delta: PartDelta }
  | { type: 'part-end'; choice: number; index: number }
  | { type: 'logprobs'; choice: number; logprobs: JsonObject }
  | {
      type: 'stop';
      choice: number;
      stop: StopReason;
      stopSequence?: string;
      rawStop?: string;
      refusedFor?: string | null;
    }
  /** Totals of all that came before, never increments; the last one counts. They may leave the prompt out. */
  | { type: 'usage'; usage: Usage; isPromptUntold?: true }
  | { type: 'error'; message: string; code?: string; kind?: string; status?: number }
  /** The answer is complete; nothing follows. A cut stream has no end. */
  | { type: 'end' };
