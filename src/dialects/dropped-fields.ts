/** Callers may call parts and fields as they like, and what is told of them goes into headers and logs. */
const NAME = /^\w[\w .:*[\]-]{0,63}$/;
const DROPPED_MAX = 32;

/**
 * Names of the fields that a request has and that do not go up, as they may be told: some, and none that callers have made
 * long or strange.
 */
export class DroppedFields {
  readonly names = new Set<string>();

  add(name: string): void {
    if (this.names.size < DROPPED_MAX) this.names.add(NAME.test(name) ? name : 'part');
  }
}
