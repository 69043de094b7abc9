/**
 * Whose address a channel leads to. Of some it matters who they are: two of them alone sell some tools, some do not bill all
 * that they show, and one alone reads what its own client tells it.
 */
export type Vendor = 'anthropic' | 'azure' | 'google' | 'groq' | 'openai' | 'perplexity' | 'another';

/**
 * What a vendor bills at his own address otherwise than his answers show it. Anybody may stand at another address and sell on
 * what a vendor has made: he passes answers on as they came and bills what is told and shown there by his own count.
 */
export interface VendorBill {
  /** Refusals before any output that cost nothing, by the category that is named; null is that of none. */
  freeRefusals?: ReadonlySet<string | null>;
  /** What his tools have found costs nothing, wherever it is told or shown. */
  freeFinds?: true;
  /** A query that is told again, or is empty, is no search. */
  freeRepeats?: true;
  /** Pages that his search opens cost nothing, though they are told as its calls. */
  freePages?: true;
  /** He tells how many searches he bills, and that is believed, whatever is shown. */
  tellsSearches?: true;
  /** A container costs its price once in a session, however often it is used. */
  containers?: ContainerBill;
  /** Pictures of his tool cost the tokens that he tells of them. */
  picturesByToken?: true;
}

export interface ContainerBill {
  /** How long one is. */
  sessionSec: number;
  /** It begins when the container is made: for whoever asks for one, used or not. */
  whenMade?: true;
}

/** At everybody else's. */
export const AS_SHOWN: VendorBill = {};
