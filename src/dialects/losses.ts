/** Callers may call parts and fields as they like, and what is told of them goes into headers and logs. */
const NAME = /^\w[\w .-]{0,63}$/;
const LOST_MAX = 32;

/** Names of what a request asked for and the upstream's wire has no word for. */
export class Losses {
  readonly names = new Set<string>();

  add(name: string): void {
    if (this.names.size < LOST_MAX) this.names.add(NAME.test(name) ? name : 'part');
  }
}
