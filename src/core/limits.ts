/** Every bound of the product, with its origin. Reaching one is a clear error, never a crash. */

import { CODE_AGAIN_SEC, TOKEN_REQUEST_SEC } from './account-rules.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

export const limits = {
  // Bodies. `/api` writes are forms; guests send a handful of fields; relay JSON carries images as base64.
  apiBodyBytes: 4 * MIB,
  guestBodyBytes: 64 * KIB,
  /**
   * Of 512 MiB for all bodies in memory, the forms of the console, a quarter in all, so that neither they nor the relay stop the other:
   * sixteen of the largest; and those of guests apart, a thousand of them, so that no crowd keeps out who is signed in.
   */
  userFormsBytes: 64 * MIB,
  guestFormsBytes: 64 * MIB,
  /** Lists, objects and what follows a comma in a form; the hub's, of 2,000 models with tiers of prices, has the most. */
  formValuesMax: 100_000,
  relayJsonBytes: 32 * MIB,
  multipartBytes: 100 * MIB,
  /** What forms leave of it; beyond it new calls are answered 503. */
  relayBodiesBytes: 384 * MIB,
  /**
   * What each holder of room has before any share is asked for, most forms and prompts whole; and the part of the room that
   * is kept for it: 512 holders' of either forms, 3,072 users' of the relay. What they do not use nobody else may.
   */
  firstBytes: 16 * KIB,
  firstBytesPart: 1 / 8,
  /** Of the room, what one holder has once half of it is taken: it then takes six more to fill it, and not two. */
  scarcePart: 1 / 16,
  bodyReadMs: 60_000,
  /**
   * A body has 10 s for each 40 KiB of it, and ends before if it stands still: 4 KiB a second is a weak phone's 32 kbit/s.
   * Who holds 64 MiB with bodies that lack a byte must thus send them anew every 20 s, which is 27 Mbit/s.
   */
  bodyPaceMs: 10_000,
  bodyBytesASecond: 4 * KIB,
  /** Room for a body that announces less is held before it comes; what prompts without pictures have. */
  bodyAtOnceBytes: 64 * KIB,
  /** Such a body, of which nobody sees how it comes: 64 KiB at 4 KiB a second, and something for the way. */
  bodyAtOnceMs: 20_000,
  /** Forms are written to disk as they come: all that are under way together, beyond which new ones get 503. */
  uploadsOnDiskBytes: 1024 * MIB,
  /** 100 MiB in five minutes is less than 3 Mbit/s. */
  uploadReadMs: 5 * 60_000,
  formFieldBytes: 1 * MIB,
  /** All fields of a form without its files, which are kept in memory. No known call needs a tenth of it. */
  formTextsBytes: 2 * MIB,
  formFields: 256,
  /** Sixteen pictures and a mask are the most that a known call takes. */
  formFiles: 32,

  // What a chat request may ask for; beyond these it is a mistake or an attack, never a call.
  maxTokensCap: 10_000_000,
  choicesMax: 128,
  /** Uses of one paid tool that an answer can be charged for: more is a mistake of the upstream's. */
  toolUsesMax: 1_000,
  messagesMax: 4096,
  /** Parts of one message, and tools: Gemini takes 3,600 pictures, and nobody so many tools. */
  partsMax: 4096,
  jsonDepthMax: 64,
  /** Lists, objects and what follows a comma; prompts as numbers of tokens have the most, some 300,000. */
  jsonValuesMax: 500_000,
  /**
   * JSON inside of the texts of one request, which is parsed to look for words in it: arguments and results of some
   * hundreds of tool calls. It takes some tens of milliseconds; what is beyond is looked through as it stands.
   */
  innerJsonValues: 50_000,
  innerJsonChars: 4 * MIB,
  /** Names of fields whose folding is remembered: all wires together have some hundreds. */
  namesRemembered: 2_000,
  /** Different names among the keys; schemas of hundreds of tools have a few thousand. */
  jsonKeysMax: 50_000,
  /**
   * What folding their characters takes: 4 million plain ones, or 32,000 beyond ASCII, each a tenth of a second at most.
   */
  jsonKeysWeight: 4 * MIB,
  /**
   * Of the schemas of one request with their references put in: schemas, keywords and members of lists, which is some
   * 10,000 fields of usual tools; and characters.
   */
  schemaEntries: 50_000,
  schemaChars: 4 * MIB,

  /** Images and files that a request names by address, fetched for upstreams that take bytes only. */
  inlineMedia: 32,
  inlineMediaBytes: 20 * MIB,
  inlineMediaOfCallBytes: 32 * MIB,
  inlineMediaMs: 20_000,

  // Upstream answers.
  upstreamErrorBytes: 1 * MIB,
  upstreamPlainBytes: 64 * MIB,
  /** Whole answers in memory, from their first byte on until the large ones are written; as much as requests may take. */
  answersInMemoryBytes: 512 * MIB,
  /**
   * Users whose answer was given up for want of room, for so long; their next ones hold so many times as much ahead: from
   * the least that can lack to the largest answer in six steps.
   */
  lackedRoomUsers: 10_000,
  lackedRoomMs: 3_600_000,
  lackedRoomGrows: 4,
  /** What all calls of one of them hold ahead, which is the largest answer once, and all of a network: a quarter of the room. */
  aheadOfUserBytes: 64 * MIB,
  aheadOfNetworkBytes: 128 * MIB,
  /** Large pages and lists for guests, apart from those of who pays: half of it for one network. */
  guestAnswersBytes: 64 * MIB,
  /** A longer answer is written piece by piece, as its caller reads; sockets take this much at once, or nearly so. */
  answerAtOnceChars: 128 * KIB,
  /** Shorter ones fit into a packet or two as they are. */
  compressFromBytes: KIB,
  /** More is compressed beside the event loop: this much takes 70 µs, and no longer than to hand it over. */
  compressAtOnceBytes: 32 * KIB,
  writePieceChars: 128 * KIB,
  writePieceBytes: 128 * KIB,
  /** A caller who takes no piece for so long is gone. */
  writeIdleMs: 60_000,
  /**
   * Nor is waited for who takes longer for all of it, or for a part of it than is its part of that, beside the time for a
   * piece: the largest answer comes through a megabit a second.
   */
  writeWholeMs: 600_000,
  /** Who takes nothing for so long may lose the rest of a large answer to those who find no room. */
  writeSlowMs: 1_000,
  /** Tool calls of one streamed answer; models make some tens. */
  streamCalls: 1_024,
  /** One frame of an event stream; base64 images and audio arrive whole in one. */
  streamFrameBytes: 16 * MIB,
  /** What was produced, kept for an exact local count when the upstream sends no usage; of unknown shapes whole frames. */
  meterKeepBytes: 1 * MIB,
  /** Frames of a stream that are looked at for a new shape; thinking, text and each tool or choice have one of their own. */
  meterShapes: 8,
  /** Characters that are counted by a tokenizer; of more, pieces from all over. Noise takes 12 s a million. */
  countedChars: 256 * KIB,
  /** Counts that wait for the tokenizer, of each kind; beyond it, and after so long, the answer is rough. */
  countsWaiting: 500,
  countWaitMs: 2_000,
  /** The first count of a kind waits for its tables, which takes half a second of CPU. */
  countTablesMs: 10_000,
  /** Balance calls of one user: two programs that ask each second. */
  balanceCallsAMinute: 120,
  /** Lists of models of one user: as many. A client asks once when it starts. */
  modelListsAMinute: 120,
  /** Two programs that ask each second are told what the first of them read. */
  balanceKeptMs: 1_000,
  /** More than there can be callers in a second. */
  balancesKept: 10_000,
  /** Messages of one user to tool services that are not calls of tools. A client sends three before its first call. */
  toolMessagesAMinute: 120,
  /** Unknown relay keys from one address; a well-known gateway blocks at the same number. */
  badKeysAMinute: 120,
  /** Look-ups of credentials that were not seen before: at once, of one network, and waiting; each takes a millisecond. */
  lookupsAtOnce: 32,
  lookupsOfOneAtOnce: 16,
  lookupsWaiting: 10_000,
  lookupsOfOneWaiting: 2_000,
  /** From one address that was wrong too often. */
  slowLookupsASecond: 5,
  /** A stream whose content does not come is begun by then, so that the caller's own time-out does not strike. */
  holdHeadersMs: 10_000,
  /** How long an origin's checked address is used, and how long a host that answered counts as reachable. */
  resolvedMs: 30_000,
  reachableMs: 30_000,
  resolvedOrigins: 10_000,
  /** Longer addresses, into which callers may write, are read anew with each call. */
  readAddressChars: 500,
  /** Callers' addresses whose networks are kept: some 300 bytes each. */
  addressesKnown: 10_000,
  /** Connections that Bun keeps for the next call, of each scheme together: one more makes it close the longest idle. */
  keptConnections: 64,
  /** Upstreams that do not say how long they keep an idle one may close it then: a minute is usual for balancers. */
  keptConnectionMs: 60_000,
  /** A connection of earlier calls that is reset so soon was closed before this call came. */
  staleConnectionMs: 1_000,
  /** How long it is known which key gave an answer that its upstream keeps. */
  answerAffinitySec: 7 * 86_400,
  /** Models that show nothing of what they think take minutes to the first word of an answer. */
  unseenThoughtsMs: 300_000,
  /** Streams that are read on after their callers have left, whose cost is counted where they are not. */
  drainsAtOnce: 200,
  /** Of those that others leave, how many may be of one user's streams. */
  drainsOfOneShare: 0.5,
  /** Of one user, streams whose cost only their end tells. */
  drainsToEndOfOne: 100,

  // Circuit breakers of channels and keys. Envoy takes a host out after five failures in a row; the share of failures
  // catches one that fails by turns.
  failuresInARow: 5,
  /** Of a model that hides what it thinks, which may be asked for more than fits into its time once or twice. */
  silencesInARow: 3,
  failuresOf: 20,
  failureWindowMs: 30_000,
  failedOpenMs: 10_000,
  failedOpenMaxMs: 60_000,
  /** After a 429 that does not say how long. */
  busyOpenMs: 5_000,
  busyOpenMaxMs: 60_000,
  /** A key that its upstream refused, where it is not disabled. */
  refusedOpenMs: 60_000,
  /** Half-open: one call probes it; when that has no result by then, the next may. */
  halfOpenMs: 60_000,
  /** A channel that fails so many half-open probes is disabled. */
  probesBeforeDisabling: 3,
  /**
   * Users, and networks of theirs, who must have seen a channel or key fail since it last answered before it is disabled
   * where no test of our own can ask it, and for how long what they saw counts; and how long one that passed a test is not
   * tested again.
   */
  witnesses: 3,
  witnessMs: 600_000,
  testAgainMs: 60_000,
  /** Channels and keys that failed lately, and models of each. */
  breakersMax: 10_000,
  /** How often it is looked for channels whose time is over; they are passed over before that. */
  channelExpiryMs: 10_000,
  /** Channels whose keys' turns are remembered; more than any operator has. */
  keyTurns: 100_000,
  /** Keys that one test of a channel asks where all of them are off: a vendor need not see a thousand dead ones at once. */
  keysOfTest: 10,
  /** How often it is looked for tests that are due. */
  watchMs: 30_000,
  /** What does not change is told to root again after so long, of so many subjects. */
  alertAgainMs: 3_600_000,
  alertsRemembered: 10_000,
  /** A channel that tells usage beyond reason so often within so long is told of. */
  suspectsBeforeAlert: 3,
  suspectWindowMs: 3_600_000,
  /** Channels that are remembered for it: more than sites have, of which few lie within an hour. */
  suspectsRemembered: 1_000,
  /** Characters that are looked through for words in one turn of the event loop: some milliseconds. */
  scanChars: 128 * 1024,
  /** Retries are at most this share of the calls; what calls without failure leave of it is kept, up to a bound. */
  retryShare: 0.2,
  retryReserve: 100,
  retryStart: 20,
  backOffMs: 50,
  backOffMaxMs: 1_000,
  /** Nothing is tried again after a call has waited for so long. */
  retryWithinMs: 20_000,

  // Websockets. A picture or a minute of plain sound comes in one message.
  socketMessageBytes: 16 * MIB,
  /** What may wait on one of them, either way, before a next message: a minute of sound that comes faster than it is heard. */
  socketWaitingBytes: 4 * MIB,
  /** No upstream tells that it has taken what waits for it, so that it is looked how much that is. */
  socketLookMs: 1_000,
  socketsAtOnce: 1_000,
  /** The name of a session with a tool service as its caller has it: sealed, a third longer than the service's. */
  toolSessionChars: 2_048,
  /** A service that is told of the end of a session has little to do. */
  toolSessionEndMs: 10_000,
  /** Requests to tool services that their callers may still take back. */
  toolIdsKept: 10_000,
  /** Of one user; OpenAI's accounts began with as many sessions at once. */
  socketsOfUser: 100,
  /** Of the sockets that other networks leave. */
  socketsOfNetworkShare: 0.5,
  /** OpenAI ends its sessions after an hour. */
  sessionMs: 3_600_000,
  /** A session of which its upstream hears and says nothing for so long has been forgotten. */
  sessionIdleMs: 600_000,
  /** Where all places are taken, one without an answer for so long may have to give way: nobody thinks that long in a talk. */
  sessionQuietMs: 60_000,
  /** An answer that was asked for begins within a second; what has not by then was refused. */
  answerBeginsMs: 10_000,
  /** Answers of one session that were asked for and have not ended. The conversation has one, and few are wanted beside it. */
  sessionAnswersAtOnce: 32,
  /** Items of a session that are yet to be written down, and names of those that were paid for. */
  transcriptsWaiting: 64,
  transcriptsPaidKept: 1_000,
  drainBytes: 1 * MIB,

  // Money in micro-batches. 200 is where the batch stopped growing in the trial; PGlite blocks its event loop while
  // a statement runs, so its batches are smaller.
  batchPostgres: 200,
  batchEmbedded: 100,
  /** Requests that may wait for a reservation; beyond it 503. */
  reserveQueue: 20_000,
  /** Open files for database, Redis, console, disk and connections that are kept; the rest is for calls, two each. */
  filesBesideCalls: 512,
  /**
   * Of the places for calls that others leave, how much one user may fill; before he is known, one network. Whoever
   * comes next finds a place, and a site with one user has most of its room.
   */
  callsOfOneShare: 0.75,
  /** The same for one network, whoever its users are: one of them leaves some to his neighbours. */
  callsOfNetworkShare: 0.9,
  /** Calls under way that hold quota; beyond it 503, because each of them will want to be settled. */
  openReservations: 50_000,
  /** A settlement that has not committed after this goes to disk, and the answer's end goes out. */
  settleWaitMs: 2_000,
  settleRetryMs: 1_000,
  /** A settlement whose values the database refuses so often is given up, and what it held is given back. */
  settleRefusals: 10,
  /** A money statement without an answer by now has an unknown outcome: callers are told 503, settlements wait on disk. */
  moneyStatementMs: 2_000,
  /**
   * A money statement that waits so long for one row goes on without the calls that need it: far longer than another
   * process holds a row for a batch of its own. Those calls are looked at so often, and refused after `moneyStatementMs`.
   */
  moneyLockMs: 500,
  heldRowsLookMs: 50,
  /** Any other transaction that writes gives up when it waits for a row, or for its own process, for so long. */
  changeWaitMs: 1_000,
  /** What an embedded database has not answered by then, it is still working at: to give up sooner would free nothing. */
  moneyStatementEmbeddedMs: 10_000,
  /** What could not be asked of the balance for a stream under way is asked again after this, and after twice as long. */
  extendAgainMs: 1_000,
  extendAgainMaxMs: 30_000,
  /** With less free space than this for the spool, new work is refused. */
  spoolFreeBytes: 16 * MIB,
  heartbeatMs: 5_000,
  recoveryMs: 30_000,
  /** A process that was not seen for so long, while the database was up, is taken for dead. */
  silentSec: 300,
  orphanKeepSec: 30 * 86_400,
  /** How often it is looked for invited users whose first charged call pays their invitation, and how many at a time. */
  firstCallLookMs: 30_000,
  firstCallsAtOnce: 500,
  /** How often it is looked for daily work that is due. */
  dailyLookMs: 600_000,
  /** Rows of an erased user's log that one statement makes nameless; how long who erases waits for all of them. */
  forgottenRows: 1_000,
  forgetWaitMs: 2_000,
  /** For so long it is looked daily for what a process that died has left of it. */
  forgetAgainSec: 7 * 86_400,
  /** How often it is looked whether the hour's audit is due; each of its statements, and the pause behind it. */
  auditLookMs: 60_000,
  auditStatementMs: 15_000,
  auditPauseMs: 200,
  /** Of its findings, what is kept to be shown; `./scripts/audit` lists them. */
  auditFindingsKept: 20,
  /** Charges younger than that stand for themselves, however short the log is: a task may still give them back. */
  foldLeastDays: 7,
  /** Users whose old charges are folded by one statement. */
  foldUsers: 100,

  /** An embedded database is asked so often whether it is well; so many faults in a row end the process. */
  engineWatchMs: 5_000,
  engineFaults: 3,
  /** It may be busy with a large question for a while. */
  engineAnswerMs: 60_000,

  // Sessions and caches.
  sessionCacheMs: 5_000,
  sessionsCached: 10_000,
  callerCacheMs: 60_000,
  callerCacheEntries: 50_000,
  /** All of them in memory, most some 600 bytes each; one with the longest lists takes 200 KB. */
  callerCacheBytes: 64 * MIB,
  /** Keys that nobody has, remembered for a moment: a flood of guesses costs bounded memory and few queries. */
  unknownKeyMs: 5_000,
  unknownKeyEntries: 10_000,
  sessionIdleSec: 30 * 86_400,
  sessionAbsoluteSec: 90 * 86_400,
  /** All sessions of a user may call so many times as often as one of them. */
  sessionsBusyAtOnce: 4,
  /** All who are signed in from one network, of calls and of pages: an office, of whom most read what they asked for. */
  busyOfNetwork: 8,
  /** Of one user: more browsers than anybody has. */
  sessionsOfUser: 100,
  /** Of one user, the last used. */
  sessionsListed: 100,
  /** Those that are over, deleted by one statement: some tens of milliseconds. */
  outlivedSessions: 5_000,

  // Registration, and codes and links by mail or phone.
  accountsAnHour: 20,
  /** How long a proof of who somebody is counts as having had a gift: decision 015. */
  giftMarkSec: 730 * 86_400,
  /** Of what was given away a day only the present one is asked for; the last ones help to see what went wrong. */
  giftDaySec: 30 * 86_400,
  codeSec: 180,
  /**
   * Of a flow that asked for it; of one at WeChat, too. Fewer once so many codes were told of a subject in a day, or of
   * all subjects in an hour: whoever mistypes has another try, and who guesses has no use of the many messages that he
   * has sent. Guesses in a day hit one of a million codes: at one number, which is sent 20 for strangers and 20 by its own
   * share, 95 in a million; at the site, which sends 250 in an hour, 2 in a hundred for who uses all of it up and is told
   * of each hour, and from one large network, which has a quarter of what strangers have, 6 in a thousand. A mailbox is
   * sent twice as many, and its code lets nobody in to an account. More digits than six do not fit the templates of
   * services that send messages.
   */
  codeTries: 5,
  codeTriesOfMany: 2,
  codesOfSubject: 5,
  codesOfSite: 100,
  codeAgainSec: CODE_AGAIN_SEC,
  /**
   * Of the messages that the site sends in an hour, the part that the network of one provider may use up, so that it
   * takes three to use up what every network may; and the last part, of which each network gets one that has had none.
   */
  messagesOfProvider: 0.25,
  messagesLastPart: 0.25,
  resetSec: 900,

  // Applications that ask for a relay key.
  tokenRequestSec: TOKEN_REQUEST_SEC,
  /** For a key that was approved at the very end: known clients poll every 5 s. */
  tokenRequestFetchSec: 30,
  /** From a network: somebody who tries again needs a few, an office some more. */
  tokenRequestsAnHour: 10,
  /** Twice as many as two clients behind one address make. */
  tokenRequestPollsAMinute: 30,
  /** Rows that are over, removed with each new one: many more than it adds. */
  tokenRequestsPruned: 100,

  // Passkeys: a few devices and managers of each user. A device is asked for at most a minute, and unlocked before.
  passkeysPerUser: 20,
  passkeyChallengeSec: 300,

  // Slide captchas. Blind guesses are right one time in fifteen; five pixels are what a hand is off.
  captchaSec: 120,
  captchaPassSec: 120,
  captchaTolerance: 5,
  /** While an answer is good; an office behind one address signs in with it. */
  captchasOfAddress: 30,
  /** Made in advance, some 20 KB each; and callers that may wait for one. */
  captchasReady: 20,
  captchasWaiting: 50,
  captchasOfOneWaiting: 20,
  /** Rests are so many times as long as the work before: a fifth of one core at most makes pictures. */
  captchaRests: 4,
  smsCallMs: 10_000,

  /** A token of the human check lives 300 s; used ones are remembered for longer. */
  humanTokenSec: 600,
  /** The maker of the human check is asked while a person waits. */
  humanCheckMs: 5_000,
  humanCheckBytes: 64 * KIB,
  /** How long a browser may be on its way in: at a third party, or between password and second factor. */
  signInFlowSec: 600,
  /** One call to a third party by which somebody signs in; its answers are small records. */
  oauthCallMs: 10_000,
  /** Applications that root registers: some dozens on a large site. */
  oauthApps: 1_000,
  /** RFC 6749, 4.1.2 allows ten minutes; an application exchanges its code at once. */
  oauthCodeSec: 60,
  oauthAccessSec: 3_600,
  /** Of an application that is not used for so long its user signs in again. */
  oauthRefreshSec: 30 * 86_400,
  /** Sign-ins of a user at one application that hold: his devices. The oldest gives way. */
  oauthGrantsOfApp: 20,
  /** Characters of a state or a nonce, which are kept and sent back: those of libraries are random and have 22 to 43. */
  oauthEchoChars: 500,
  /** Calls of the token endpoint from one address in a minute: an application's server has one for all its users. */
  oauthTokenCalls: 600,
  /** From an application's server to the page that it shows. */
  embedTokenSec: 60,
  embedSessionSec: 3_600,
  /** Of one sign-in at an application: tabs of one browser, each anew within the hour. The oldest gives way. */
  embedSessionsOfGrant: 20,
  /** Those that are over, deleted by one statement. */
  outlivedGrants: 5_000,
  /** Begun from one address within that time; an office behind one signs in with it. */
  flowsOfAddress: 100,
  wechatCallMs: 5_000,
  /** How old what Telegram has signed may be, and how far its clock may be ahead of ours. */
  telegramProofSec: 300,
  telegramAheadSec: 60,
  oauthAnswerBytes: 256 * KIB,
  /** How long an OpenID provider's description of itself is believed. */
  oidcMetadataMs: 3_600_000,

  /**
   * Counts and codes that one process keeps without Redis, of each span of time: some 15 MB. A subscriber's /48 opens
   * 9,600 windows of kept pages in a minute, and a provider's /32 76,800.
   */
  windowsInMemory: 100_000,
  /** What every request counts, what tries count, and beyond these what counts for a day. */
  windowSpansSec: [600, 3_600],
  /** Of a full span, at once: the search for what is over is then worth its milliseconds. */
  windowsDropped: 1_000,

  // Failed attempts. What was wrong at an account in a day slows each network there, by a second for each, up to this.
  failedAttemptsDaySec: 86_400,
  failedAttemptDelaySec: 300,
  /**
   * What was wrong at names from everywhere, whether or not anybody has them, is counted in so many counters: 6 MB of
   * Redis. One core hashes 33 passwords in a second, so that a day of nothing but inventions puts 43 into each.
   */
  nameCounters: 65_536,
  /** An office behind one address may be wrong so many times as often as one account of it. */
  attemptsOfNetwork: 5,
  /** Wrong codes of a second factor, of all who come alike: of a million, three are right at once. */
  factorTriesADay: 100,
  /** A browser that signed in before has a counter of its own: for so long, of so many accounts. */
  knownBrowserSec: 365 * 86_400,
  knownAccounts: 5,

  /** Passwords that one session may prove itself with in ten minutes, the right ones too: one proof lasts as long. */
  reauthenticationsOfSession: 20,
  reauthenticationsSec: 600,

  /** Channels and models that the overview names of each kind, and those that it calls slow. */
  overviewListed: 12,
  overviewSlowest: 5,
  /** Models of a share, the rest in one: as many as there are colours for. */
  overviewModels: 5,
  /** What it tells of the site is worked out so often; a change of channels or options is seen at once. */
  overviewMs: 10_000,
  /** Figures of channels are written so often; while the database is away so many wait. They are kept for a week. */
  quartersWriteMs: 10_000,
  quartersWaiting: 10_000,
  quartersKeptSec: 7 * 86_400,
  /** What people feel as slow: a stream that has not begun, a whole answer that is not there. */
  slowBeginMs: 10_000,
  slowAnswerMs: 60_000,

  /**
   * Lists of models and their prices, made of thousands of rows and prices in some tens of milliseconds: one for each
   * group of users, and for administrators. A change drops them all at once, and one that was missed is noticed by then.
   */
  priceListMs: 15_000,
  priceListsKept: 20,
  /** Models that visitors are shown, by the calls of so many days; the figures of a busy site take a second, so not often. */
  popularShown: 8,
  popularDays: 7,
  popularMs: 600_000,

  // Passwords: each hash takes about 19 MiB and a core for some 30 ms, so they wait in line. A place in it costs nothing,
  // and a full line of a crowd, at some four in a second, is a minute: who waits longer has gone.
  passwordQueue: 256,
  /** Of one identity: an eighth, so that it takes many to leave no room, and an office still signs in at once. */
  passwordQueueOfOne: 31,
  /** While so many wait, each hash is followed by a rest: some four in a second, so that calls hardly notice. */
  passwordCrowd: 8,
  passwordRestMs: 200,

  // Failed calls, written by batches: some 1 MB of rows, and of counts what a thousand callers cause at once. A batch of
  // more than a few is a flood, whose next one waits, so that it takes a fraction of a connection.
  failedRowsWaiting: 1_000,
  /** One user has one part in so many of the places. */
  failedRowsShare: 4,
  failedCountsWaiting: 10_000,
  /** Rows of hourly figures that one user's failed calls make in an hour, by token, model, channel and code. */
  failedWays: 200,
  /** Users of whom that is known, some 20 MB at most. */
  failedWaysUsers: 1_000,
  failedRowsFlood: 20,
  failedRowsPauseMs: 200,
  /** Until counts are tried again that the database was away for. */
  failedAgainMs: 1_000,
  /** Of a model's or a group's name, which the caller may have made up. */
  failedNameChars: 200,
  /** Of what is told of it, which may quote the caller or an upstream. */
  failedTextChars: 1_000,

  // Usage by parts of days. A settlement may be written long after its call: from so many seconds on it says so, and a
  // part is folded so long after its end, so that the clocks of hosts may differ by hours.
  lateUsageSec: 3_600,
  foldUsageAfterSec: 6 * 3_600,

  // Lists.
  /** Rows that are looked at for a page and its count, and for sums: on an embedded database some tenths of a second. */
  countCap: 100_000,
  /** Of one user's, where they have to be read whole: each lies on another page of the table. */
  scatteredCap: 20_000,
  /** Hourly figures that are looked at for sums which parts of days do not know, the newest: a tenth of a second. */
  usageLooked: 200_000,
  /** A page of the log or its sums; what takes longer needs narrower filters. */
  logReadMs: 5_000,
  /** Any other statement of a caller of the console; he is told 503. */
  consoleStatementMs: 10_000,
  /** Such reads of one process at once: the other connections stay free for money. More wait, then 503. */
  logReadsAtOnce: 4,
  logReadsWaiting: 100,
  /** Of one reader: the two of a page, and some pages that he has not waited for. */
  logReadsOfOneAtOnce: 2,
  logReadsOfOneWaiting: 20,
  /** Likes of one user, each with its task: the oldest give way, so that nobody fills the disk with what he thinks. */
  likesOfOne: 200,
  likesOfOneBytes: 2 * MIB,
  likesAMinute: 20,
  /** The task of a like, as text: a long conversation with its steps. */
  likedTaskChars: 256 * KIB,
  /** Steps of a chart before longer ones are taken: as many as a screen has room for; and lines of it, the rest in one. */
  usageSteps: 400,
  usageSeries: 20,
  /** A chart of more than a leap year begins where something is known. */
  usageSpanSec: 366 * 86_400,
  /** The most rows of a sheet, and how many are read at once: some 100 KB, next to what sockets take. */
  exportRows: 1_000_000,
  exportPage: 500,
  /**
   * Sheets under way: each reads the database for minutes. Two browsers, an office, the addresses that somebody hires
   * together (a /24, a /48), all.
   */
  sheetsOfUser: 2,
  sheetsOfNetwork: 4,
  sheetsOfRange: 8,
  sheetsAtOnce: 20,
  /** Who takes nothing of his for so long gives way where all places are taken: a phone on its way between two cells may. */
  sheetSlowMs: 3_000,
  /** Rows of the usage log that a piece of its sheet looks at, few of which its filter may have: a tenth of a second of an embedded database. */
  exportLooked: 5_000,
  /** Newest hourly figures that the names for the log's filters are taken from, and names that are offered of each kind. */
  namesLooked: 5_000,
  namesOffered: 200,
  /** Rows of the log that are deleted by a statement, and how long a caller waits for all of them. */
  logsDeletedAtOnce: 5_000,
  logsDeletionMs: 5_000,
  /** Of what a row of a call says beside the money, as JSON: of eleven tries that failed, with long reasons, it is some 18. */
  logOtherBytes: 24 * KIB,
  /** Rows that the log of a token answers, and calls of one user a minute. */
  tokenLogRows: 1_000,
  tokenLogCallsAMinute: 20,
  /** Of one user: each is a line of his statement and of the books for ever, and once in three minutes is often. */
  transfersAnHour: 20,
  /** What a transfer of rewards was earned by, as far as its line names it: a line of the page's width. */
  transferCauses: 5,
  /** Transfers of a sheet for which that is worked out at once: all rewards are sorted for it, and ten pages are kept. */
  transfersExplained: 5_000,
  tokensPerUser: 1_000,
  /** With those that were deleted within a day: who makes and deletes tokens in a loop leaves so many rows a day. */
  tokensOfADay: 2_000,
  /** Deleted tokens that no call was ever charged to; what recovery keeps of their calls is long gone by then. */
  deletedTokenSec: 90 * 86_400,
  /** Those that are over, deleted by one statement. */
  deletedTokens: 5_000,
  /** Activities that a user sees at once. */
  activitiesShown: 100,
  /** Recommended prompts: a client reads all of them at once, and nobody chooses among more. */
  prompts: 500,
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
   * Both lists of a token together, which is some 600 models of usual names; and those of all tokens of a user: so much
   * at most a list of his tokens tells.
   */
  tokenListsBytes: 16 * KIB,
  userListsBytes: 1 * MIB,
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

  // Warnings of a low balance. The spec has one mail in two hours at most; who stays below hears of it once a day.
  quotaWatchMs: 60_000,
  warnedSec: 2 * 3_600,
  warnedBelowSec: 86_400,
  /** One connection to the mail server each; and those that are tried again meanwhile, with them. */
  warningsARound: 50,
  warningsUnderWay: 150,
  /** Waited before each further try to deliver one. */
  notifyPausesMs: [5_000, 60_000],
  webhookMs: 5_000,
  /** Nobody reads what a webhook answers. */
  webhookAnswerBytes: 64 * KIB,
  /** Tests of one's notifications in ten minutes. */
  notifyTests: 3,

  // Payments.
  /** The largest top-up: beyond it is a slip of the hand. */
  topupDollars: 1_000_000,
  /** How long a price holds; gateways let payers in for about as long. */
  topupOpenSec: 1_800,
  /** How much longer for a payment whose callback is under way, or repeated: afterwards it buys at the price of the day. */
  topupLateSec: 900,
  /** Unpaid orders of one user within that time: more are made by no payer. */
  topupsOpen: 20,
  /** Providers are asked about an unpaid order from a minute after it was made until a day after. */
  topupAskEveryMs: 120_000,
  topupAskAfterSec: 60,
  topupAskForSec: 86_400,
  /** Of one round, and at once: each takes ten seconds at the most, so that a round ends before the next. */
  topupsAsked: 50,
  topupsAskedAtOnce: 5,
  /**
   * How long an order that nobody paid is kept: beyond the longest time that a provider lets a payer take (vouchers of
   * Stripe's Boleto and Konbini last 60 days, docs.stripe.com/api/checkout/sessions/create) and its callbacks another month, so that late
   * money finds it. Removed by slices of so many.
   */
  topupUnpaidSec: 90 * 86_400,
  topupsRemoved: 1_000,
  /** What a provider answers of one order. */
  paymentAnswerBytes: 64 * KIB,

  /**
   * Transactions of callers that change something, at once: half of the console's connections, which the reads of sessions
   * and of relay keys need, too. Each takes some milliseconds; more wait, a second or two, then 503.
   */
  changesAtOnce: 5,
  changesWaiting: 400,
  /** Of one, as many as of his network: who changes thousands of rows at once can still sign out meanwhile. */
  changesOfOneAtOnce: 2,
  changesOfOneWaiting: 100,

  // Tasks. Peers ask after theirs every 15 s; here it is 5 s at first and ever more seldom, which is sooner and less.
  taskRoundMs: 5_000,
  taskPollSec: 5,
  taskPollMostSec: 60,
  /** A window that is free changes when its owner says something in it, so that it is asked after seldom, and it closes. */
  taskWindowPollSec: 600,
  taskWindowSec: 3_600,
  /** A task that nobody has taken for so long is looked at: is its call still under way? */
  taskSubmitSec: 60,
  /** What an upstream has taken is written down, though the database is away for a moment. */
  taskNoteTries: 3,
  taskNoteAgainMs: 1_000,
  /** Of one round; of one call to an upstream, and such calls at once: peers ask after 500 in all. */
  tasksARound: 500,
  tasksAsked: 50,
  tasksAskedAtOnce: 10,
  taskAskMs: 15_000,
  taskAnswerBytes: 8 * MIB,
  /** What an upstream answers to a task that it takes: an id and some words, of uploads some addresses. */
  taskTakenBytes: 1 * MIB,
  /** What is kept of one result: two songs with their lyrics are ten. */
  taskDataBytes: 64 * KIB,
  taskReasonChars: 500,
  /** Of a prompt, as it was sent and as its upstream made it: a line or two. Of what a caller writes on it for himself. */
  taskTextChars: 4_000,
  taskStateChars: 500,
  /** How an upstream may call a task: the longest are paths of some 200 characters. */
  taskNameChars: 500,
  /** Tasks that are older than the log, removed in one statement. */
  tasksRemoved: 1_000,
  /** Of one user, under way at once. */
  tasksOpen: 200,
  /** Of one user: clients ask every few seconds after what they wait for. */
  taskReadsAMinute: 600,
  tasksFetched: 100,
  /** Of what is kept of those together: a hundred results as they are usual. */
  tasksFetchedBytes: 1 * MIB,
  /** The same of one page of a list: of tasks as large as they may be it still holds twenty. */
  tasksListedBytes: 2 * MIB,
  /** A charge that waits in a spool is looked for again after so long. */
  taskRefundAgainSec: 60,
  /** Of one user in a minute: each asks the upstream. */
  taskSeedsAMinute: 20,
  /** Who wants to be told of a task is told of each change, and is tried so often. */
  taskHookTries: 3,
  taskHookAgainSec: 30,
  taskHookMs: 5_000,
  taskHooksARound: 20,
  /** All of a round, so that it takes no longer than the slowest of them. */
  taskHooksAtOnce: 20,
  taskHookChars: 2_000,
  /** Seconds of a film that a call may ask for: no upstream makes half as many at once. */
  videoSecondsMax: 120,
  /** Films are passed on as they come. What an answer that holds one whole may be, as base64: 8 s in 1080p are some 10 MB. */
  videoBytes: 1_024 * MIB,
  videoAnswerBytes: 48 * MIB,
  videosAtOnce: 32,
  videosOfOneAtOnce: 4,
  videosWaiting: 64,
  /** Until it begins, between two pieces, and in all. */
  videoOpenMs: 60_000,
  videoIdleMs: 60_000,
  /** Of one user in a minute. */
  videoFilesAMinute: 60,
  /** Where each task has a call of its own. */
  tasksAskedSingly: 5,
  /** Pictures that are passed on, each whole in memory: as large as those of printers. */
  pictureBytes: 20 * MIB,
  pictureMs: 30_000,
  picturesAtOnce: 8,
  picturesOfOneAtOnce: 4,
  picturesWaiting: 64,
  /** Of all that are not written yet: one network has six of the largest, or more of what others leave. */
  picturesInMemoryBytes: 256 * MIB,
  /** Of one network, which are guests for all we know: three pages of a hundred drawings. */
  picturesAMinute: 300,

  // Background jobs. A pulse renews the job's row; one whose row grew old has lost its process.
  jobPulseMs: 500,
  jobSilentSec: 30,
  jobResultsRead: 1_000,

  // Rendering shares the event loop with the relay: one page takes 1 to 2 ms of it.
  pagesAtOnce: 4,
  pagesWaiting: 100,
  /** Of one user, or one network of guests: the other half is for the others. */
  pagesOfOneAtOnce: 2,
  pagesOfOneWaiting: 20,
  /** Of the same: two each second is more than anybody reads, and an office behind one address signs in with it. */
  pagesAMinute: 120,
  /** Pages that are kept in memory cost next to nothing; a school behind one address opens them at once. */
  keptPagesAMinute: 1_200,
  /** A fixed page for guests. */
  pageKeptMs: 5_000,
  pagesKept: 100,
  /** Loaders included; beyond it the visitor is told to come again. */
  pageMs: 15_000,
} as const;
