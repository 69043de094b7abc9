/**
 * What a wire format must be able to do. A dialect knows no provider and no database: bytes and JSON in, facts out.
 * The relay passes requests and answers of one dialect through as they are and asks the dialect only for what it must
 * know; between two dialects it goes by the neutral model (`codec`).
 */
import type { KeptContainer } from '../core/container-session.ts';
import type { AskedDrawing } from '../core/drawing-tokens.ts';
import type { JsonObject } from '../core/json.ts';
import type { Spoken } from '../core/media-tokens.ts';
import type { ThinkingWish } from '../core/model-variant.ts';
import type { PaidTool, PaidTools } from '../core/paid-tools.ts';
import type { Picture } from '../core/picture-tokens.ts';
import type { CacheLife, ThoughtsBeside } from '../core/price-bound.ts';
import type { JsonSize, TextSize } from '../core/text-tokens.ts';
import type { Usage } from '../core/usage.ts';
import type { Vendor } from '../core/vendor-bill.ts';
import type { KnownTool } from './all-tools.ts';
import type { ChatExtension } from './chat-extension.ts';
import type { Frame } from './frames.ts';
import type { Reads } from './other-texts.ts';

/** What a caller wants done, whichever path and dialect he says it in. */
export type Operation =
  | 'chat'
  | 'completions'
  | 'embeddings'
  | 'images'
  | 'image-edits'
  | 'image-variations'
  | 'speech'
  | 'transcriptions'
  | 'translations'
  | 'moderations'
  | 'rerank'
  | 'count-tokens'
  | 'realtime'
  | 'tool'
  | 'task';

/** What a prompt holds, measured for the reservation without a tokenizer. */
export interface PromptSize {
  /** UTF-8 bytes of all text parts. */
  textBytes: number;
  /** Those of them that are no common letters (`core/text-tokens.ts`). */
  textDense?: number;
  messages: number;
  /** UTF-8 bytes of the longest that one of its channels says before it; absent where none does. */
  systemBytes?: number;
  /** Its tools and schemas; absent where there are none. */
  tools?: JsonSize;
  /** What the answer is foretold to be: all of it that does not come true is charged as output, whatever the limit. */
  foretold?: TextSize;
  images: Picture[];
  /** Seconds of audio; where its bytes do not tell, the most that they can be. */
  audioSeconds: number;
  /** Those of them that its sounds are known to last, which is what they are charged as where no usage tells. */
  knownSeconds?: number;
  /** It is charged by the second where nobody counts it otherwise. */
  bySecond?: boolean;
  /** Sounds of earlier answers that it names, each as often as it does. */
  spoken?: SpokenByName[];
  /** Files whose content counts as input (PDF and the like), and their bytes as far as they are in the request. */
  files: number;
  fileBytes: number;
  /** Of those that are documents whose pages can be counted, and the bytes of the texts that they show. */
  pages?: number;
  shownBytes?: number;
  /** One of them can hold far more than its bytes tell. */
  unsized?: boolean;
  /** Of those that are films; where their bytes do not tell, the most that they can be. */
  videoSeconds?: number;
  /** How many of their frames are looked at. */
  videoFrames?: number;
  /**
   * How many contexts of its own its files are read in: one for each input with a file that is embedded, and for each pair
   * of a question and a document. One for all where it is absent, as in a chat.
   */
  reads?: number;
  /** In how many of them there is a file whose size nobody here knows. */
  unsizedReads?: number;
  /** In how many of those it is known to be a film. */
  unsizedFilms?: number;
  /**
   * Its vendor alone knows what some of it comes to: pictures, what models have sealed, what earlier answers of a chat have
   * spoken. That is held as well as it can be reckoned, and believed as far as a context holds (decision 050): whoever reads
   * such parts sets it.
   */
  sizedByVendor?: boolean;
  /** Holds what only the upstream can size: documents by address or id, an earlier answer, a cached prompt. */
  unseen?: boolean;
  /** What is unseen is an earlier answer alone, with all that was asked before it; null where nobody knows of it. */
  earlier?: Earlier | null;
  /** Tokens of what earlier answers thought, which it holds by their ids alone and the relay remembers. */
  thought?: number;
  /** Bytes of the signatures that Google has put to its answers, each as far as it can stand for what was thought. */
  signedBytes?: number;
  /** How much the model reads at once, where its channels may have another for it. */
  context?: number;
  /**
   * By which names it may be read: what files, pictures and sounds come to is held by the dearest. The caller's where it is
   * absent.
   */
  readers?: readonly string[];
  /** One of them is a film by its address: as long as films are that a model can see. */
  unseenFilm?: boolean;
  /** What is unseen may be of any kind, a sound as well: nothing calls it a document. */
  unseenKind?: boolean;
  /** It marks what its upstream shall write to a cache; for how long at most. */
  cacheMarks?: CacheLife;
}

/** A sound that only the account has in which it was spoken. */
export interface SpokenByName extends Spoken {
  /** What cannot be one is nobody's. */
  id: string | null;
  /** The field that names it. */
  at: string;
  /** The key that has it; absent where nobody remembers it. */
  keptBy?: { channelId: number; keyId: number };
}

/** What is read again of an earlier answer and of all that was asked before it. */
export interface Earlier {
  /** As its upstream told it, where it is as many for who reads it now; null where nobody knows. */
  tokens: number | null;
  /** So many are read of it for certain by whoever builds upon all of it; absent where nobody knows of any. */
  least?: number | undefined;
  /** What was thought in it and in all that it builds upon, of which later readings may leave out any; absent where nobody knows. */
  thought?: number | undefined;
  holds: Holds;
}

/** Nothing but text; media that are charged as text; or what may be charged as anything, as sound is. */
export type Holds = 'text' | 'media' | 'any';

/** Of an answer, or of a part of it. */
export interface AnswerSize extends Earlier {
  /** The model whose tokens they are, by its upstream's name. */
  reader: string;
  pictures: number;
}

/** An item of an earlier answer, by its id alone. */
export interface NamedItem {
  /** What cannot be one is nobody's. */
  id: string | null;
  at: string;
}

/** An answer of the caller's, some of which he names so. */
export interface NamedAnswer extends AnswerSize, Pick<NamedItem, 'at'> {
  id: string;
  /** The key that has it. */
  keptBy: { channelId: number; keyId: number };
  /** The containers in which those items ran that he names, each with one of these; absent where none did. */
  ranIn?: ReadonlyMap<string, string>;
}

/** What an earlier answer thought, which its upstream keeps and may read by its id. */
export interface KeptThought {
  id: string;
  /** It stands in the request as well, sealed by its maker. */
  isSealed: boolean;
}

/** A container as a field of a request names it. */
export interface NamedContainer {
  id: string;
  at: string;
  /** The tool that runs in it, or has run. */
  kind: string | undefined;
  /** A tool is to run there; or a call ran there that the model reads, or may read no more; or it is only named. */
  role: 'place' | 'read' | 'perhaps-read' | 'named';
}

/** One in which an answer of the caller's ran. */
export interface KnownContainer extends Pick<NamedContainer, 'id'> {
  /** Where he names it, or else as what it stands in the context upon which he builds. */
  at?: string;
  before?: Extract<NamedContainer['role'], 'read' | 'perhaps-read'>;
  /** By which item it stands there, where that is named alone. */
  item?: string;
  /** What is remembered of it. */
  kept: KeptContainer;
}

/** A container of Anthropic's, in which Claude's code has run: nothing is due for it. */
export interface ClaudeContainer extends Pick<NamedContainer, 'id' | 'at'> {
  /** The key that has it; absent where nobody remembers it. */
  keptBy?: { channelId: number; keyId: number };
}

/** The same in what goes up. */
export interface StandingContainer extends Omit<NamedContainer, 'at'>, Pick<KnownContainer, 'kept'> {}

/** What the relay must know of a request before it is priced. */
export interface RequestFacts {
  model: string;
  stream: boolean;
  /** The caller's cap on output tokens of one answer; null when he gave none. */
  outputCap: number | null;
  /** What may be thought beside it at one of the channels, and how much of that was held where it was limited. */
  thoughts?: ThoughtsBeside & { cap?: number };
  /** More can be held while the answer comes, of which all that is charged is seen as it does; absent where not. */
  grows?: true;
  /** Answers asked for (`n`). */
  choices: number;
  /** Those of them that come, where more are written to choose among; absent where all do. */
  shown?: number;
  prompt: PromptSize;
  /** The answer may be spoken, which costs more. */
  audioOut: boolean;
  /** True when the caller asked for usage inside the stream; else the usage frame is kept back. */
  wantsUsage: boolean;
  /** Names a conversation for prompt-cache affinity; null when the request has nothing of the kind. */
  affinity: string | null;
  /**
   * From so many tokens of prompt on, its upstream sums up what was said and begins again from that: a call of its own.
   * Absent where it does not.
   */
  sumsUpFrom?: number;
  /** What its model cannot read at once may be left out for it; absent where such a request is refused. */
  leavesOut?: true;
  /** An earlier answer that only the channel which gave it knows. */
  previousAnswer: string | null;
  /** The answer that was not at its end with which it goes on; absent where it begins one. */
  continues?: GoesOn;
  /** Absent where there are none. */
  keptThoughts?: readonly KeptThought[];
  /** Of answers that are nobody's but who is remembered to have been given them; absent where there are none. */
  namedItems?: readonly NamedItem[];
  /** What is known of the answers that have these; absent where nothing is. */
  namedAnswers?: readonly NamedAnswer[];
  /** Where tools of OpenAI's run, as far as it names that; absent where it does not. */
  containers?: readonly NamedContainer[];
  /** The one of Anthropic's in which it goes on; absent where it names none. */
  claudeContainer?: ClaudeContainer;
  /** What is known of these, and of the answer upon which it builds; absent where nothing is. */
  knownContainers?: readonly KnownContainer[];
  /** Pictures of its conversation, from all of which a tool may draw; absent where there are none. */
  drawnFrom?: number;
  /** The field that names what the upstream's account keeps for whoever asks: nobody here knows whose it is. */
  sharedContext?: string;
  /** The answer is a stream of bytes without frames: a sound. */
  bytesOut?: boolean;
  /** What a price a call counts where that is not each answer: pictures, searches. */
  calls?: number;
  /** The most of them that an answer is believed to tell; as many as are held for where it is absent. */
  mostCalls?: number;
  /** Of a transcription: seconds that were found in its file, if any, the most that its bytes last as a rule, and those held. */
  speech?: { walked: number | null; longest: number; held: number };
  /** Weighs the price of each of them by what was asked: size and quality of pictures. */
  callFactor?: number;
  /** Of a call for pictures: a model may make each of output tokens, which `outputCap` bounds. */
  drawing?: AskedDrawing;
  /** Of a film its size, `1280x720`: its price is that of a second, and `callFactor` says how many there are. */
  filmSize?: string;
  /** What the log says of the request beside its price. */
  noted?: JsonObject;
}

/** An answer that was not at its end, by the token that its upstream gave for it (`continuations.ts`). */
export interface GoesOn {
  digest: string;
  /** It stands among what a model has sealed. */
  isSealed: boolean;
  /** Else the token may be what proves the thoughts of an answer at its end. */
  isCertain: boolean;
}

/** Digests of the tokens with which an answer goes on; or, of what its model has sealed, of all that may be one. */
export interface GoingOn extends ReadonlySet<string> {
  readonly isSealed: boolean;
}

/** What an answer is made of, by the ids that its upstream has for that. */
export interface AnswerItems {
  ids: readonly string[];
  /** Of those, what it thought. */
  thoughts: readonly string[];
  /** The upstream keeps more of it than the answer shows; else the ids stand for nothing. */
  areKept: boolean;
  /** By what its thoughts are known again where they come back (`sealIn`). */
  seals: readonly string[];
  /**
   * What it holds beside what its model wrote: what so many searches of the web have found, which it does not show. Null where
   * other tools of the upstream have found or drawn something.
   */
  searches: number | null;
  /** Of calls that ran to their end in a container, the id of that; absent where none did. */
  ranIn?: ReadonlyMap<string, string>;
}

/** What the relay must know of a whole answer. */
export interface ReplyFacts {
  /** Null when the answer carries none. */
  usage: Usage | null;
  /** The latest counts of one that has failed, as far as they go; read only when usage is null. */
  promptUsage?: Usage | null;
  /** Set when a 200 carries an error object instead of an answer. */
  error: UpstreamErrorBody | null;
  /** What of it is known to count as output. */
  produced(): Produced;
  /**
   * How many of its answers are due at a price a call, whatever is told of them (`due-answers.ts`). What came of one need not
   * be known: an output item, a part or a block that is no empty text; vectors, results.
   */
  due(): number;
  finishReason: string | null;
  /** All of it was refused, or kept back: what of it is not known to count as output is nothing. */
  isFiltered?: boolean;
  /**
   * Why it was refused before anything came, in its vendor's word for that, by which he bills it or not; null where he has
   * none, and absent where his wire has no place for one, or where this was not the only try.
   */
  refusedFor?: string | null;
  /** It only names an answer that is yet to be fetched. */
  isForLater?: true;
  /** The id of an answer that the upstream keeps, so that a later request may build upon it. */
  answerId?: string;
  /** The same of sounds in it. */
  soundIds?: ReadonlySet<string>;
  /** The id of the container of Anthropic's in which its code ran, so that a later request may go on there. */
  containerId?: string;
  /** With which it goes on in a later request, where it is not at its end. */
  continuations?: GoingOn;
  /** Its items; absent where it does not tell whether they are kept. */
  items?: AnswerItems;
  /** The end of the last words of a transcription, in seconds of its sound; read only when usage is null. */
  heardUntil?: number;
  /** What it tells that a price a call counts in it; absent where it tells none. */
  calls?: number;
  /** Pictures that it holds, where the call was for pictures: what came is seen here, and not only told. */
  pictures?: number;
}

/** What an answer or a frame holds that counts as output. */
export interface Produced {
  /** Text, reasoning, refusals, names and arguments of tools. */
  text: string;
  /** Tool calls that begin here: each costs a few tokens besides its text. */
  toolCalls: number;
  /** Seconds of sound, and pictures: their base64 is no text. */
  seconds?: number;
  pictures?: number;
  /** Some of the text is what its model thought. */
  thinks?: true;
}

/** An error as an upstream words it. */
export interface UpstreamErrorBody {
  message: string;
  type?: string;
  code?: string;
  param?: string | null;
  /** The HTTP status that it stands for, where an answer of another status says so. */
  status?: number;
}

/** What one frame of a stream of the same dialect means for the relay. */
export interface FrameFacts {
  /** Carries something the caller sees: after the first of these nothing is retried. */
  content: boolean;
  /** Nothing but usage that the caller did not ask for: not passed on. */
  drop: boolean;
  /** Ends the answer: passed on only after the settlement. */
  last: boolean;
  /** Ends the answer unless more content follows; nothing but the end of the stream tells. */
  mayBeLast?: boolean;
  error: UpstreamErrorBody | null;
  /** What it produced, where its bytes are no measure: sounds, pictures, the whole answer once more. */
  produced?: Produced;
  /** What the caller sees of it is that the answer has ended, which may be empty. */
  endsOnly?: boolean;
}

/** What a stream's watcher must know of its request; one answer was asked for where it does not say. */
export type TappedRequest = Pick<RequestFacts, 'wantsUsage'> & Partial<Pick<RequestFacts, 'choices'>>;

/** Watches one stream of a dialect. Frames it need not look at are never parsed. */
export interface StreamTap {
  /** True when the frame must be read; a cheap search in its bytes. Every frame before the first content is read anyway. */
  wants(frame: Uint8Array): boolean;
  read(frame: Frame): FrameFacts;
  /** Usage of all that came; null while that was not told. */
  readonly usage: Usage | null;
  /** The latest counts, as far as they go; null while they leave the prompt out. */
  readonly promptUsage: Usage | null;
  /** True when the answer itself said that it is complete, whether or not the end marker came. */
  readonly complete: boolean;
  readonly finishReason: string | null;
  /** As of a whole answer. */
  readonly isFiltered?: boolean;
  /** The same, whatever came before. */
  readonly refusedFor?: string | null;
  /** The same, as far as it is read: of several answers all of it is, of one at the least how it ended. */
  readonly due?: number;
  readonly answerId?: string;
  readonly soundIds?: ReadonlySet<string>;
  readonly containerId?: string | undefined;
  readonly continuations?: GoingOn | undefined;
  readonly items?: AnswerItems | undefined;
  readonly pictures?: number;
  /** UTF-8 bytes of a summary of the conversation that it showed before the answer, as a part of what was produced. */
  readonly summaryBytes?: number;
  /** What a frame produced, for a local count. */
  produced(frame: Frame): Produced;
}

/** An error as the relay tells it to a caller. */
export interface PublicError {
  status: number;
  code: string;
  /** Ends with the request id. */
  message: string;
  /** Short class of the error where the dialect has such a field; each dialect maps the status itself when it is absent. */
  type?: string;
  param?: string | null;
}

/** Every dialect adds its id where it stands (`declare module`), so that a new one changes no list. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the dialects.
export interface DialectIds {}
export type DialectId = keyof DialectIds;

/** A local count where the upstream told no usage. */
export interface Counted {
  body: JsonObject;
  facts: RequestFacts;
  /** The upstream's name of the model. */
  model: string;
  /** Tokens of the prompt's texts, and of what the answer says, by the model's tokenizer. */
  input: number;
  output: number;
  /** Calls that the answer counts as. */
  calls: number;
  /** Bytes of an answer that is no text. */
  bytes: number;
  /** As of the whole answer. */
  heardUntil?: number;
  /** How long a transcribed sound is by the word of its upstream; absent where it does not tell. */
  heardSeconds?: number | undefined;
}

/**
 * How an upstream can be told how much to think, where not every limit of an answer counts thoughts: by the field that
 * counts both together, by one of thoughts apart, or in no way that is known: of a vendor whose limit counts none, or
 * where nobody knows whose limit it is.
 */
export type ThoughtLimit = ThoughtField | 'none' | 'unknown';
export type ThoughtField = 'max_tokens' | 'max_completion_tokens' | 'apart';

/** What the writing of a wish depends on. */
export interface WishPlace {
  /** The upstream's name of the model. */
  model: string;
  /** Of a cap on output, what thinking may take. */
  share: number;
  extensions?: ReadonlySet<ChatExtension>;
}

/** A channel's fields as they go up. */
export interface OwnFields {
  fields: Readonly<JsonObject>;
  /** Names of those that the wire has no word for. */
  leftOut: readonly string[];
}

/** What is known of a dialect in which an upstream is spoken to, whether or not callers speak it too. */
export interface SpokenDialect {
  readonly id: DialectId;
  /**
   * The paid tools that a body of this wire may set off at its upstream, where the wire has any. `names`: of its model, the
   * upstream's first. `drawnFrom`: pictures of its conversation, where some are not in the body.
   */
  paidTools?(body: JsonObject, names: readonly string[], drawnFrom?: number): PaidTools;
  /** What of a tool goes up where nothing dearer is sold; absent where no tool of the wire runs at its upstream. */
  knownTool?: KnownTool;
  /** The body without tools that are switched off in words which not every upstream of this wire knows. */
  withoutOffTools?(body: JsonObject): JsonObject;
  /** The body with a limit where it leaves the uses of these tools open; absent where the wire has no field for one. */
  withToolLimits?(body: JsonObject, paid: PaidTools, usual: (tool: PaidTool) => number): JsonObject;
  /** The body with a limit where it leaves open how much a use brings into the prompt; absent as above. */
  withReadLimits?(body: JsonObject, tokens: (name: string) => number): JsonObject;
  /**
   * Changes a body that goes up in place by what the model's name asks of its thinking (`…-thinking`, `…-high`). An effort
   * stands before what the caller himself says of it; a budget of Claude's or Gemini's only where he says nothing. Absent
   * where the wire has no word for it.
   */
  writeWish?(body: JsonObject, wish: ThinkingWish, place: WishPlace): void;
  /** A channel's fields for such a body in words of this wire, where operators write them in those of another. */
  inOwnWords?(fields: Readonly<JsonObject>, body: JsonObject): OwnFields;
  /** The body with a limit of what is thought beside that of the answer; absent where no upstream of the wire needs one. */
  withThoughtLimit?(body: JsonObject, tokens: number, limit: ThoughtField): JsonObject;
  /** Whether a body foretells its answer; absent where the wire has no word for it. */
  foretells?(body: JsonObject): boolean;
  /** The facts of an answer that is no JSON; absent where each answer is. */
  readText?(text: string): ReplyFacts;
  /** Its streams may be JSON values too: in an array or on lines. */
  readonly streamsJson?: boolean;
}

/** A model as lists tell it. */
export interface ListedModel {
  name: string;
  /** The vendor's word. */
  owner: string;
  /** Nobody tells when a model was made; clients only want a time. */
  createdSec: number;
}

/** How clients of a dialect read which models there are. */
export interface ModelCards {
  list(models: readonly ListedModel[]): JsonObject;
  card(model: ListedModel): JsonObject;
}

/** Whom a prompt goes to. */
export interface Reader {
  /** He is spoken to in the words in which it came. */
  isOwn: boolean;
  /** The upstream's name of the model. */
  model: string;
  /** Whose address it is; null for an operator's own, behind which anybody may be, and before it is known. */
  vendor: Vendor | null;
}

/** A dialect in which the relay can pass a call on as it is. */
export interface Dialect extends SpokenDialect {
  /** Checks the bounds of the architecture and reads what must be known. Throws `invalid_request` naming the field. */
  readRequest(body: JsonObject, path: PathFacts): RequestFacts;
  /** The facts with what the upstreams call the model, where the asked name does not tell how a call is counted. */
  factsUnder?(request: { body: JsonObject; facts: RequestFacts }, names: readonly string[]): RequestFacts;
  /** The texts that it reads of a prompt; `promptTexts` of `prompt.ts` tells all of them. */
  promptTexts(body: JsonObject): string[];
  /** Those of them that are read once more with each of some others, so many times; absent where none are. */
  readAgain?(body: JsonObject): { texts: string[]; times: number };
  /** What of a body is read, or says nothing to a model. Everything else is held and counted as text. */
  readonly reads: Reads;
  /** The operator's text put in front of a prompt; where the caller has one too, only with `override`, before it. */
  addSystem(body: JsonObject, text: string, override: boolean): JsonObject;
  /**
   * The body without what its clients say to none but their own maker, or would ask of a model beyond what they pay for;
   * absent where they say nothing of the kind.
   */
  asReadBy?(body: JsonObject, reader: Reader): JsonObject;
  /** The body with a limit on the output of each answer, of a request that has none; absent where all have one. */
  withOutputCap?(body: JsonObject, tokens: number): JsonObject;
  /** The body for an upstream of the same dialect: a copy with the model and what the gateway must set. Unknown fields stay. */
  forward(body: JsonObject, set: ForwardSettings): JsonObject;
  readReply(body: unknown): ReplyFacts;
  /** A refusal that this dialect tells in a whole answer and others as an error; null where there is none. */
  readRefusal?(body: unknown): UpstreamErrorBody | null;
  /** A whole answer where a stream was asked for is one that callers expect: some models cannot stream. */
  readonly wholeForStream?: boolean;
  /** The usage that a local count means, where it is not just tokens in and out. */
  usageOf?(counted: Counted): Usage;
  tap(request: TappedRequest): StreamTap;
  /** The end marker that follows the last frame, where the dialect has one (`data: [DONE]`); written only by us, after the settlement. */
  readonly endMarker: string | null;
  /** Stands between the frames of a stream and says nothing; absent where some clients stumble over whatever does. */
  readonly keepAlive?: string;
  readonly streamContentType: string;
  /** OpenAI's where it is absent. */
  readonly modelCards?: ModelCards;
  /** Where its clients look for the id of a request, beside `x-request-id`. */
  readonly idHeader?: string;
  errorBody(error: PublicError): JsonObject;
  /** An error inside a stream whose headers are out. */
  errorFrame(error: PublicError): string;
}

/** What the path says where the body does not (Gemini names model and streaming there). */
export interface PathFacts {
  model?: string;
  stream?: boolean;
  /** How fast a drawing is to be made. */
  mode?: string;
  /** The files of a form; its other fields are the body. */
  files?: readonly FormFile[];
}

/** A file of a form, as far as a dialect looks into it. */
export interface FormFile {
  /** Of the field. */
  name: string;
  filename: string;
  type: string;
  bytes: number;
  /** How long the sound in it is; null where that was not found. */
  seconds: number | null;
  /** The same as it is held: where it was not found the most that it can be, and null of what is no sound that is known. */
  heldSeconds: number | null;
}

export interface ForwardSettings {
  /** The upstream's name of the model. */
  model: string;
  stream: boolean;
  /** Whether this upstream understands a request for usage in streams. */
  askUsage: boolean;
  /** Whether it is given back what its model thought, without a proof as well. */
  wantsThoughts?: boolean;
}
