/** What the relay must know of answers and streams of this wire that it passes on as they came. */
import { bufferOf } from '../../core/bytes.ts';
import { type JsonObject, parseObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import { containerOfCall } from '../containers.ts';
import type { AnswerItems, FrameFacts, Produced, ReplyFacts, StreamTap } from '../dialect.ts';
import { type AnswerEnd, endIn, isDue } from '../due-answers.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';
import type { Frame } from '../frames.ts';
import { secondsIn } from '../media-output.ts';
import { NOTHING_PRODUCED, saysAnything, sumOf, thought } from '../produced.ts';
import { isById, sealIn } from '../sealed-reasoning.ts';
import { DROP, PASS, tells, wordsOf } from '../tap-frames.ts';
import { isStepAtX } from '../tool-uses.ts';
import { holdsPicture } from '../tool-words.ts';
import { readError, readErrorEvent, typeOfEvent } from './errors.ts';
import { responsesStops } from './stops.ts';
import { readUsage } from './usage.ts';

export function readReplyFacts(body: unknown): ReplyFacts {
  const answer = objectOf(body);
  const missing = Array.isArray(answer?.output) ? null : { message: 'its answer holds no output' };
  const end = endOf(answer);
  const produced = () => sumOf(objectsOf(answer?.output).map(producedByItem));
  const says = () => objectsOf(answer?.output).some(holdsSomething);
  return {
    usage: readUsage(answer?.usage),
    error: (answer && readError(answer)) ?? missing,
    produced,
    due: () => (isDue({ end, says, hasOutput: () => saysAnything(produced()) }) ? 1 : 0),
    finishReason: finishOf(answer),
    isFiltered: end === 'filtered',
    answerId: keptId(answer),
    items: itemsOf(answer),
  };
}

const keptId = (response: JsonObject | undefined): string | undefined =>
  response?.store === false ? undefined : textOf(response?.id);

/** Undefined where it does not tell. */
const keeps = (response: JsonObject | undefined): boolean | undefined => {
  if (response?.store === false) return false;
  return keptId(response) === undefined ? undefined : true;
};

function itemsOf(response: JsonObject | undefined): AnswerItems | undefined {
  const seen = new ItemsSeen();
  for (const item of objectsOf(response?.output)) seen.see(item);
  return seen.of(keeps(response));
}

/** What an answer is made of, as it comes. */
class ItemsSeen {
  readonly #ids = new Set<string>();
  readonly #thoughts = new Set<string>();
  readonly #seals = new Set<string>();
  readonly #ranIn = new Map<string, string>();
  readonly #searches = new Set<string>();
  #holdsOthers = false;

  /** What an item is sealed with as it begins is not what comes back of it. */
  see(item: JsonObject, isWhole = true): void {
    const id = textOf(item.id);
    if (id !== undefined) {
      this.#ids.add(id);
      if (item.type === 'reasoning') this.#thoughts.add(id);
    }
    const ran = isWhole ? containerOfCall(item) : undefined;
    if (id !== undefined && ran?.isDone && ran.id !== undefined) this.#ranIn.set(id, ran.id);
    const seal = isWhole ? sealIn(item) : undefined;
    if (seal !== undefined) this.#seals.add(seal);
    const type = textOf(item.type) ?? '';
    if (type === 'web_search_call') this.#searches.add(id ?? '');
    else if (!WRITTEN.has(type) || isStepAtX(item)) this.#holdsOthers = true;
  }

  of(areKept: boolean | undefined): AnswerItems | undefined {
    if (areKept === undefined) return undefined;
    const seals = [...this.#seals].filter((seal) => areKept || !isById(seal));
    return {
      ...{ ids: [...this.#ids], thoughts: [...this.#thoughts], seals, areKept },
      searches: this.#holdsOthers ? null : this.#searches.size,
      ...(this.#ranIn.size > 0 && { ranIn: this.#ranIn }),
    };
  }
}

const finishOf = (response: JsonObject | undefined): string | null =>
  textOf(objectOf(response?.incomplete_details)?.reason) ?? textOf(response?.status) ?? null;

/** What is incomplete for whatever reason but a filter's was written so far. */
function endOf(response: JsonObject | undefined): AnswerEnd {
  const end = endIn(responsesStops, finishOf(response));
  return end === 'ordinary' && response?.status === 'incomplete' ? 'written' : end;
}

const textsIn = (item: JsonObject): (string | undefined)[] =>
  [...objectsOf(item.content), ...objectsOf(item.summary)].map(
    (content) => textOf(content.text) ?? textOf(content.refusal),
  );

/** Messages and reasoning may be empty; whatever else is in one, and every other item, is something. */
function saysSomething(item: JsonObject): boolean {
  if (item.type !== 'message' && item.type !== 'reasoning') return true;
  return textsIn(item).some((text) => text !== '');
}

/** Beside what it says, what it thought may be sealed, to be sent on. */
const holdsSomething = (item: JsonObject): boolean =>
  saysSomething(item) || (textOf(item.encrypted_content) ?? '') !== '';

/** Text, reasoning, and what a tool is called with. */
function producedByItem(item: JsonObject): Produced {
  const texts = textsIn(item).map((text) => text ?? '');
  const called = [item.name, item.arguments, item.input, item.code].map((said) => textOf(said) ?? '');
  const act = item.operation ?? item.action ?? item.actions;
  if (CALLERS.has(textOf(item.type) ?? '') && act !== undefined) called.push(JSON.stringify(act));
  const pictures = holdsPicture(item) ? 1 : 0;
  return {
    text: [...texts, ...called].join(''),
    toolCalls: isCall(item) ? 1 : 0,
    pictures,
    ...(item.type === 'reasoning' && thought(texts.join(''))),
  };
}

/** Calls without a name, which wait for the caller all the same. */
const CALLERS: ReadonlySet<string> = new Set([
  'apply_patch_call',
  'computer_call',
  'local_shell_call',
  'shell_call',
]);

/** What a model has written itself, all of which counts as its output. */
const WRITTEN: ReadonlySet<string> = new Set([
  ...CALLERS,
  'message',
  'reasoning',
  'function_call',
  'custom_tool_call',
]);

const isCall = ({ type, name }: JsonObject): boolean =>
  typeof type === 'string' && (CALLERS.has(type) || (type.endsWith('_call') && typeof name === 'string'));

/** Words of the frames that end an answer, hold what is no text, or nothing. */
const TOLD = wordsOf(
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
  '"error"',
  'event: error',
  // Pictures and sounds.
  'partial_image',
  '"result"',
  'audio.delta',
  // What it is made of, which not every service says once more at the end.
  '"reasoning"',
  'response.output_item.done',
  '"keepalive"',
);
const SOUND = /^response\.(output_)?audio\.delta$/;

export class ResponseStreamTap implements StreamTap {
  usage: Usage | null = null;
  complete = false;
  finishReason: string | null = null;
  #end: AnswerEnd = 'ordinary';
  answerId: string | undefined;
  readonly #drawn = new Set<string>();
  readonly #items = new ItemsSeen();
  #areKept: boolean | undefined;

  get items(): AnswerItems | undefined {
    return this.#items.of(this.#areKept);
  }

  get promptUsage(): Usage | null {
    return this.usage;
  }

  get isFiltered(): boolean {
    return this.#end === 'filtered';
  }

  get due(): number {
    return this.#end === 'written' ? 1 : 0;
  }

  wants(bytes: Uint8Array): boolean {
    return tells(bufferOf(bytes), TOLD);
  }

  read(frame: Frame): FrameFacts {
    const event = parseObject(frame.data);
    if (!event) return DROP;
    const type = typeOfEvent(event, frame);
    switch (type) {
      case 'response.created':
        this.answerId = keptId(objectOf(event.response));
        this.#areKept = keeps(objectOf(event.response));
        return PASS;
      case 'response.completed':
      case 'response.incomplete':
        return this.#close(objectOf(event.response));
      case 'response.failed':
      case 'response.cancelled':
      case 'error':
        return this.#fail(event);
      default: {
        const item = objectOf(event.item);
        if (item) this.#items.see(item, type === 'response.output_item.done');
        return { ...PASS, content: carries(type, event), produced: this.#media(type, event) };
      }
    }
  }

  /** A picture counts once, when it is first seen; a sound by its length. Undefined for any other frame. */
  #media(type: string, event: JsonObject): Produced | undefined {
    if (SOUND.test(type)) return { ...NOTHING_PRODUCED, seconds: secondsIn(textOf(event.delta) ?? '') };
    const item = objectOf(event.item);
    const isDone = type === 'response.output_item.done' && item !== undefined && holdsPicture(item);
    if (!isDone && !type.endsWith('.partial_image')) return undefined;
    const id = textOf(event.item_id) ?? textOf(item?.id) ?? '';
    const pictures = this.#drawn.has(id) ? 0 : 1;
    this.#drawn.add(id);
    return { ...NOTHING_PRODUCED, pictures };
  }

  produced({ data }: Frame): Produced {
    const event = parseObject(data) ?? {};
    const type = textOf(event.type) ?? '';
    if (type === 'response.output_item.added') return producedByItem(objectOf(event.item) ?? {});
    const text = PRODUCING.test(type) ? (textOf(event.delta) ?? '') : '';
    return { text, toolCalls: 0, ...(type.startsWith('response.reasoning_') && thought(text)) };
  }

  #close(response: JsonObject | undefined): FrameFacts {
    for (const item of objectsOf(response?.output)) this.#items.see(item);
    this.usage = readUsage(response?.usage) ?? this.usage;
    this.finishReason = finishOf(response);
    this.#end = endOf(response);
    this.complete = true;
    // It only says all of it once more.
    const endsOnly = !objectsOf(response?.output).some(holdsSomething);
    return { ...PASS, content: true, last: true, produced: NOTHING_PRODUCED, endsOnly };
  }

  #fail(event: JsonObject): FrameFacts {
    this.usage = readUsage(objectOf(event.response)?.usage) ?? this.usage;
    return { ...DROP, error: readErrorEvent(event) };
  }
}

/** Pieces that are text of the model; sounds and drawings are none. */
const PRODUCING =
  /^response\.(output_text|refusal|reasoning_text|reasoning_summary_text|function_call_arguments|custom_tool_call_input|mcp_call_arguments|code_interpreter_call_code|shell_call_command|apply_patch_call_operation_diff)\.delta$/;

/** Messages and reasoning begin empty, and may end so; every piece that is not, and every other item, is seen by the caller. */
function carries(type: string, event: JsonObject): boolean {
  if (type.endsWith('.delta')) return event.delta !== '';
  if (type === 'response.output_item.added' || type === 'response.output_item.done')
    return saysSomething(objectOf(event.item) ?? {});
  return type.endsWith('.partial_image');
}
