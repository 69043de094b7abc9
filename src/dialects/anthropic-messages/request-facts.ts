/** What the relay must know of a request for messages, with every bound that is checked before anything else happens. */
import type { JsonObject } from '../../core/json.ts';
import type { Text } from '../../core/text.ts';
import { checkToolLimits } from '../asked-tools.ts';
import {
  answeredNow,
  flagIn,
  isAbsent,
  messagesIn,
  modelIn,
  objectIn,
  objectsIn,
  outputCapIn,
  refuse,
  textsIn,
  wrong,
} from '../bounds.ts';
import type { PathFacts, RequestFacts } from '../dialect.ts';
import { objectOf, objectsOf } from '../fields.ts';
import { chatTexts, measureChat } from '../measure.ts';
import { claudeContainerIn } from '../named-containers.ts';
import { sumsUp } from '../summed-up.ts';
import { readRequest } from './request.ts';

/** This wire has one answer only, and no request without a cap. */
function readCaps(body: JsonObject): Pick<RequestFacts, 'outputCap' | 'choices'> {
  const outputCap = outputCapIn(body.max_tokens, 'max_tokens');
  if (outputCap === null) throw refuse('max_tokens', wrong.missing);
  return { outputCap, choices: 1 };
}

export function readRequestFacts(body: JsonObject, path: PathFacts): RequestFacts {
  const model = modelIn(path.model ?? body.model);
  const stream = path.stream ?? flagIn(body.stream, 'stream');
  messagesIn(body.messages, 'messages', (message, at) => {
    if (typeof message.role !== 'string') throw refuse(`${at}.role`, wrong.string);
    if (isAbsent(message.content)) throw refuse(`${at}.content`, wrong.missing);
    checkContent(message.content, `${at}.content`);
  });
  if (!isAbsent(body.system)) checkContent(body.system, 'system');
  objectsIn(body.tools, 'tools');
  checkToolLimits(body);
  answeredNow(body);
  for (const field of ['tool_choice', 'thinking', 'metadata', 'output_config']) objectIn(body[field], field);
  if (objectOf(objectOf(body.output_config)?.format) && !isAbsent(body.output_format)) {
    throw refuse('output_format', BESIDE_NEWER);
  }
  const request = readRequest(body, path);
  const claudeContainer = claudeContainerIn(body);
  return {
    model,
    stream,
    ...readCaps(body),
    prompt: measureChat(request, 'messages'),
    audioOut: false,
    wantsUsage: true,
    affinity: request.user ?? null,
    previousAnswer: null,
    ...sumsUp(body),
    ...(claudeContainer && { claudeContainer }),
  };
}

/** Which of two is followed only the service knows. */
const BESIDE_NEWER: Text = {
  zh: '不能与 output_config.format 同时使用',
  en: 'it is not taken beside output_config.format',
};

function checkContent(content: unknown, at: string): void {
  if (typeof content === 'string') return;
  if (!Array.isArray(content)) throw refuse(at, wrong.stringOrArray);
  objectsIn(content, at, (block, where) => {
    if (typeof block.type !== 'string') throw refuse(`${where}.type`, wrong.string);
    textsIn(block, where, ['text', 'thinking', 'signature', 'tool_use_id']);
  });
}

/** The texts of a prompt that `readRequestFacts` has accepted, for a local count. */
export const promptTexts = (body: JsonObject): string[] => chatTexts(readRequest(body, {}));

export function addSystem(body: JsonObject, text: string, override: boolean): JsonObject {
  const { system } = body;
  if (isAbsent(system) || system === '' || (Array.isArray(system) && system.length === 0)) {
    return { ...body, system: text };
  }
  if (!override) return body;
  if (typeof system === 'string') return { ...body, system: `${text}\n${system}` };
  return { ...body, system: [{ type: 'text', text }, ...objectsOf(system)] };
}
