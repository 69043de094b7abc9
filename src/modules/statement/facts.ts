/** What calls and pages alike must know of statements. */
import type { MOVEMENT } from '../../billing/ledger.ts';

type Kinds = typeof MOVEMENT;
export type MovementName = keyof Kinds;

/** Kinds of lines by name, as numbers on the wire. One that the ledger has and this has not breaks the build. */
export const LINE_KINDS: { readonly [Name in MovementName]: Kinds[Name] } = {
  charge: 1,
  topUp: 2,
  redemption: 3,
  gift: 4,
  invitation: 5,
  fuelPack: 7,
  transfer: 8,
  adminEdit: 9,
  writeOff: 10,
  refund: 11,
  takenBack: 12,
  reinstated: 13,
};

const names = Object.entries(LINE_KINDS) as [MovementName, number][];

/** The name of a kind; undefined for one that is not known here. */
export const lineName = (kind: number): MovementName | undefined =>
  names.find(([, value]) => value === kind)?.[0];
