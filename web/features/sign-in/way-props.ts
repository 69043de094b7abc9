/** What the button of each way in is given. */
export interface WayProps {
  /** Where the visitor wants to be afterwards. */
  next?: string;
  /** The invitation code of the link that led here. */
  aff?: string;
  /** Shows why it did not go on; null takes that away. */
  onFailure: (error: unknown) => void;
  /** Does the work once the visitor has agreed to the terms, where he is asked. */
  whenAgreed: (work: () => Promise<unknown>) => Promise<void>;
}
