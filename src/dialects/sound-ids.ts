/** The names by which a service keeps the sounds of an answer, for who names them in a later request. */
import { limits } from '../core/limits.ts';
import type { Part, PartDelta } from './neutral.ts';

/** Of an answer that each of its choices may speak. */
export class SoundIds extends Set<string> {
  note(id: unknown): void {
    if (typeof id === 'string' && id !== '' && this.size < limits.choicesMax) this.add(id);
  }

  noteIn(said: Part | PartDelta): void {
    if (said.type === 'audio') this.note(said.id);
  }
}
