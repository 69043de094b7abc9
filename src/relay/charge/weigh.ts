/**
 * Holds what is told of a chat against its texts. Their bytes, which are known anyway, say where there may be doubt: only
 * there they are counted, so that what is told as most vendors tell it costs a few comparisons.
 */
import type { JsonObject } from '../../core/json.ts';
import { namesClaude } from '../../core/model-families.ts';
import {
  allTokens,
  cached,
  completionTokens,
  promptTokens,
  type Usage,
  withOutputOf,
} from '../../core/usage.ts';
import type { Operation, PromptSize } from '../../dialects/dialect.ts';
import { type Edits, leftOf } from '../../dialects/edits.ts';
import { objectOf, objectsOf, textOf } from '../../dialects/fields.ts';
import { promptTexts } from '../../dialects/prompt.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import { billAt, findProvider, vendorBehind } from '../../providers/registry.ts';
import type { RelayRequest } from '../request.ts';
import { countTexts } from './count.ts';
import { COUNT_SLACK } from './estimate.ts';
import { type OwnOf, ownText } from './own-text.ts';
import { isTooFew, mayBeTooFew, SMALLEST_CONTEXT } from './plausible.ts';
import { countTokens, isOwnCount } from './tokens.ts';

/** A chat's answer, and its ways to be counted here. */
export interface Came {
  request: Pick<RelayRequest, 'operation' | 'dialect' | 'body' | 'facts' | 'userId'>;
  channel: Pick<RoutedChannel, 'type' | 'baseUrl'>;
  /** The upstream's name of the model. */
  model: string;
  /** What the upstream speaks. */
  wire: string;
  /** Tools went up to run there, whatever its caller has asked for: nobody here sees what they read. */
  runsTools: boolean;
  /** What may have become of the conversation first, as what went up wished. */
  edits: Edits;
  /** It came to its end: what is told of less may have been right a while ago. */
  isWhole: boolean;
  /** Bytes of the answer's text. */
  bytes(): number;
  /** All of that is there to be counted. */
  isKept(): boolean;
  countPrompt(): Promise<Usage>;
  /** What a model has written, and no tool: of the text what is its `own`. */
  countOutput(own: OwnOf): Promise<Usage>;
}

export interface Weighed {
  usage: Usage;
  /** Some of it was counted here instead of what was told of it. */
  isCounted: boolean;
}

const CHATS: ReadonlySet<Operation> = new Set<Operation>(['chat', 'completions']);

/** What comes is what a model says, on whatever wire. */
export const isChat = ({ operation }: Pick<RelayRequest, 'operation'>): boolean => CHATS.has(operation);

/** What is told, with a half that is not believed as it is counted here. */
export async function weighed(told: Usage, came: Came): Promise<Weighed> {
  // Of what a host has kept it tells nothing, as is right. An app leaves out what it likes of what it is asked, and says
  // words of its own that no model has written.
  const isKept = allTokens(told) === 0;
  if (isKept || !isChat(came.request) || findProvider(came.channel.type)?.hasOwnPrompt) {
    return { usage: told, isCounted: false };
  }
  const output = await countedOutput(told, came);
  const prompt = await countedPrompt(told, came, output !== null && came.isWhole);
  return {
    usage: withOutputOf(prompt ?? (await meant(told, came)), output ?? told),
    isCounted: output !== null || (prompt !== null && promptTokens(prompt) > 0),
  };
}

/**
 * Where a cache is told, what is told beside it may be as little as its upstream has read anew. `isCaught`: it has told far
 * less of the answer than that was, so that what it tells of a prompt is no count, either.
 */
async function countedPrompt(told: Usage, came: Came, isCaught: boolean): Promise<Usage | null> {
  const { request, model } = came;
  const prompt = promptTokens(told);
  if (prompt === 0) return completionTokens(told) > 0 ? came.countPrompt() : null;
  if (cachedIn(told) > 0 || prompt >= SMALLEST_CONTEXT) return null;
  if (isCaught) {
    const whole = await came.countPrompt();
    return promptTokens(whole) > prompt ? whole : null;
  }
  if (!mayBeTooFew(prompt, request.facts.prompt.textBytes)) return null;
  const { dialect, body, userId } = request;
  const least = await countTokens(promptTexts(dialect, leastRead(body)), model, { userId });
  return isTooFew(prompt, least) ? came.countPrompt() : null;
}

async function countedOutput(told: Usage, came: Came): Promise<Usage | null> {
  const output = completionTokens(told);
  const { operation, body } = came.request;
  // A completion may show its prompt, which no model has written.
  const isOthers = operation === 'completions' && Boolean(body.echo);
  if (isOthers || !mayBeTooFew(output, came.bytes()) || !came.isKept()) return null;
  const others = {
    before: saidAgain(body),
    names: [came.model, came.request.facts.model],
    freeFinds: billAt(came.channel).freeFinds,
  };
  const counted = await came.countOutput((text) => ownText(text, others));
  return isTooFew(output, counted.output) ? counted : null;
}

/** vLLM's chats say the beginning of an answer again, from which it goes on. */
function saidAgain({ echo, messages }: JsonObject): string {
  const last = echo ? objectsOf(messages).at(-1) : undefined;
  if (last?.role !== 'assistant') return '';
  const { content } = last;
  return typeof content === 'string' ? content : textsIn(content).join('');
}

const textsIn = (content: unknown): string[] => objectsOf(content).map(({ text }) => textOf(text) ?? '');

const cachedIn = (told: Usage): number => cached(told) + told.cacheWrite + told.cacheWriteHour;

/** Fields of all wires that hold what is said. */
const SAID = [
  'system',
  'instructions',
  'systemInstruction',
  'system_instruction',
  'messages',
  'contents',
  'input',
  'prompt',
] as const;
const OF_SYSTEM: readonly unknown[] = ['system', 'developer'];

/** What no upstream leaves out of a prompt that is too long for it: what its system says, and what was said last. */
function leastRead(body: JsonObject): JsonObject {
  const least: JsonObject = {};
  for (const name of SAID) {
    const said = body[name];
    if (said === undefined) continue;
    least[name] =
      Array.isArray(said) && !name.startsWith('system')
        ? said.filter((each, at) => at === said.length - 1 || OF_SYSTEM.includes(objectOf(each)?.role))
        : said;
  }
  return least;
}

/** A model at home on another wire tells its caches by the rule of that, which a gateway may have taken over. */
const OPENAI_WIRES: ReadonlySet<string> = new Set(['openai-chat', 'openai-responses']);

/**
 * What is meant by a prompt and a cache, where a gateway puts the counts of one vendor into the words of another: at an
 * operator's address, of a model that is not at home on the wire. All that is told may be right by one of two rules, and
 * what is counted here says by which. It does so only where it is sure: nothing unseen is in the prompt, and none of it was
 * left out.
 */
async function meant(told: Usage, came: Came): Promise<Usage> {
  const { request, wire, model } = came;
  if (cachedIn(told) === 0 || !isAllSeen(came) || !isOperators(came.channel)) return told;
  const isClaude = namesClaude(model) || namesClaude(request.facts.model);
  if (isClaude) return OPENAI_WIRES.has(wire) ? withCacheBeside(told, came) : told;
  // Where others are told less as something was left out, more is counted here, by which nothing is taken out.
  return wire === 'anthropic-messages' ? withCacheOnce(told, came) : told;
}

function isAllSeen({ runsTools, edits, request: { facts } }: Came): boolean {
  const { prompt } = facts;
  const { images, audioSeconds, spoken = [], files } = prompt;
  // Of what is no text each vendor has a count of his own.
  const isText = images.length + audioSeconds + spoken.length + files === 0;
  return isText && !prompt.unseen && !runsTools && !isLong(prompt, edits.sumsUpFrom);
}

/** No text has more tokens than bytes. */
const isLong = (prompt: PromptSize, tokens: number | undefined): boolean =>
  tokens !== undefined && textBytes(prompt) >= tokens;

const isOperators = (channel: Came['channel']): boolean => vendorBehind(channel) === null;

const textBytes = ({ textBytes: bytes, tools }: PromptSize): number => bytes + (tools?.bytes ?? 0);

/** More bytes than usual text has for each of Claude's tokens. */
const BYTES_A_TOKEN = 5;
/** A model whose tokens are known. Claude makes more of a text, so that a told prompt of fewer lacks some. */
const MAKES_FEW = 'gpt-5';

/**
 * CLIProxyAPI and older New API put a Claude's cache beside its prompt on OpenAI's wires, which have it within. What may have
 * been left out of it first is not counted; what its caller wished to be, where there is none of it, leaves nothing out.
 */
async function withCacheBeside(told: Usage, { request, edits }: Came): Promise<Usage> {
  const all = promptTokens(told);
  const { prompt } = request.facts;
  if (textBytes(prompt) < BYTES_A_TOKEN * all) return told;
  const body = leftOf(request.body, (kind) => isLong(prompt, edits.clears?.[kind]));
  const counted = await countTexts({ ...request, body }, MAKES_FEW);
  let beside = 0;
  for (const more of [told.cacheRead, cachedIn(told)]) {
    if (isNearer(counted, all + more, all + beside)) beside = more;
  }
  return { ...told, input: told.input + beside };
}

/** Tokens that are counted here are as many as the vendor's, or nearly. */
const NEARLY = 0.8;

/**
 * New API tells what others than Claude have read of a cache within the prompt and once more beside it, unless something
 * was written. A host that says much of its own before a prompt tells more of both than is counted here. Both together are
 * believed wherever they may be: only by OpenAI's own tokens a count says which is nearer, and by those of others what is told
 * must be more than any of them makes of the texts.
 */
async function withCacheOnce(told: Usage, { request, model, countPrompt }: Came): Promise<Usage> {
  const { input, cacheRead } = told;
  const isWithin = cacheRead === cachedIn(told) && cacheRead <= input;
  if (!isWithin || textBytes(request.facts.prompt) < input) return told;
  const both = promptTokens(told);
  const counted = promptTokens(await countPrompt());
  if (counted < NEARLY * input) return told;
  const isTwice = isOwnCount(model)
    ? isNearer(counted, input, both)
    : both > COUNT_SLACK * (counted + digitsApart(promptTexts(request.dialect, request.body)));
  return isTwice ? { ...told, input: input - cacheRead } : told;
}

/** OpenAI's tables have up to three digits in a token, and many others one in each. */
const DIGITS_A_TOKEN = 3;

/** How many tokens more texts have by tables of which each digit is one. */
function digitsApart(texts: readonly string[]): number {
  let more = 0;
  for (const text of texts) {
    for (const [digits] of text.matchAll(/\p{N}+/gu)) {
      more += digits.length - Math.ceil(digits.length / DIGITS_A_TOKEN);
    }
  }
  return more;
}

/** By how many times they differ. */
const isNearer = (counted: number, one: number, other: number): boolean =>
  Math.abs(Math.log(counted / one)) < Math.abs(Math.log(counted / other));
