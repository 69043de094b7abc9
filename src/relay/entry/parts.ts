/** What this room keeps between calls. */
import type { BodyBudget } from '../../platform/body-budget.ts';
import type { ComingBodies } from '../../platform/coming-bodies.ts';
import type { FairGate } from '../../platform/fair-gate.ts';
import type { Lookups } from '../../platform/lookups.ts';
import type { BodyTurns } from './body-turns.ts';
import type { CallGate } from './call-gate.ts';
import type { FilePlaces } from './file-places.ts';
import type { ToolIds } from './tool-ids.ts';

export interface EntryParts {
  /** Calls under way. */
  calls: CallGate;
  /** Bodies on their way to calls, which have no place among these yet. */
  coming: ComingBodies;
  /** Whose turn it is to have a body read. */
  bodyTurns: BodyTurns;
  /** Under which ids requests to tool services went up. */
  toolIds: ToolIds;
  /** The room of request bodies by the networks of those who send them; `bodies` is that of users. */
  bodiesByNetwork: BodyBudget;
  /** Forms on disk, by user and by network. */
  uploads: BodyBudget;
  uploadsByNetwork: BodyBudget;
  /** Of drawings by what their addresses end in, which lets in whoever knows it. */
  drawings: Lookups;
  /** Pictures in memory, by network: guests ask for them, who must take no room from those who pay. */
  picturesHeld: BodyBudget;
  /** Whose turn it is to have a picture fetched. */
  pictureTurns: FairGate;
  /** Whose turn it is to have a file of a task passed on. */
  filePlaces: FilePlaces;
}
