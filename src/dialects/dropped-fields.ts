/** Callers may call parts and fields as they like, and what is told of them goes into headers and logs. */
const NAME = /^\w[\w .-]{0,63}$/;
const DROPPED_MAX = 32;

/** Names of the fields that a request has and the upstream's wire has no word for, so that they are dropped. */
export class DroppedFields {
  readonly names = new Set<string>();

  add(name: string): void {
    if (this.names.size < DROPPED_MAX) this.names.add(NAME.test(name) ? name : 'part');
  }
}
