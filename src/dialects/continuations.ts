/**
 * The tokens with which an answer that is not at its end goes on in a later call, as Gemini 4's does after each 65,536 tokens
 * (ai.google.dev/gemini-api/docs/generate-content/long-decode). All that was asked, thought and written before is read again
 * as prompt by whoever sends one, and as often as he does.
 */
import { limits } from '../core/limits.ts';
import { comesInCalls, plainName } from '../core/model-families.ts';
import type { GoesOn, GoingOn } from './dialect.ts';
import { digestOf } from './short-names.ts';

/** A token may be as long as all that it stands for. */
const digestIn = (token: string): string => digestOf(token, 32);

/** Of one answer the latest: a stream tells one at each place from which it can be taken up where it breaks off. */
export class Continuations extends Set<string> implements GoingOn {
  constructor(readonly isSealed: boolean) {
    super();
  }

  note(token: unknown): void {
    if (typeof token !== 'string' || token === '') return;
    this.add(digestIn(token));
    const [first] = this;
    if (this.size > limits.continuationsOfAnswer && first !== undefined) this.delete(first);
  }
}

export const goesOn = (token: string | undefined, as: Omit<GoesOn, 'digest'>): { continues?: GoesOn } =>
  token ? { continues: { digest: digestIn(token), ...as } } : {};

/** Whether an answer of one of these models goes on with it: what is sealed proves the thoughts of all others. */
export const mayGoOn = ({ isSealed }: Pick<GoesOn, 'isSealed'>, models: readonly string[]): boolean =>
  !isSealed || models.some((model) => comesInCalls(plainName(model)));
