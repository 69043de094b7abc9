/** What a user, a channel or the site may have of a kind. */
import { KIB, MIB } from './sizes.ts';

export const holdings = {
  /** Likes of one user, each with its task: the oldest give way, so that nobody fills the disk with what he thinks. */
  likesOfOne: 200,
  likesOfOneBytes: 2 * MIB,
  likesAMinute: 20,
  /** The task of a like, as text: a long conversation with its steps. */
  likedTaskChars: 256 * KIB,

  tokensPerUser: 1_000,
  /** With those that were deleted within a day: who makes and deletes tokens in a loop leaves so many rows a day. */
  tokensOfADay: 2_000,
  /** Those that one application makes in its user's name: one for each of his devices, and all of them have his number. */
  tokensOfApp: 100,
  tokensOfAppADay: 200,
  /** Deleted tokens that no call was ever charged to; what recovery keeps of their calls is long gone by then. */
  deletedTokenSec: 90 * 86_400,
  /** Those that are over, deleted by one statement. */
  deletedTokens: 5_000,
  /** Activities that a user sees at once. */
  activitiesShown: 100,
  /** Recommended prompts: a client reads all of them at once, and nobody chooses among more. */
  prompts: 500,
  /**
   * What clients are sent of them, some megabytes at worst: for so many kinds of clients that are shown others. A change drops
   * it all at once, and one that was missed is noticed by then.
   */
  promptListMs: 15_000,
  promptListsKept: 8,
  /** Applications of the marketplace: a client reads all of them at once. */
  applications: 1_000,
  /** Roles of a companion client, and the text of one in bytes: it reads all of them at once. */
  aiRoles: 100,
  aiRoleBytes: 64 * KIB,
  /** Users who are rewarded in one transaction: their calls wait for it, some 2 ms each. */
  rewardBatch: 50,
  /** Addresses and networks, and model names, that one token may be limited to. */
  tokenNetworks: 200,
  tokenModels: 2_000,
  /**
   * Both lists of a token together, which is some 600 models of usual names; and those of all of a user's own, as much
   * again of what applications made for him, and of what one of them did.
   */
  tokenListsBytes: 16 * KIB,
  userListsBytes: 1 * MIB,
  appListsBytes: 128 * KIB,
  channelKeys: 1_000,
  modelsPerChannel: 2_000,
  /** The index has a row for each model in each of them. */
  groupsPerChannel: 100,
  /** Names of models of a user's own key: a supplier that sells those of others lists some 400. */
  customModelNames: 1_000,
  /** All of them together: lists hold those of many users and keys. */
  customModelNamesBytes: 16 * KIB,
  /** Users' own keys that administrators see at once, the newest, and the bytes of their models and addresses. */
  customModelsListed: 1_000,
  customModelsListedBytes: 2 * MIB,
  /** Users whose own keys failed lately, and models of each key that take no more calls: anybody can make names up. */
  ownBreakerUsers: 10_000,
  ownBreakerModels: 100,
  /** Users whose own keys are in memory, and for how long at most; a change is heard of at once. */
  ownKeyUsers: 1_000,
  ownKeysMs: 60_000,
  /**
   * What a user may have the gateway ask a supplier outside of calls, for lists of models and balances: so many a minute,
   * each within this time, its answer of at most so many bytes (the list of a supplier of 400 models has some 600 KiB).
   */
  supplierAsksAMinute: 30,
  supplierAskMs: 10_000,
  supplierAnswerBytes: 1 * MIB,
  /** Channels that one call changes, and tests or balances that one job asks for. */
  channelsAtOnce: 10_000,
} as const;
