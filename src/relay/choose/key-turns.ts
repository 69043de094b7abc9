/** Whose turn it is among a channel's keys, where they take turns. Each process counts its own. */
import { limits } from '../../core/limits.ts';
import type { Candidate, RoutedChannel } from '../../modules/channel/model.ts';

export class KeyTurns {
  /** The key that was asked last, by channel. A list that changes meanwhile goes on after it. */
  readonly #last = new Map<number, number>();

  /** Place of the key whose turn it is. Their ids grow in the order of their places. */
  next({ id, keys }: Pick<RoutedChannel, 'id' | 'keys'>): number {
    const last = this.#last.get(id);
    const after = last === undefined ? 0 : keys.findIndex((key) => key.id > last);
    return Math.max(after, 0);
  }

  /** It has had its turn. */
  take({ channel, key }: Candidate): void {
    if (channel.keyMode !== 'polling') return;
    if (this.#last.size >= limits.keyTurns) this.#last.clear();
    this.#last.set(channel.id, key.id);
  }
}
