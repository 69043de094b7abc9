/** What a request to the relay may ask for; beyond these it is a mistake or an attack, never a call. */
import { KIB, MIB } from './sizes.ts';

export const requests = {
  maxTokensCap: 10_000_000,
  choicesMax: 128,
  /** Uses of one paid tool that an answer can be charged for: more is a mistake of the upstream's. */
  toolUsesMax: 1_000,
  messagesMax: 4096,
  /** Parts of one message, and tools: Gemini takes 3,600 pictures, and nobody so many tools. */
  partsMax: 4096,
  /** Characters of a tool's name in a call, of which vendors take 64 to 128: some wires say it again with each result. */
  callNameChars: 256,
  /** Parts of all messages, of what tools have answered in them, and of groups of tools: each takes some microseconds. */
  allPartsMax: 16_384,
  /** Pictures, sounds and files of one request: each is looked at before anybody is asked for quota. */
  mediaMax: 4096,
  /** Values that may be media by the names of their fields, pages that searches found among them: some 50 ms. */
  mediaLooksMax: 16_384,
  /** Sounds of earlier answers that a request names, each of which is looked for: none is kept for longer than an hour. */
  spokenMax: 512,
  jsonDepthMax: 64,
  /** Lists, objects and what follows a comma; prompts as numbers of tokens have the most, some 300,000. */
  jsonValuesMax: 500_000,
  /**
   * JSON inside of the texts of one request, which is parsed to look for words in it, and where another wire has objects
   * for them: arguments and results of some hundreds of tool calls, with as many different names as a body may have. It
   * takes some tens of milliseconds; what is beyond is looked through as it stands, and stays a text on every wire.
   */
  innerJsonValues: 100_000,
  innerJsonChars: 4 * MIB,
  /** A proof of reasoning from another wire in base64: most have 10,000 to 200,000 characters, one with a picture some millions. */
  carriedProofChars: 4 * MIB,
  /** Names of fields whose folding is remembered: all wires together have some hundreds. */
  namesRemembered: 2_000,
  /** Different names among the keys; schemas of hundreds of tools have a few thousand. */
  jsonKeysMax: 50_000,
  /**
   * What folding their characters takes: 4 million plain ones, or 32,000 beyond ASCII, each a tenth of a second at most.
   */
  jsonKeysWeight: 4 * MIB,
  /**
   * Bodies wait for a turn to be read, beside so many of all and of one user, and no longer than that: longer, they would hold
   * room for less than who sends slowly. Whatever a short one holds takes some milliseconds, and several are read at once.
   */
  shortBodyChars: 16 * KIB,
  shortBodies: {
    ...{ atOnce: 4, mostAtOnce: 64, withinOneMs: 16, rests: false },
    ...{ waitingMax: 8_192, ofOneWaitingMax: 4_096, withinMs: 20_000 },
  },
  longBodies: {
    ...{ atOnce: 1, mostAtOnce: 1, withinOneMs: 0, rests: true },
    ...{ waitingMax: 1_024, ofOneWaitingMax: 256, withinMs: 20_000 },
  },
  /**
   * Bytes of the lists that names which are small numbers have laid out: of a body, for which they are held; and of what
   * nobody holds them for: a form, JSON in the texts of one request, an event of a session. Biases of 300 tokens with
   * numbers below 1,000, the most that are taken, have 2 MiB at most.
   */
  jsonPlacesBytes: 16 * MIB,
  unheldPlacesBytes: 2 * MIB,
  /**
   * Of the schemas of one request with their references put in: schemas, keywords and members of lists, which is some
   * 10,000 fields of usual tools; and characters.
   */
  schemaEntries: 50_000,
  schemaChars: 4 * MIB,
  /**
   * Of those, what is made once more because it means something else where others are left out, beside some times what is
   * there: five blocks of an editor that may all hold one another take 2,000. All of it is two milliseconds.
   */
  schemaEntriesAgain: 8_000,

  /** Images and files that a request names by address, fetched for upstreams that take bytes only. */
  inlineMedia: 32,
  inlineMediaBytes: 20 * MIB,
  inlineMediaOfCallBytes: 32 * MIB,
  /** Of one for Bedrock, whose provider says where: 5 MiB of base64, and as it documents. */
  bedrockPictureBytes: 3.75 * MIB,
  bedrockDocumentBytes: 4.5 * MIB,
  /** How often one address is put into a body: a talk shows a picture once or twice, or again at a few of its turns. */
  inlineMediaTimes: 8,
  /** Of base64 that stands there again: what an address has a host send once would be sent on as often as it is named. */
  inlineMediaAgainChars: 4 * MIB,
  inlineMediaMs: 20_000,
  /**
   * Connections for them at once, and of one user, beside the two of each call; and what waits for one, as long as it may
   * then take: all addresses of eight calls.
   */
  inlineMediaAtOnce: 64,
  inlineMediaOfOneAtOnce: 8,
  inlineMediaWaiting: 2_048,
  inlineMediaOfOneWaiting: 256,
  /**
   * What takes longer leaves its connection to others: most are fetched in a fraction of it. So many may then take all of
   * their time, beside those, and those behind one network such a share of what the others leave.
   */
  inlineMediaSlowMs: 2_000,
  inlineMediaSlowAtOnce: 64,
  inlineMediaSlowShare: 1 / 2,

  /** Characters that are looked through for words in one turn of the event loop: some milliseconds. */
  scanChars: 128 * 1024,
} as const;
