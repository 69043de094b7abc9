/**
 * Which tools that run at a vendor go up to a channel that sells nothing beyond its prices: those that are held for and
 * charged by the use, and those of which it is known that they cost tokens alone. Vendors add others from week to week, at
 * prices of their own, by the minute, or by the tokens of a model that the tool names, of which no answer may tell a
 * word: what is not named here stays behind until somebody has looked at what it costs.
 */
import type { Json, JsonObject } from '../core/json.ts';
import { own } from '../core/own.ts';
import type { KnownTool, ToolTerms } from './all-tools.ts';
import { FINDS_NOTHING, isPaidOfResponses } from './asked-tools.ts';
import { isAbsent } from './bounds.ts';
import { hasFields, objectOf } from './fields.ts';
import {
  bareName,
  isCallersOfMessages,
  isCallersOfResponses,
  TOKENS_OF_MESSAGES,
  TOKENS_OF_RESPONSES,
} from './reading-tools.ts';
import { camelOf } from './spelling.ts';
import { kindOf, modelsIn, RAN } from './tool-words.ts';

const when = (is: boolean, tool: JsonObject): JsonObject | null => (is ? tool : null);

/** The tool with those of its fields that are known; the same object where all are. */
function withKnown(
  tool: JsonObject,
  isKnown: (name: string, value: Json | undefined) => boolean,
): JsonObject {
  const fields = Object.entries(tool);
  const known = fields.filter(([name, value]) => isKnown(name, value));
  return known.length === fields.length ? tool : Object.fromEntries(known);
}

/** The model of another costs what that costs. A set of tools has settings by the names of these, which are no words. */
function namesNoModel({ configs, ...tool }: JsonObject): boolean {
  const settings = bareName(tool) === 'mcp_toolset' ? Object.values(objectOf(configs) ?? {}) : [configs];
  return [tool, ...settings].every((each) => modelsIn(each).length === 0);
}

// ---- Chat Completions --------------------------------------------------------------------------------------------

/**
 * Zhipu's search in what its account keeps and its servers of tools, which cost the tokens of what they find. What is
 * paid for by the use is told by Groq alone beside searches, so that a price of the operator's for another name would
 * be charged to nobody.
 */
const TOKENS_OF_CHAT: ReadonlySet<string> = new Set(['retrieval', 'mcp']);

export const knownOfChat: KnownTool = (tool, { isInside, isPriced }) => {
  if (declaresFunctions(tool)) return tool;
  if (isOfGoogle(tool) || isNameless(tool)) return null;
  // Gateways of several wires take Anthropic's.
  if (isCallersOfMessages(tool)) return tool;
  return when(!isInside && namesNoModel(tool) && isKnownOfChat(tool, isPriced), tool);
};

function isKnownOfChat(tool: JsonObject, isPriced: ToolTerms['isPriced']): boolean {
  const name = kindOf(tool);
  // Moonshot's, of which one is priced.
  if (name === 'builtin_function') return objectOf(tool.function)?.name === '$web_search';
  if (name === 'web_search' || name === 'live_search' || TOKENS_OF_CHAT.has(name)) return true;
  const ran = own(RAN, name);
  return ran !== undefined && isPriced(ran);
}

/**
 * Gateways of several wires take Google's tools by the fields that switch them on, beside a function as well; one of the
 * names is Zhipu's, too.
 */
const isOfGoogle = (tool: JsonObject): boolean =>
  Object.keys(tool).some((name) => name !== 'retrieval' && KNOWN_OF_GEMINI.has(camelOf(name)));

/** The caller's own functions, in Google's words. */
export const declaresFunctions = (tool: JsonObject): boolean =>
  hasFields(tool) && Object.keys(tool).every((name) => camelOf(name) === 'functionDeclarations');

/** Some clients forget the type of a function; what is none may be anything. */
const isNameless = (tool: JsonObject): boolean =>
  isAbsent(tool.type) && hasFields(tool) && !('function' in tool || 'name' in tool);

// ---- Responses ---------------------------------------------------------------------------------------------------

export const knownOfResponses: KnownTool = (tool, { isInside, isPriced }) => {
  if (isCallersOfResponses(tool)) return tool;
  if (isInside) return null;
  const name = kindOf(tool);
  if (name === 'image_generation') return drawingAsPriced(tool);
  if (!namesNoModel(tool)) return null;
  return when(isPaidOfResponses(tool) || TOKENS_OF_RESPONSES.has(name) || isPriced(name), tool);
};

/**
 * All that a picture is priced by, the model that draws it among that, and what changes no price. Its vendor adds others:
 * drawings of lines that a model of the caller's choice writes, pictures that move, of which each is many.
 */
const OF_DRAWING: ReadonlySet<string> = new Set([
  'type',
  'action',
  'background',
  'input_fidelity',
  'input_image_mask',
  'model',
  'moderation',
  'output_compression',
  'output_format',
  'partial_images',
  'quality',
  'size',
]);
const FORMATS_OF_DRAWING: ReadonlySet<unknown> = new Set(['png', 'jpeg', 'webp']);

const drawingAsPriced = (tool: JsonObject): JsonObject =>
  withKnown(tool, (name, value) =>
    name === 'output_format' ? isAbsent(value) || FORMATS_OF_DRAWING.has(value) : OF_DRAWING.has(name),
  );

// ---- Messages ----------------------------------------------------------------------------------------------------

export const knownOfMessages: KnownTool = (tool, { isInside, isPriced }) => {
  if (isCallersOfMessages(tool)) return tool;
  if (isInside || !namesNoModel(tool)) return null;
  const name = bareName(tool);
  return when(kindOf(tool) === 'web_search' || TOKENS_OF_MESSAGES.has(name) || isPriced(name), tool);
};

// ---- Gemini ------------------------------------------------------------------------------------------------------

/** By the fields that switch them on: beside those that find nothing, those whose finds are charged. */
export const KNOWN_OF_GEMINI: ReadonlySet<string> = new Set([
  ...FINDS_NOTHING,
  'googleSearch',
  'googleSearchRetrieval',
  'googleMaps',
  'enterpriseWebSearch',
  'retrieval',
  'fileSearch',
  'mcpServers',
]);

/** One tool of this wire may be several. */
export const knownOfGemini: KnownTool = (tool) => {
  const left = withKnown(tool, (name, value) => isAbsent(value) || KNOWN_OF_GEMINI.has(camelOf(name)));
  return when(left === tool || hasFields(left), left);
};
