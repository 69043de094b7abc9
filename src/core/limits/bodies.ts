/**
 * Bodies, and names in addresses. `/api` writes are forms; guests send a handful of fields; relay JSON carries images as
 * base64.
 */
import { KIB, MIB } from './sizes.ts';

export const bodies = {
  apiBodyBytes: 4 * MIB,
  guestBodyBytes: 64 * KIB,
  /**
   * Of 512 MiB for all bodies in memory, the forms of the console, a quarter in all, so that neither they nor the relay
   * stop the other: sixteen of the largest; and those of guests apart, a thousand of them, so that no crowd keeps out who
   * is signed in.
   */
  userFormsBytes: 64 * MIB,
  guestFormsBytes: 64 * MIB,
  /** Lists, objects and what follows a comma in a form; the hub's, of 2,000 models with tiers of prices, has the most. */
  formValuesMax: 100_000,
  /** Those of a form beside what its schema has: fields that are ignored, as in a row that comes back as it was given. */
  formValuesBeside: 2_000,
  /**
   * Different names in a form whose schema has none that are the caller's own: a channel with all its settings has some 60.
   */
  formNames: 500,
  /** Names in an address: the console's have twenty at most, those of vendors' clients and of gateways' notices no more. */
  addressNames: 100,
  relayJsonBytes: 32 * MIB,
  /**
   * What goes up in the words of another wire may be so much more than twice what came: names, and all that a wire says
   * again, and as much as schemas are with their references put in.
   */
  bodyGrowthBytes: 4 * MIB,
  /**
   * Where nothing is held that goes by its length, it is so much more than four times what came: an editor whose blocks
   * may all hold one another is 100 KiB with its references put in.
   */
  unheldGrowthBytes: 128 * KIB,
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
  /** A pause of a phone, which is taken for no standing still of a body that has come ahead of its pace by then. */
  bodyAheadMs: 2_000,
  /** What prompts without pictures have: such a body is read at once, in room held before it comes, where few others come. */
  bodyAtOnceBytes: 64 * KIB,
  /** For it, which has no pace: 64 KiB at 4 KiB a second, and something for the way. */
  bodyAtOnceMs: 20_000,
  /**
   * Bodies on their way to calls, where there are files for so many, beside those that come in the places which calls
   * leave; half as many to the console; how many of them one user or network has; and how many may come unseen.
   */
  comingBodies: 1_024,
  comingOfOneShare: 0.75,
  comingUnseenPart: 1 / 16,
  /**
   * Pieces of a body that are taken as they come; of more the loop has a turn between two, and where they are less than so
   * many bytes on average they are looked at 250 times a second at most. What a network carries at once is 1,400 bytes.
   */
  piecesAtOnce: 16,
  smallPieceBytes: 1 * KIB,
  smallPiecesRestMs: 4,
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
} as const;
