/** A row of the catalogue: all that is said of one refusal. */
import type { Text } from '../text.ts';

export interface Row {
  /** Status on `/api`. 200 is the spec's "business failure": the envelope says `success: false`. */
  readonly api: number;
  /** Status on the relay, in the caller's dialect. */
  readonly relay: number;
  readonly text: Text;
  /** What machines match on, where it is not the row's own name: one code has the words of the thing it is about. */
  readonly code?: 'NOT_FOUND';
}

/** `{name}` in a text is filled from the `params` of the error. */
export const row = (api: number, relay: number, zh: string, en: string): Row => ({
  api,
  relay,
  text: { zh, en },
});
